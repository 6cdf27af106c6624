import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cli, cli, program, type Served, serve } from "../support/cli.ts";
import { makeCards, withCollection } from "../support/collection.ts";
import { openPty } from "../support/pty.ts";

/** The built program in the surroundings that servers, containers and CI jobs give it. */

const isRoot = process.getuid?.() === 0;
/** Nobody, where the tests run as root, whom no rights stop. */
const other = isRoot ? { uid: 65534, gid: 65534 } : {};
const reached = spawnSync(process.execPath, [program, "--version"], { ...other, cwd: "/" }).status === 0;
if (!reached) console.warn("skipped what needs another user: that user cannot read this folder");

interface Surroundings {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly uid?: number;
  readonly gid?: number;
  readonly input?: string;
}

/** Only what is given here is in the environment. */
function run(args: readonly string[], { env = {}, cwd = "/", ...as }: Surroundings = {}) {
  const options = { env: { PATH: process.env["PATH"], TZ: "UTC", ...env }, cwd, ...as, timeout: 25_000 };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    ...options,
    encoding: "utf8",
  });
  return { code: status, stdout, stderr };
}

/** A line of a shell with the program as $DECKHAND. */
function shell(script: string, env: NodeJS.ProcessEnv, cwd = "/") {
  const { status, stdout, stderr } = spawnSync("bash", ["--norc", "-c", script], {
    env: { PATH: process.env["PATH"], TZ: "UTC", DECKHAND: `${process.execPath} ${program}`, ...env },
    cwd,
    encoding: "utf8",
    timeout: 25_000,
  });
  return { code: status, stdout, stderr };
}

