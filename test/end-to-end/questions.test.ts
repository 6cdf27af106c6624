import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Cli, cli, program } from "../support/cli.ts";
import { openPty } from "../support/pty.ts";

/** The questions that the program asks before something is lost, on a real pseudo-terminal. */

let home: Cli;
let card: string;

beforeAll(async () => {
  home = cli({ DECKHAND_PROFILE: "local" });
  await home.ok(["decks", "create", "Geography"]);
  card = (await home.ok(["add", "Q", "A", "--deck", "Geography"])).trim();
});
afterAll(() => home.remove());

function ask(args: readonly string[], at = home.home) {
  const env = { DECKHAND_HOME: at, HOME: at, DECKHAND_PROFILE: "local" };
  const terminal = openPty({ args: [program, ...args], columns: 110, env });
  onTestFinished(() => terminal.close());
  return terminal;
}

test.each([
  [
    ["decks", "delete", "Geography"],
    /Delete the deck Geography \(\w+\)\? What is inside goes to the trash; a deck cannot be brought back\./,
  ],
  [["decks", "rm", "/Geography"], /Delete the deck Geography/],
])("a no to %j deletes nothing, says so, and ends with 2", async (args, question) => {
  const terminal = ask(args);
  await terminal.until(question);
  terminal.press("n");
  await terminal.until("nothing was deleted");
  expect((await terminal.ended).code).toBe(2);
  expect(await home.ok(["decks", "list", "--columns", "name"])).toBe("Geography\n");
});

test("Enter alone is a no, a yes deletes", async () => {
  const no = ask(["cards", "delete", card]);
  await no.until(`Delete card ${card} (Q) permanently`);
  await no.until("It cannot be undone.");
  no.press("\r");
  expect((await no.ended).code).toBe(2);
  await home.ok(["cards", "get", card]);
  const yes = ask(["cards", "delete", card]);
  await yes.until("cannot be undone.");
  yes.press("y");
  await yes.until(`Deleted ${card}`);
  expect((await yes.ended).code).toBe(0);
  expect((await home.run(["cards", "get", card])).code).toBe(4);
});

test("an import of cards that changed in the file asks whether to update them, and does what it showed", async () => {
  const own = cli({ DECKHAND_PROFILE: "local" });
  onTestFinished(() => own.remove());
  const file = join(own.home, "x.csv");
  const write = (...rows: string[]) => writeFileSync(file, ["front,back", ...rows, ""].join("\n"));
  write("a,1", "b,2", "c,3");
  const args = ["import", file, "--deck", "New", "--create-deck"];
  await own.ok(args);
  write("a,1", "b,changed", "c,3", "d,4");
  const question = "Import 1 card, and update 1?";
  const no = ask(args, own.home);
  await no.until(question);
  no.press("n");
  expect((await no.ended).code).toBe(2);
  const backs = async () =>
    JSON.parse(await own.ok(["cards", "list", "-o", "json"]))
      .map(({ content }: { content: string }) => content.replace("\n---\n", ""))
      .toSorted();
  expect(await backs()).toEqual(["a1", "b2", "c3"]);
  const yes = ask(args, own.home);
  await yes.until(question);
  // What is imported is what was shown: no card takes its neighbour's text.
  write("z,0", "a,1", "b,changed", "c,other");
  yes.press("y");
  expect((await yes.ended).code).toBe(0);
  expect(await backs()).toEqual(["a1", "bchanged", "c3", "d4"]);
});

test("an import leaves a card that was edited while its question was on the screen", async () => {
  const own = cli({ DECKHAND_PROFILE: "local" });
  onTestFinished(() => own.remove());
  const file = join(own.home, "x.csv");
  writeFileSync(file, "front,back\na,1\n");
  const args = ["import", file, "--deck", "New", "--create-deck"];
  await own.ok(args);
  writeFileSync(file, "front,back\na,changed\n");
  const asked = ask(args, own.home);
  await asked.until("Update 1 card?");
  const card = (await own.ok(["cards", "list", "-o", "id"])).trim();
  await own.ok(["cards", "update", card, "--back", "mine"]);
  asked.press("y");
  expect((await asked.ended).code).toBe(9);
  expect(asked.text().replaceAll(/\s+/g, " ")).toContain(
    "it was changed in the collection while this import ran",
  );
  expect(await own.ok(["cards", "get", card, "--raw"])).toContain("mine");
});

test("a sync asks before it creates a folder; a no creates nothing, without a terminal it does not ask", async () => {
  const folder = join(home.home, "crads");
  const no = ask(["sync", folder]);
  await no.until(/There is no folder[^?]*Create it and write/);
  no.press("n");
  await no.until("nothing was created");
  expect((await no.ended).code).toBe(2);
  expect(existsSync(folder)).toBe(false);
  await home.ok(["sync", folder]);
  expect(existsSync(folder)).toBe(true);
});

test("a first sync asks before it writes into a folder that has files; without a terminal it does not ask", async () => {
  const own = cli({ DECKHAND_PROFILE: "local" });
  onTestFinished(() => own.remove());
  await own.ok(["add", "Q", "A", "--deck", "One", "--create-deck"]);
  const folder = join(own.home, "letters");
  mkdirSync(folder);
  writeFileSync(join(folder, "letter.txt"), "Dear");
  const no = ask(["sync", folder], own.home);
  await no.until("Carry out this sync");
  no.press("n");
  await no.until("nothing was changed");
  expect((await no.ended).code).toBe(2);
  expect(readdirSync(folder)).not.toContain("One");
  await own.ok(["sync", folder]);
  expect(existsSync(join(folder, "One", "deck.yaml"))).toBe(true);
  const later = ask(["sync", folder], own.home);
  expect((await later.ended).code).toBe(0);
});

test("a restore verifies the backup before it asks whether to replace the collection", async () => {
  const missing = ask(["backup", "restore", join(home.home, "nope.tar"), "--replace"]);
  expect((await missing.ended).code).toBe(2);
  expect(missing.text()).not.toContain("Replace the collection");
  const target = join(home.home, "whole.tar");
  await home.ok(["backup", target]);
  const no = ask(["backup", "restore", target, "--replace"]);
  await no.until("Replace the collection");
  no.press("n");
  await no.until("nothing was changed");
  expect((await no.ended).code).toBe(2);
});

test("lines typed for an import end with Ctrl-D, and a question that is wanted is asked then", async () => {
  const typed = ask(["import", "-", "--deck", "Geography", "--ask"]);
  await typed.until("Ctrl-D on a line of its own");
  typed.press("Norway\tOslo\rKenya\tNairobi\r\u0004");
  const plan = await typed.until("Import 2 cards?");
  expect(plan).toContain("2 cards (tsv)");
  typed.press("y");
  await typed.until("To take the import back: deckhand import undo");
  expect((await typed.ended).code).toBe(0);
  const fronts = await home.ok(["cards", "list", "--deck", "Geography", "--columns", "name"]);
  expect(fronts.split("\n")).toEqual(expect.arrayContaining(["Norway", "Kenya"]));
  const stopped = ask(["import", "-", "--deck", "Geography"]);
  await stopped.until("Ctrl-D on a line of its own");
  stopped.press("\u0003");
  expect((await stopped.ended).code).toBe(130);
});
