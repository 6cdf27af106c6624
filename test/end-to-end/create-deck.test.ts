import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { accountHash } from "../../src/config/account-hash.ts";
import { systemClock } from "../../src/files/clock.ts";
import { takeLock } from "../../src/files/lock.ts";
import { Throttle } from "../../src/http/index.ts";
import { type Cli, cli, program } from "../support/cli.ts";
import { openPty } from "../support/pty.ts";
import { startTestServer } from "../support/service.ts";
import { waitFor } from "../support/wait-for.ts";

/** Runs commands of one account at once: none sends a request before the others were started. */
async function runAtOnce(commands: (home: Cli) => readonly (readonly string[])[]): Promise<Cli> {
  const { url, key } = await startTestServer();
  const home = cli({ DECKHAND_BASE_URL: url, DECKHAND_API_KEY: key });
  onTestFinished(home.remove);
  const folder = join(home.home, "state");
  const account = {
    kind: "hosted",
    baseUrl: url,
    key,
    profile: undefined,
    keyOrigin: "environment",
  } as const;
  const throttle = new Throttle({ path: join(folder, accountHash(account)), clock: systemClock });
  const turn = await throttle.acquire({});
  const next = join(folder, readdirSync(folder).find((name) => name.endsWith("-next.holder")) ?? "");
  const running = commands(home).map((args) => home.run(args));
  try {
    await waitFor(() => !readFileSync(next, "utf8").includes(String(process.pid)), "one waits", 60_000);
  } finally {
    turn.release({ kind: "lost" });
  }
  for (const outcome of await Promise.all(running)) expect(outcome).toMatchObject({ code: 0 });
  return home;
}

const deckNames = async (home: Cli) =>
  (await home.ok(["decks", "list", "--columns", "name"])).trim().split("\n").toSorted();

test("commands that add to a missing path of decks at once create each deck of it once", async () => {
  const option = ["--deck", "Languages/Spanish", "--create-deck"];
  const home = await runAtOnce(() => [
    ["add", "one", "uno", ...option],
    ["add", "two", "dos", ...option],
    ["cards", "create", "--content", "three", ...option],
  ]);
  expect(await deckNames(home)).toEqual(["Languages", "Spanish"]);
  expect(await home.ok(["cards", "list", "--deck", "Languages/Spanish", "--count"])).toBe("3\n");
});

test("imports into a missing deck at once create it once", async () => {
  const home = await runAtOnce(({ home }) =>
    ["a", "b", "c"].map((name) => {
      const file = join(home, `${name}.csv`);
      writeFileSync(file, `front,back\n${name},x\n`);
      return ["import", file, "--deck", "Geo", "--create-deck", "--yes"];
    }),
  );
  expect(await deckNames(home)).toEqual(["Geo"]);
  expect(await home.ok(["cards", "list", "--deck", "Geo", "--count"])).toBe("3\n");
});

test("imports whose files name the same missing decks at once create them once", async () => {
  const home = await runAtOnce(({ home }) =>
    ["a", "b", "c"].map((name) => {
      const file = join(home, `${name}.csv`);
      writeFileSync(file, `front,back,deck\n${name},x,World/Europe\n`);
      return ["import", file, "--yes"];
    }),
  );
  expect(await deckNames(home)).toEqual(["Europe", "World"]);
  expect(await home.ok(["cards", "list", "--deck", "World/Europe", "--count"])).toBe("3\n");
});

test("imports into the local collection that both asked before either created their deck create it once", async () => {
  const home = cli({ DECKHAND_PROFILE: "local" });
  onTestFinished(home.remove);
  const terminals = ["a", "b"].map((name) => {
    const file = join(home.home, `${name}.csv`);
    writeFileSync(file, `front,back\n${name},x\n`);
    const terminal = openPty({
      args: [program, "import", file, "--deck", "Geo", "--create-deck", "--ask"],
      columns: 110,
      env: { DECKHAND_HOME: home.home, HOME: home.home, DECKHAND_PROFILE: "local" },
    });
    onTestFinished(() => terminal.close());
    return terminal;
  });
  for (const terminal of terminals) await terminal.until("Import 1 card?");
  for (const terminal of terminals) terminal.press("y");
  for (const terminal of terminals) expect((await terminal.ended).code).toBe(0);
  expect(await deckNames(home)).toEqual(["Geo"]);
  expect(await home.ok(["cards", "list", "--deck", "Geo", "--count"])).toBe("2\n");
});

test("a command on a terminal says that it waits for another one to create a deck", async () => {
  const home = cli({ DECKHAND_PROFILE: "local" });
  onTestFinished(home.remove);
  const state = join(home.home, "state");
  mkdirSync(state, { recursive: true });
  // As `accountName`.
  const account = createHash("sha256")
    .update(`local\n${join(home.home, "data")}`)
    .digest("hex")
    .slice(0, 12);
  const held = await takeLock(join(state, `create-deck-${account}`));
  onTestFinished(() => held.release());
  const terminal = openPty({
    args: [program, "add", "one", "uno", "--deck", "Geo", "--create-deck"],
    columns: 110,
    env: { DECKHAND_HOME: home.home, HOME: home.home, DECKHAND_PROFILE: "local", TERM: "xterm" },
  });
  onTestFinished(() => terminal.close());
  await terminal.until("is creating a deck");
  held.release();
  expect((await terminal.ended).code).toBe(0);
  expect(await deckNames(home)).toEqual(["Geo"]);
});