describe("the program", () => {
  const base = mkdtempSync(join(tmpdir(), "deckhand-surroundings-"));
  let home: Cli;
  let served: Served;
  let hosted: NodeJS.ProcessEnv;
  let local: NodeJS.ProcessEnv;
  /** The home folder of a user who has settings. */
  let somebodys: string;

  beforeAll(async () => {
    chmodSync(base, 0o755);
    home = cli({ DECKHAND_PROFILE: "local" });
    local = { DECKHAND_HOME: home.home, DECKHAND_PROFILE: "local" };
    const contents = Array.from({ length: 1500 }, (_, i) => `Card ${i} ${"long ".repeat(30)}`);
    await withCollection(join(home.home, "data"), (client) => makeCards(client, contents, "Füße"));
    served = await serve(home);
    somebodys = folder(0o755, {});
    run(["config", "set", "codec", "transit"], { env: { HOME: somebodys } });
    hosted = { DECKHAND_BASE_URL: served.url, DECKHAND_API_KEY: served.key };
  }, 90_000);

  afterAll(async () => {
    await served.stop();
    home.remove();
    rmSync(base, { recursive: true, force: true, maxRetries: 10 });
  });

  /** A folder of the other user, with these rights. */
  function folder(mode: number, owner: { uid?: number; gid?: number } = other): string {
    const path = mkdtempSync(join(base, "home-"));
    if (owner.uid !== undefined && owner.gid !== undefined) chownSync(path, owner.uid, owner.gid);
    chmodSync(path, mode);
    return path;
  }

  describe("in a CI job", () => {
    test("refuses without an account, and writes nothing", () => {
      const own = folder(0o755);
      const { code, stdout, stderr } = run(["decks", "create", "X"], { env: { HOME: own, CI: "true" } });
      expect([code, stdout]).toEqual([3, ""]);
      expect(stderr).toBe(
        "deckhand: no account is configured\nSet DECKHAND_BASE_URL and DECKHAND_API_KEY, or DECKHAND_PROFILE=local for the local service.\n",
      );
      expect(readdirSync(own)).toEqual([]);
    });

    test("refuses with half an account", () => {
      const env = { HOME: folder(0o755), CI: "true", DECKHAND_API_KEY: served.key };
      const { code, stderr } = run(["decks", "list"], { env });
      expect(code).toBe(3);
      expect(stderr).toContain("no base URL");
      expect(stderr).not.toContain(served.key);
    });

    test("works with what the environment says, and says nothing else", () => {
      const env = { HOME: folder(0o755), CI: "true", ...hosted };
      const { code, stdout, stderr } = run(["decks", "list", "--columns", "name"], { env });
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "Füße\n", stderr: "" });
    });
  });

  describe("without a terminal", () => {
    test("asks nothing: deleting needs --yes", () => {
      const { code, stdout, stderr } = run(["decks", "delete", "Füße"], { env: local });
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toContain("--yes");
    });

    test("says what a review needs", () => {
      const { code, stderr } = run(["review"], { env: local });
      expect(code).toBe(2);
      expect(stderr).toMatch(/^deckhand: a review needs a terminal/);
    });

    test("does not wait for an editor", () => {
      const { code, stderr } = run(["cards", "create", "--deck", "Füße"], {
        env: { ...local, EDITOR: "false" },
      });
      expect(code).toBe(2);
      expect(stderr).toMatch(/^deckhand: .+\n/);
    });

    test("works with its standard input closed", () => {
      const listed = shell("$DECKHAND decks list --columns name <&-", local);
      expect(listed).toEqual({ code: 0, stdout: "Füße\n", stderr: "" });
      expect(shell("$DECKHAND cards archive - <&-", local)).toEqual({ code: 0, stdout: "", stderr: "" });
    });

    test("ends with its exit code where both outputs are closed", () => {
      expect(
        shell("$DECKHAND decks list >&- 2>&-; echo $? > code; cat code", local, folder(0o777)).stdout,
      ).toBe("0\n");
      expect(
        shell("$DECKHAND cards get nothing >&- 2>&-; echo $? > code; cat code", local, folder(0o777)).stdout,
      ).toBe("4\n");
    });
  });

  describe("with a reader that goes away", () => {
    test.each(["tsv", "ndjson", "json", "csv", "id", "table"])("ends quietly with 0 (%s)", (format) => {
      const listing = `$DECKHAND cards list -o ${format} | head -1 > first; echo $PIPESTATUS`;
      const cwd = folder(0o777);
      expect(shell(`${listing}; test -s first && echo read`, local, cwd)).toEqual({
        code: 0,
        stdout: "0\nread\n",
        stderr: "",
      });
    });

    test("asks a service for no more pages than were read", () => {
      const script =
        "$DECKHAND cards list -o id -v 2> log | head -1 > first; echo $PIPESTATUS; grep -c GET log";
      const [code, requests] = shell(script, { ...hosted, HOME: home.home }, folder(0o777)).stdout.split(
        "\n",
      );
      expect(code).toBe("0");
      // 15 pages of 8 bytes a card would fit into the pipe, were it not closed long before.
      expect(Number(requests)).toBeLessThan(15);
    });

    test("stays quiet where only standard error has gone", () => {
      expect(shell("$DECKHAND cards get nothing 2> >(true)", local)).toMatchObject({ code: 4, stdout: "" });
    });
  });

  describe("with another language", () => {
    test.each([{ LANG: "C" }, { LC_ALL: "C" }, { LANG: "C", LC_ALL: "POSIX" }])(
      "keeps the text of documents as it is (%o)",
      (language) => {
        const env = { ...local, ...language };
        expect(run(["decks", "list", "--columns", "name"], { env })).toEqual({
          code: 0,
          stdout: "Füße\n",
          stderr: "",
        });
        expect(run(["cards", "list", "--deck", "Füße", "--limit", "1", "-o", "id"], { env }).code).toBe(0);
      },
    );

    test("draws trees on a terminal of the C locale with ASCII alone", async () => {
      const env = { ...local, HOME: home.home, LANG: "C", LC_ALL: "C" };
      await home.ok(["decks", "create", "Below", "--parent", "Füße"]);
      const pty = openPty({ args: [program, "decks", "list", "--tree"], env });
      expect((await pty.ended).code).toBe(0);
      expect(pty.raw()).not.toMatch(/[\u2500-\u257f]/);
      expect(pty.text()).toContain("Below");
      pty.close();
    });
  });

  describe.skipIf(!reached)("with a home folder that cannot be written", () => {
    const stillWorks = [
      ["--help"],
      ["help", "output"],
      ["config", "path"],
      ["config", "list"],
      ["completion", "bash"],
    ];
    test.each(stillWorks)("does what keeps nothing: %s %s", (...args) => {
      const { code, stderr } = run(args.filter(Boolean), { ...other, env: { HOME: folder(0o555) } });
      expect([code, stderr]).toEqual([0, ""]);
    });

    test("works with an account of the environment", () => {
      const env = { HOME: folder(0o555), ...hosted };
      const { code, stdout, stderr } = run(["cards", "list", "--limit", "120", "-o", "id"], {
        ...other,
        env,
      });
      expect([code, stdout.split("\n").length, stderr]).toEqual([
        0,
        121,
        expect.not.stringContaining("EACCES"),
      ]);
    });

    test("says in one line why a collection cannot be opened, and in one what to do", () => {
      const own = folder(0o555);
      const { code, stdout, stderr } = run(["due"], {
        ...other,
        env: { HOME: own, DECKHAND_PROFILE: "local" },
      });
      expect([code, stdout]).toEqual([3, ""]);
      expect(stderr).toBe(
        `deckhand: cannot open the collection in ${own}/.local/share/deckhand/service/store.sqlite: permission denied\nSet DECKHAND_HOME to a folder that can be written.\n`,
      );
    });

    test("says why a setting cannot be saved", () => {
      const own = folder(0o555);
      const { code, stderr } = run(["config", "set", "codec", "json"], { ...other, env: { HOME: own } });
      expect(code).toBe(3);
      expect(stderr).toBe(
        `deckhand: could not write ${own}/.config/deckhand: permission denied\nSet DECKHAND_HOME to a folder that can be written.\n`,
      );
    });

    test("keeps nothing of a login, and says so", () => {
      const args = ["auth", "login", "--profile", "work", "--base-url", served.url, "--key-stdin"];
      const { code, stderr } = run(args, { ...other, env: { HOME: folder(0o555) }, input: served.key });
      expect(code).toBe(3);
      expect(stderr).toMatch(/^deckhand: could not write .+: permission denied\n/);
    });

    test("is what doctor tells", () => {
      const { code, stdout, stderr } = run(["doctor", "-o", "json"], {
        ...other,
        env: { HOME: folder(0o555), ...hosted },
      });
      expect(code).toBe(1);
      const findings = JSON.parse(stdout) as { check: string; "ok?": boolean }[];
      const failed = findings.filter((each) => !each["ok?"]);
      expect(failed.map(({ check }) => check)).toEqual([
        "config folder",
        "data folder",
        "state folder",
        "cache folder",
      ]);
      expect(stderr).not.toContain("a fault in deckhand");
    });
  });

  describe.skipIf(!isRoot || !reached)("without a home", () => {
    /** A user that the machine does not know: there is no home folder to be looked up. */
    const stranger = { uid: 54_321, gid: 54_321 };

    test("uses an account of the environment, in either codec", () => {
      for (const codec of ["json", "transit"]) {
        const args = ["decks", "list", "--columns", "name", "--codec", codec];
        const { code, stdout, stderr } = run(args, { ...stranger, env: hosted });
        expect([code, stdout.split("\n")[0], stderr]).toEqual([0, expect.any(String), expect.any(String)]);
        expect(stdout).toContain("Füße\n");
        expect(stderr.split("\n").length).toBeLessThanOrEqual(3);
      }
    });

    test("refuses the local service in one line", () => {
      const { code, stdout, stderr } = run(["decks", "list"], stranger);
      expect([code, stdout]).toEqual([3, ""]);
      expect(stderr).toBe(
        "deckhand: there is no home folder to keep anything in\nSet DECKHAND_HOME to a folder that can be written.\n",
      );
    });

    test("finds the fault with doctor", () => {
      const { code, stdout, stderr } = run(["doctor"], stranger);
      expect(code).toBe(1);
      expect(stdout).toContain("config folder\tfalse\tthere is no home folder; set DECKHAND_HOME\n");
      expect(stderr).not.toContain("a fault in deckhand");
    });

    test("keeps a collection in DECKHAND_HOME", () => {
      const env = { DECKHAND_HOME: folder(0o700, stranger), DECKHAND_PROFILE: "local" };
      expect(run(["decks", "create", "Kept"], { ...stranger, env }).code).toBe(0);
      expect(run(["decks", "list", "--columns", "name"], { ...stranger, env }).stdout).toBe("Kept\n");
    });

    test("works in a container whose HOME does not exist", () => {
      const env = { HOME: "/nonexistent", ...hosted };
      const { code, stdout } = run(["decks", "list", "--columns", "name"], { ...other, env });
      expect([code, stdout]).toEqual([0, expect.stringContaining("Füße\n")]);
      expect(existsSync("/nonexistent")).toBe(false);
      const refused = run(["decks", "list"], {
        ...other,
        env: { HOME: "/nonexistent", DECKHAND_PROFILE: "local" },
      });
      expect(refused.code).toBe(3);
      expect(refused.stderr).toMatch(/^deckhand: cannot open the collection in .+\nSet DECKHAND_HOME .+\n$/);
    });
  });

  describe.skipIf(!isRoot || !reached)("as another user with somebody's home folder (sudo -u)", () => {
    test("takes everything from the environment where that is complete", () => {
      const env = { HOME: somebodys, ...hosted };
      const { code, stdout } = run(["decks", "list", "--columns", "name"], { ...other, env });
      expect([code, stdout]).toEqual([0, expect.stringContaining("Füße\n")]);
    });

    test("refuses in one line where settings that it cannot read would say more", () => {
      const { code, stdout, stderr } = run(["decks", "list"], { ...other, env: { HOME: somebodys } });
      expect([code, stdout]).toEqual([3, ""]);
      expect(stderr).toBe(
        `deckhand: could not read ${somebodys}/.config/deckhand/config.json: permission denied\nSet DECKHAND_BASE_URL and DECKHAND_API_KEY, or DECKHAND_HOME to a folder of your own.\n`,
      );
    });

    test("warns that the settings listed are not all", () => {
      const { code, stderr } = run(["config", "list"], { ...other, env: { HOME: somebodys } });
      expect(code).toBe(0);
      expect(stderr).toMatch(/^deckhand: warning: could not read .+\/config.json: permission denied\n$/);
    });

    test("finds the fault with doctor", () => {
      const { code, stdout, stderr } = run(["doctor"], { ...other, env: { HOME: somebodys } });
      expect(code).toBe(1);
      expect(stdout).toMatch(/^settings\tfalse\tcould not read .+: permission denied$/m);
      expect(stderr).not.toContain("a fault in deckhand");
    });

    test("leaves the folder as it was", () => {
      // Compiled code may have been kept when the settings were made (bin/compile-cache.js).
      expect(readdirSync(somebodys).filter((name) => name !== ".cache")).toEqual([".config"]);
    });
  });

  test("takes a relative DECKHAND_HOME from the folder that it runs in", () => {
    const cwd = folder(0o755, {});
    mkdirSync(join(cwd, "below"));
    const env = { DECKHAND_HOME: "kept", DECKHAND_PROFILE: "local" };
    expect(run(["decks", "create", "Here"], { cwd, env }).code).toBe(0);
    expect(run(["config", "path"], { cwd, env }).stdout).toBe(`${cwd}/kept/config/config.json\n`);
    expect(
      run(["decks", "list", "--columns", "name"], {
        cwd: join(cwd, "below"),
        env: { ...env, DECKHAND_HOME: "../kept" },
      }).stdout,
    ).toBe("Here\n");
  });

  describe("with the colours that are asked for", () => {
    const csi = "\u001b[";
    const list = ["decks", "list", "-o", "table"];

    test("writes none into a pipe, unless FORCE_COLOR asks for them", () => {
      expect(run(list, { env: local }).stdout).not.toContain(csi);
      expect(run(list, { env: { ...local, FORCE_COLOR: "1" } }).stdout).toContain(csi);
      expect(run([...list, "--no-color"], { env: { ...local, FORCE_COLOR: "1" } }).stdout).not.toContain(
        escape,
      );
      expect(run(list, { env: { ...local, FORCE_COLOR: "0" } }).stdout).not.toContain(csi);
    });

    test.each([
      [{}, true],
      [{ NO_COLOR: "1" }, false],
      [{ NO_COLOR: "" }, true],
      [{ TERM: "dumb" }, false],
    ])("on a terminal with %o: %s", async (settings, coloured) => {
      const pty = openPty({ args: [program, ...list], env: { ...local, HOME: home.home, ...settings } });
      expect((await pty.ended).code).toBe(0);
      expect(/\u001b\[\d+m/.test(pty.raw())).toBe(coloured);
      expect(pty.text()).toContain("Füße");
      pty.close();
    });

    test("moves no cursor on a dumb terminal", async () => {
      const env = { ...hosted, HOME: home.home, TERM: "dumb" };
      const pty = openPty({ args: [program, "decks", "list", "--tree"], env });
      expect((await pty.ended).code).toBe(0);
      expect(pty.raw()).not.toContain("\u001b");
      pty.close();
    });
  });
});
