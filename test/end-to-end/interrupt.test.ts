import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { loadSqlite } from "../../src/sqlite.ts";
import { type Cli, cli, program } from "../support/cli.ts";
import { fakeService, sendJson } from "../support/fake-service.ts";
import { openPty } from "../support/pty.ts";
import { exitCodeOf } from "../support/run-process.ts";
import { temporaryFolder } from "../support/service.ts";
import { waitFor } from "../support/wait-for.ts";

const cards = 1200;

/** How many lines the records of imports have; a row has those of a batch. */
function linesIn(path: string): number {
  const database = new (loadSqlite())(path, { readOnly: true });
  try {
    return (
      database.prepare("select coalesce(sum(json_array_length(line)), 0) lines from line").all()[0] as {
        lines: number;
      }
    ).lines;
  } catch {
    return 0; // It is just being made.
  } finally {
    database.close();
  }
}

test.each(["import", "bulk creation"])(
  "Ctrl-C ends a local %s, which can then be gone on with",
  async (what) => {
    const home = cli({ DECKHAND_PROFILE: "local" });
    try {
      await home.ok(["decks", "create", "Cards"]);
      const folder = await temporaryFolder();
      const file = join(folder, "cards");
      const rows = Array.from({ length: cards }, (_, index) =>
        what === "import" ? `q${index},a${index}\n` : `{"content":"${index}"}\n`,
      );
      writeFileSync(file, `${what === "import" ? "front,back\n" : ""}${rows.join("")}`);
      const verb = what === "import" ? ["import", file, "--yes"] : ["cards", "create", "--from", file];
      const args = [...verb, "--deck", "Cards"];
      let made = "";
      // A bulk creation prints each line that it has created.
      const record = () => {
        if (what !== "import") return made;
        const imports = join(home.home, "state", "imports.db");
        return existsSync(imports) ? "\n".repeat(linesIn(imports)) : "";
      };
      const child = spawn(process.execPath, [program, ...args], {
        env: home.env,
        stdio: ["ignore", "pipe", "pipe"],
      });
      child.stdout.on("data", (chunk: Buffer) => {
        made += chunk.toString("utf8");
      });
      let told = "";
      child.stderr.on("data", (chunk: Buffer) => {
        told += chunk.toString("utf8");
      });
      const ended = exitCodeOf(child);
      const begun = setInterval(() => {
        if (record().split("\n").length > 20) {
          clearInterval(begun);
          child.kill("SIGINT");
        }
      }, 20);
      const code = await ended;
      clearInterval(begun);
      expect(code).toBe(130);
      expect(told).toMatch(/Stopped\. Run (?:it|the same command) again to continue/);
      expect(record().split("\n").length).toBeLessThan(cards);
      expect(readdirSync(folder)).toEqual(["cards"]);
      await home.ok(args);
      expect(JSON.parse(await home.ok(["decks", "get", "Cards"]))).toMatchObject({ "card-count": cards });
    } finally {
      home.remove();
    }
  },
  120_000,
);

describe("Ctrl-C ends sync --watch with 0", () => {
  let home: Cli;
  let args: readonly string[];
  const files = 2000;
  beforeEach(() => {
    home = cli({ DECKHAND_PROFILE: "local" });
    const deck = join(home.home, "notes", "Deck");
    mkdirSync(deck, { recursive: true });
    for (let number = 0; number < files; number++) writeFileSync(join(deck, `${number}.md`), `${number}\n`);
    args = ["sync", join(home.home, "notes"), "--yes"];
  });
  afterEach(() => home.remove());
  const cardsNow = async () => (await home.ok(["cards", "list", "-o", "id"])).split("\n").length - 1;

  test("as soon as it says that it watches", async () => {
    const terminal = openPty({
      args: [program, ...args, "--watch"],
      env: { HOME: home.home, DECKHAND_HOME: home.home, DECKHAND_PROFILE: "local" },
    });
    await terminal.until("press Ctrl-C to stop", 60_000);
    terminal.press("\u0003");
    expect(await terminal.ended).toEqual({ code: 0, signal: 0 });
    terminal.close();
  }, 90_000);

  test("in the middle of a sync, which the next one completes", async () => {
    const child = home.start([...args, "--watch"]);
    const ended = new Promise((done) => child.on("close", (code, signal) => done(code ?? signal)));
    let stderr = "";
    child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8")));
    const deck = join(home.home, "notes", "Deck");
    const hasId = (name: string) => /^id: /m.test(readFileSync(join(deck, name), { encoding: "utf8" }));
    const begun = () => {
      try {
        return readdirSync(deck).filter((name) => name.endsWith(".md") && hasId(name)).length > 2;
      } catch {
        return false; // One is being replaced.
      }
    };
    await waitFor(begun, "a few cards are synced", 60_000);
    child.kill("SIGINT");
    expect(await ended).toBe(0);
    expect(stderr).toMatch(/^Stopped\. The next sync completes what this one began\.\n$/m);
    expect(stderr).not.toContain("Synced");
    expect(await cardsNow()).toBeLessThan(files);
    await home.ok(args);
    expect(await cardsNow()).toBe(files);
  }, 90_000);
});

