import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/files/clock.ts";
import { takeLock } from "../../src/files/lock.ts";
import { AccountLock } from "../../src/http/throttle/account-lock.ts";
import { type Cli, cli, program } from "../support/cli.ts";
import { fakeService, sendJson } from "../support/fake-service.ts";
import { openPty } from "../support/pty.ts";
import { startTestServer } from "../support/service.ts";
import { waitFor } from "../support/wait-for.ts";
import { deckhand } from "../support/world.ts";

/**
 * Runs commands of one account at once. None sends a request before all wait for the account's turn. Turns are taken in
 * the order in which they were asked for, so that each command has looked for its deck before any can create one.
 */
async function runAtOnce(commands: (home: Cli) => readonly (readonly string[])[]): Promise<Cli> {
  const { url, key } = await startTestServer();
  const home = cli({ DECKHAND_BASE_URL: url, DECKHAND_API_KEY: key });
  onTestFinished(home.remove);
  const folder = join(home.home, "state");
  const lock = new AccountLock({ folder, baseUrl: url, key, clock: systemClock, random: () => 0 });
  const turn = await lock.take({ signal: undefined, onWait: () => {} });
  const all = commands(home);
  const running = all.map((args) => home.run(args));
  const waiting = () =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => /\.lock.\d{10}\./.test(path));
  try {
    await waitFor(() => waiting().length === 1 + all.length, "every command waits for its turn", 60_000);
  } finally {
    turn.release();
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
      args: [program, "import", file, "--deck", "Geo", "--create-deck"],
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
  await terminal.until("Waiting: another deckhand is creating a deck");
  held.release();
  expect((await terminal.ended).code).toBe(0);
  expect(await deckNames(home)).toEqual(["Geo"]);
});

test("a command that lost its lock meanwhile looks again before it creates a deck", async () => {
  let lists = 0;
  let state = "";
  const service = await fakeService(({ method, url }, response) => {
    if (method === "POST") return sendJson(response, 200, { id: "made", name: "Geo" });
    if (!url.startsWith("/decks")) return sendJson(response, 404, { errors: ["no"] });
    lists++;
    const docs = lists > 2 ? [{ id: "theirs", name: "Geo", "parent-id": null }] : [];
    // The second look, with the lock held, takes so long that others count the process as dead.
    if (lists === 2)
      for (const path of readdirSync(state, { recursive: true, encoding: "utf8" }))
        if (/create-deck.*\.lock.\d{10}\./.test(path)) rmSync(join(state, path));
    return sendJson(response, 200, { docs, bookmark: "nil" });
  });
  onTestFinished(() => service.close());
  const d = await deckhand({
    DECKHAND_PROFILE: "",
    DECKHAND_BASE_URL: service.url,
    DECKHAND_API_KEY: "a-key-for-this",
  });
  state = join(d.home, "state");
  await d.ok(["add", "Norway", "Oslo", "--deck", "Geo", "--create-deck"]);
  const posted = service.requests.filter(({ method }) => method === "POST");
  expect(posted.map(({ url, body }) => [url, JSON.parse(`${body}`)["deck-id"]])).toEqual([
    ["/cards", "theirs"],
  ]);
});
