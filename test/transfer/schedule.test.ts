import { join } from "node:path";
import { default_w } from "ts-fsrs";
import { describe, expect, test } from "vitest";
import { type Deckhand, deckhand } from "../support/world.ts";

const trained = {
  w: default_w.map((w, index) => (index === 2 ? 7.25 : w)),
  "trained-at": "2026-11-20T12:00:00.000Z",
  reviews: 1234,
  "log-loss": 0.25,
};

async function withParameters(given: object, front = "a"): Promise<Deckhand> {
  const d = await deckhand();
  await d.ok(["add", front, "b", "--deck", "A", "--create-deck"]);
  await d.ok(["api", "PUT", "/schedule", "--input", "-"], { input: JSON.stringify(given) });
  return d;
}

const shown = async (d: Deckhand) => JSON.parse(await d.ok(["schedule", "show"]));

describe.each(["mochi", "ndjson"])("trained parameters in %s", (format) => {
  test("come back with the collection, but do not replace the account's own", async () => {
    const d = await withParameters(trained);
    const file = join(d.home, `all.${format}`);
    await d.ok(["export", file]);
    const empty = await deckhand();
    await empty.ok(["import", file, "--yes", "--quiet"]);
    expect(await shown(empty)).toMatchObject(trained);

    const own = { ...trained, reviews: 999 };
    const other = await withParameters(own, "other");
    await other.ok(["import", file, "--yes", "--quiet"]);
    expect(await shown(other)).toMatchObject(own);
  });

  test("stay out of the export of a deck, and of an account with the defaults", async () => {
    const d = await withParameters(trained);
    const file = join(d.home, `deck.${format}`);
    await d.ok(["export", file, "--deck", "A"]);
    const empty = await deckhand();
    await empty.ok(["import", file, "--yes", "--quiet"]);
    expect((await shown(empty))["trained-at"]).toBeNull();
  });
});