describe("an interruption ends the wait for", () => {
  let home: Cli;
  let card: string;
  beforeAll(async () => {
    home = cli({ DECKHAND_PROFILE: "local" });
    await home.ok(["decks", "create", "Cards"]);
    card = (await home.ok(["cards", "create", "--deck", "Cards", "--content", "x", "-o", "id"])).trim();
  });
  afterAll(() => home.remove());

  /** How the program ends once it is told to stop; by itself it gives up after fifteen seconds. */
  async function stopped(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
    const ended = new Promise<number | NodeJS.Signals | null>((done) =>
      child.on("close", (code, signal) => done(code ?? signal)),
    );
    const begun = performance.now();
    child.kill("SIGTERM");
    const how = await ended;
    expect(performance.now() - begun).toBeLessThan(10_000);
    return how;
  }

  /** More than a pipe holds: when it is written, the program has begun to read. */
  const readBy = (child: ChildProcess, text: string) =>
    new Promise<void>((done) => child.stdin?.write(text.repeat(2 ** 20), () => done()));

  test("ids on standard input", async () => {
    const child = home.start(["cards", "get", "-", "-o", "id"]);
    await readBy(child, "\n");
    expect(await stopped(child)).toBe(143);
  });

  test("documents on standard input", async () => {
    const child = home.start(["cards", "create", "--from", "-", "--deck", "Cards"]);
    child.stdin?.write('{"content":"a"}\n');
    // Lines are created together: the first one waits for others, or for the end.
    await waitFor(() => existsSync(join(home.home, "state", "origins.db")), "the record of what is created");
    expect(await stopped(child)).toBe(143);
  });

  test("a file on standard input", async () => {
    const child = home.start(["attach", "add", card, "-", "--name", "a.txt"]);
    await readBy(child, "a");
    expect(await stopped(child)).toBe(143);
    expect(await home.run(["attach", "get", card, "a.txt"])).toMatchObject({ code: 4 });
  });

  test.skipIf(process.platform === "win32").each(["--from", "--content-file"])(
    "a pipe that %s names",
    async (option) => {
      const pipe = join(home.home, `pipe${option}`);
      execFileSync("mkfifo", [pipe]);
      const child = home.start(["cards", "create", "--deck", "Cards", option, pipe]);
      child.stdout?.resume();
      const writer = await open(pipe, "w"); // Which waits for the reader.
      expect([143, "SIGTERM"]).toContain(await stopped(child));
      await writer.close();
    },
  );
});

describe("Ctrl-C while a service is asked", () => {
  /** Runs a command, interrupts it at its first request of that method, and tells how it ended. */
  async function interruptedAt(method: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    let child: ChildProcess | undefined;
    const service = await fakeService(({ method: asked }, response) => {
      if (asked === method) child?.kill("SIGINT");
      else sendJson(response, 200, { id: "d1", "card-count": 0, content: "a", "deck-id": "d1" });
    });
    const home = cli({ DECKHAND_BASE_URL: service.url, DECKHAND_API_KEY: "a-test-key" });
    try {
      child = home.start(args, { env });
      let [stdout, stderr] = ["", ""];
      child.stdout?.on("data", (chunk: Buffer) => (stdout += chunk.toString("utf8")));
      child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8")));
      const code = await exitCodeOf(child);
      return { code, stdout, stderr };
    } finally {
      home.remove();
      await service.close();
    }
  }
  const create = ["cards", "create", "--deck-id", "d1", "--content", "a"];

  test("tells that a card may have been created", async () => {
    expect(await interruptedAt("POST", create)).toEqual({
      code: 130,
      stdout: "",
      stderr:
        "deckhand: could not create the card: interrupted before its answer came; it may have been carried out\n" +
        "Check the service before you send it again: it may be there already.\n",
    });
  });

  test("tells it as JSON where documents would be", async () => {
    const { code, stderr } = await interruptedAt("POST", [...create, "-o", "json"]);
    expect(code).toBe(130);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: "network", request: { method: "POST", path: "/cards" } },
    });
  });

  test("says nothing of a question", async () => {
    const { code, stderr } = await interruptedAt("GET", ["cards", "get", "c1"]);
    expect([code, stderr]).toEqual([130, ""]);
  });

  test("tells where an edited text is kept", async () => {
    const { code, stderr } = await interruptedAt("POST", ["cards", "edit", "c1"], {
      EDITOR: "sed -i s/^a$/b/",
    });
    expect(code).toBe(130);
    expect(stderr).toMatch(/^Your text is kept in .+d1\.md\n$/);
  });

  test("leaves nothing of an export that was stopped", async () => {
    const folder = await temporaryFolder();
    const stopped = await interruptedAt("GET", ["export", join(folder, "cards.csv")]);
    expect([stopped.code, stopped.stderr]).toEqual([130, ""]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("says how to go on with the lines of a file", async () => {
    const folder = await temporaryFolder();
    const file = join(folder, "cards");
    writeFileSync(file, '{"content":"a","deck-id":"d1"}\n{"content":"b","deck-id":"d1"}\n');
    const { code, stderr } = await interruptedAt("POST", ["cards", "create", "--from", file]);
    expect(code).toBe(130);
    expect(stderr).toContain("Stopped. Run the same command again to continue.");
  });
});
