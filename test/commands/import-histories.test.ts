import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { InterruptedError } from "../../src/errors.ts";
import { fakeService, sendJson } from "../support/fake-service.ts";
import { moodyService } from "../support/moody-service.ts";
import { type Deckhand, deckhand } from "../support/world.ts";

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

test("an import that is stopped while a history is on its way completes it when it runs again", async () => {
  const stop = new AbortController();
  let requests = 0;
  const { url, key } = await moodyService({
    fails(path) {
      if (!path.endsWith("/batch") || ++requests !== 1) return false;
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
  const resumed = await d.run(args);
  expect(resumed).toMatchObject({ code: 0, stderr: expect.stringContaining("600 reviews") });
  expect(resumed.stderr).toContain("The last import of it was stopped; this one continues it");
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

describe("a later file with more reviews of cards that are there", () => {
  type Reviewed = { readonly id: string; readonly reviews: readonly { date: string; due: string }[] };
  const cards = async (d: Deckhand): Promise<readonly Reviewed[]> =>
    JSON.parse(await d.ok(["cards", "list", "-o", "json"]));
  const due = "2030-05-01T12:00:00.000Z";

  async function imported() {
    const d = await deckhand();
    const file = join(d.home, "x.ndjson");
    writeCards(file, { studied01: 3, studied02: 2 });
    await d.ok(["import", file, "--deck", "New", "--create-deck", "--yes"]);
    const later = { id: "studied01", content: "studied01", reviews: history(5) };
    later.reviews[4] = { ...later.reviews[4], due } as (typeof later.reviews)[number];
    const same = { id: "studied02", content: "studied02", reviews: history(2) };
    writeFileSync(file, [later, same].map((card) => `${JSON.stringify({ card })}\n`).join(""));
    const run = (...how: string[]) => d.run(["import", file, "--deck", "New", "--yes", ...how]);
    return { d, run };
  }

  test("gives them these once, and has nothing to undo", async () => {
    const { d, run } = await imported();
    const updated = await run("-o", "json");
    expect(updated).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("To create in New: 2 reviews"),
    });
    const done = JSON.parse(updated.stdout);
    expect(done).toMatchObject({ cards: 0, reviews: 2, unchanged: 2, updated: 0 });
    expect(done).not.toHaveProperty("id");
    const counts = async () => (await cards(d)).map(({ reviews }) => reviews.length).toSorted();
    expect(await counts()).toEqual([2, 5]);
    const studied = (await cards(d)).find(({ reviews }) => reviews.length === 5);
    expect(studied?.reviews.at(-1)).toMatchObject({ date: history(5)[4]?.date, due });
    expect(await run("--update")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("nothing to do"),
    });
  });

  test("adds only those after the last review where they were reviewed in the collection since", async () => {
    const { d, run } = await imported();
    const card = (await cards(d)).find(({ reviews }) => reviews.length === 3);
    const body = JSON.stringify({ date: "2001-01-04T18:00:00.000Z", "remembered?": true });
    await d.ok(["api", "POST", `/cards/${card?.id}/reviews`, "--input", "-"], { input: body });
    const ran = await run("--update");
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stderr).toContain("To create in New: 1 review");
    const { reviews = [] } = (await cards(d)).find(({ id }) => id === card?.id) ?? {};
    expect(reviews.map(({ date }) => date).slice(3)).toEqual([
      "2001-01-04T18:00:00.000Z",
      "2001-01-05T00:00:00.000Z",
    ]);
  });

  test("changes nothing where it knows only a due date, and the card has a review", async () => {
    const d = await deckhand();
    const file = join(d.home, "notes.md");
    const write = (schedule: string) =>
      writeFileSync(file, `#flashcards/A\n\nq::a\n<!--SR:!${schedule},250-->\n`);
    write("2026-11-28,4");
    await d.ok(["import", file, "--yes"]);
    write("2026-12-10,12");
    await d.ok(["import", file, "--yes", "--update"]);
    const reviews = (await cards(d))[0]?.reviews ?? [];
    expect(reviews).toMatchObject([{ due: expect.stringMatching(/^2026-11-28/) }]);
  });
});

describe("due dates of a spreadsheet without reviews", () => {
  const later = new Date(Math.floor(Date.now() / day + 200) * day).toISOString();
  const past = "2020-05-02T12:00:00.000Z";

  /** An export of two cards, and others, without their reviews. */
  async function exported(...others: string[]): Promise<string> {
    const d = await deckhand();
    const file = join(d.home, "x.ndjson");
    const card = (id: string, date: string, due: string) => ({
      card: { id, content: `${id}\n---\na`, reviews: [{ date, "remembered?": true, due }] },
    });
    const cards = [card("overdue1", "2020-05-01T00:00:00.000Z", past), card("mature01", past, later)];
    for (const id of others) cards.push(card(id, past, later));
    writeFileSync(file, cards.map((line) => `${JSON.stringify(line)}\n`).join(""));
    await d.ok(["import", file, "--deck", "New", "--create-deck", "--yes"]);
    const sheet = join(d.home, "x.csv");
    await d.ok(["export", sheet]);
    return sheet;
  }

  const reviewsOf = async (d: Deckhand) => {
    const cards: readonly { content: string; reviews: readonly { date: string; due: string }[] }[] =
      JSON.parse(await d.ok(["cards", "list", "-o", "json"]));
    return new Map(cards.map(({ content, reviews }) => [content.split("\n")[0], reviews]));
  };

  test("are kept by reviews that are not of today", async () => {
    const [d, sheet] = [await deckhand(), await exported()];
    const before = Date.now();
    const { stderr } = await d.run(["import", sheet, "--yes"]);
    const text = stderr.replaceAll(/\s+/g, " ");
    expect(text).toContain("To create: 1 deck, 2 cards, 2 reviews (csv)");
    expect(text).toContain("Imported 2 cards, 1 deck, 2 reviews");
    const reviews = await reviewsOf(d);
    expect(reviews.get("overdue1")).toMatchObject([{ date: "2020-05-01T12:00:00.000Z", due: past }]);
    const [made, ...more] = reviews.get("mature01") ?? [];
    expect(more).toEqual([]);
    expect(made?.due).toBe(later);
    expect(Date.parse(made?.date ?? "")).toBeGreaterThanOrEqual(before - day);
    expect(Date.parse(made?.date ?? "")).toBeLessThanOrEqual(Date.now() - day);
    expect(JSON.parse(await d.ok(["stats", "-o", "json"]))["totals"]).toMatchObject({ mature: 1, young: 1 });
  });

  test("are not imported again", async () => {
    const [d, sheet] = [await deckhand(), await exported()];
    const run = (...how: string[]) => d.run(["import", sheet, "--yes", ...how]);
    await run();
    const first = await reviewsOf(d);
    expect((await run("--update")).stderr).toContain("nothing to do");
    expect(await reviewsOf(d)).toEqual(first);
    const other = new Date(Date.parse(later) + day).toISOString();
    writeFileSync(sheet, readFileSync(sheet, "utf8").replace(later, other));
    expect((await run("--update")).stderr).toContain("nothing to do");
    expect(await reviewsOf(d)).toEqual(first);
  });

  test("are named once by the plan as left out where the service records no reviews", async () => {
    // More than the places that the plan names.
    const sheet = await exported("another1", "another2", "another3");
    const service = await fakeService(({ method, url, body }, response) => {
      if (url === "/") return sendJson(response, 404, {});
      if (method === "GET") return sendJson(response, 200, { docs: [], id: "id6" });
      sendJson(response, 200, { ...JSON.parse(body.toString()), id: `id${url.length}` });
    });
    onTestFinished(() => service.close());
    const d = await deckhand({
      DECKHAND_PROFILE: "",
      DECKHAND_BASE_URL: service.url,
      DECKHAND_API_KEY: "a-key-for-this-test",
    });
    const { code, stderr } = await d.run(["import", sheet, "--yes"]);
    expect(code).toBe(0);
    const text = stderr.replaceAll(/\s+/g, " ");
    expect(text).toContain("To create: 1 deck, 5 cards (csv)");
    expect(text.match(/review histories \(5\): the service has no way to record them/g)).toHaveLength(1);
    expect(text).not.toContain("skipped");
    expect(text).toContain("Imported 5 cards, 1 deck");
  });
});
