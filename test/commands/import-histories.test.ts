import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { InterruptedError } from "../../src/errors.ts";
import { moodyService } from "../support/moody-service.ts";
import { deckhand } from "../support/world.ts";

const day = 86_400_000;

/** Reviews on days in a row. */
const history = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    date: new Date(Date.UTC(2001, 0, 1) + index * day).toISOString(),
    "remembered?": true,
  }));

function writeCards(path: string, cards: Readonly<Record<string, number>>): void {
  const lines = Object.entries(cards).map(([id, reviews]) => ({
    card: { id, content: id, reviews: history(reviews) },
  }));
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

test("an undo after a kill between a card and its history deletes the card and its deck", async () => {
  const d = await deckhand();
  const file = join(d.home, "x.ndjson");
  writeCards(file, { studied01: 3 });
  const args = ["import", file, "--deck", "New", "--create-deck", "--yes", "-o", "json"];
  const { journal } = JSON.parse(await d.ok(args));
  // As a kill leaves it that comes after the service stored the history.
  const lines = readFileSync(journal, "utf8").split("\n");
  const until = lines.findIndex((line) => line.includes('"card 1 reviews"'));
  expect(until).toBeGreaterThan(0);
  writeFileSync(journal, `${lines.slice(0, until).join("\n")}\n`);
  expect(await d.run(["import", "undo", journal, "--yes"])).toMatchObject({ code: 0 });
  expect(await d.ok(["cards", "list"])).toBe("");
  expect(await d.ok(["decks", "list"])).toBe("");
});

test("an import that is stopped between two requests of a history completes it when it runs again", async () => {
  const stop = new AbortController();
  let requests = 0;
  const { url, key } = await moodyService({
    fails(path) {
      if (!path.endsWith("/history") || ++requests !== 2) return false;
      stop.abort(new InterruptedError("SIGTERM"));
      return true;
    },
  });
  const d = await deckhand({ DECKHAND_PROFILE: "", DECKHAND_BASE_URL: url, DECKHAND_API_KEY: key });
  const file = join(d.home, "x.ndjson");
  writeCards(file, { studied01: 600 });
  const args = ["import", file, "--deck", "New", "--create-deck", "--yes"];
  const reviews = async () => {
    const [card] = JSON.parse(await d.ok(["cards", "list", "-o", "json"]));
    return JSON.parse(await d.ok(["cards", "get", card.id, "-o", "json"])).reviews;
  };
  const stopped = await d.run(args, { signal: stop.signal });
  expect(stopped.stderr).toContain("Run it again to continue");
  expect(await reviews()).toHaveLength(500);
  const resumed = await d.run(args);
  expect(resumed).toMatchObject({ code: 0, stderr: expect.stringContaining("600 reviews") });
  expect(resumed.stderr.replaceAll(/\s+/g, " ")).toContain("Imported 0 cards, 600 reviews");
  expect(await reviews()).toHaveLength(600);
});

test("a second import into a service that records no reviews has nothing to do", async () => {
  const { url, key } = await moodyService({ documentedOnly: true });
  const d = await deckhand({ DECKHAND_PROFILE: "", DECKHAND_BASE_URL: url, DECKHAND_API_KEY: key });
  const file = join(d.home, "x.ndjson");
  writeCards(file, { studied01: 3 });
  const run = () => d.run(["import", file, "--deck", "New", "--create-deck", "--yes"]);
  expect(await run()).toMatchObject({ code: 0 });
  expect(await run()).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("The card is there already; nothing to do."),
  });
});

test("a history that is longer than the service allows fails, and the import goes on", async () => {
  const d = await deckhand();
  const file = join(d.home, "x.ndjson");
  writeCards(file, { studied01: 5001, newcard01: 0 });
  const ran = await d.run(["import", file, "--deck", "New", "--create-deck", "--yes"]);
  expect(ran).toMatchObject({ code: 9, stderr: expect.stringContaining("1 item failed") });
  expect(ran.stderr).toContain("a card may have at most 5000 reviews");
  expect(await d.ok(["cards", "list", "--columns", "name"])).toMatch(/newcard01/);
});
