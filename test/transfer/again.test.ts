import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import type { Card } from "../../src/schema/index.ts";
import { withCollection } from "../support/collection.ts";
import { deckhand } from "../support/world.ts";

const runs = Number(process.env["AGAIN_RUNS"] ?? 2);

/** Fronts and backs that are equal to others, or that a format may change on its way. */
const word = fc.constantFrom(
  "uno",
  "two words",
  "#tag in it",
  "a, b; c",
  "**bold**",
  "日本",
  "1. first",
  "x::y",
);
const card = fc.record({
  /** Where the format keeps ids, the first card, unlike the second, and those of the third deck have none when they are exported. */
  deck: fc.nat({ max: 2 }),
  front: word,
  number: fc.nat({ max: 30 }),
  back: word,
  tags: fc.uniqueArray(fc.constantFrom("t", "two words", "a,b"), { maxLength: 2 }),
  reviewed: fc.boolean(),
  trashed: fc.boolean(),
  withTemplate: fc.boolean(),
  /** What happens to the card after the export. */
  edit: fc.constantFrom("nothing", "back", "front", "tags"),
});
const collection = fc.uniqueArray(card, {
  minLength: 2,
  maxLength: 6,
  selector: ({ deck, front, number }) => `${deck} ${front} ${number}`,
});
type Made = typeof collection extends fc.Arbitrary<infer T> ? T : never;

/** Formats without ids know a card by its front and have no trash: there only the back is edited. */
const keyed: Readonly<Record<string, boolean>> = {
  ndjson: true,
  mochi: true,
  markdown: true,
  csv: true,
  apkg: true,
};

async function fill(client: Client, cards: Made, format: string): Promise<string[]> {
  const decks = [];
  for (const name of ["One", "Two", "Gone"]) decks.push((await client.decks.create({ name })).id);
  const fields = { name: { id: "name", name: "Front" }, backback: { id: "backback", name: "Back" } };
  const template = await client.templates.create({
    name: "Pair",
    content: "<< Front >>\n---\n<< Back >>",
    fields,
  });
  const ids: string[] = [];
  for (const [index, each] of cards.entries()) {
    const deck = keyed[format] ? ([2, 0][index] ?? each.deck) : each.deck;
    const front = `${each.front} ${each.number}`;
    const asTemplate = each.withTemplate && keyed[format];
    const { id } = await client.cards.create({
      "deck-id": decks[deck] ?? "",
      content: asTemplate ? "" : `${front}\n---\n${each.back}`,
      ...(asTemplate && {
        "template-id": template.id,
        fields: { name: { id: "name", value: front }, backback: { id: "backback", value: each.back } },
      }),
      "manual-tags": keyed[format] ? each.tags : [],
    });
    ids.push(id);
    if (each.reviewed)
      await client.reviews.create(id, { date: "2026-01-02T03:04:05.000Z", "remembered?": true });
    if (each.trashed && keyed[format])
      await client.cards.update(id, { "trashed?": "2026-02-01T00:00:00.000Z" });
  }
  if (keyed[format]) await client.decks.delete(decks[2] ?? "");
  return ids;
}

async function edit(client: Client, id: string, how: Made[number]["edit"], format: string): Promise<void> {
  if (how === "nothing") return;
  const { content, fields } = await client.cards.get(id);
  const isField = (content ?? "") === "";
  if (how === "tags" && keyed[format]) await client.cards.update(id, { "manual-tags": ["mine"] });
  else if (isField) {
    const name = how === "front" ? "name" : "backback";
    const value = `${fields?.[name]?.value} edited`;
    const others = Object.entries(fields ?? {}).map(([key, field]) => [
      key,
      { id: key, value: field?.value ?? "" },
    ]);
    await client.cards.update(id, { fields: { ...Object.fromEntries(others), [name]: { id: name, value } } });
  } else if (how === "front" && keyed[format])
    await client.cards.update(id, { content: `edited ${content}` });
  else await client.cards.update(id, { content: `${content} edited` });
}

/** All that a user would miss. */
async function stateOf(client: Client): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const { docs } of client.cards.pages())
    all.push(
      ...docs.map((each: Card) => {
        const { id, content, fields, tags, reviews, "deck-id": deck, "trashed?": trashed } = each;
        return { id, deck, content, fields, tags, reviews, trashed };
      }),
    );
  return all.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** What the cards say, wherever they are. */
const textsOf = (cards: readonly unknown[]) =>
  (cards as Pick<Card, "content" | "fields">[])
    .map(({ content, fields }) =>
      JSON.stringify([
        content,
        Object.values(fields ?? {})
          .map((each) => each?.value)
          .toSorted(),
      ]),
    )
    .toSorted();

const lossless: ReadonlySet<string> = new Set(["ndjson", "mochi", "markdown", "csv"]);

test.each(Object.keys(keyed))(
  "importing %s twice, after edits, and elsewhere, doubles nothing, loses no edit and no card",
  async (format) => {
    await fc.assert(
      fc.asyncProperty(collection, async (cards) => {
        const d = await deckhand();
        const data = join(d.home, "data");
        const file = join(d.home, `x.${format}`);
        const ids = await withCollection(data, (client) => fill(client, cards, format));
        await d.ok(["export", file, "--format", format, "--yes"]);
        const state = () => withCollection(data, stateOf);
        const before = await state();
        for (const how of [[], ["--update"], ["--update"]]) {
          const { code, stderr } = await d.run(["import", file, "--yes", ...how]);
          expect([0, 5, 9], stderr).toContain(code);
          expect(await state()).toEqual(before);
        }
        if (lossless.has(format)) {
          const other = await deckhand();
          await other.ok(["import", file, "--yes"]);
          expect(textsOf(await withCollection(join(other.home, "data"), stateOf))).toEqual(textsOf(before));
          expect((await other.run(["import", file, "--yes"])).stderr).toContain(
            "there already; nothing to do",
          );
        }
        await withCollection(data, async (client) => {
          for (const [index, id] of ids.entries())
            await edit(client, id, cards[index]?.edit ?? "nothing", format);
        });
        const edited = await state();
        for (const how of [[], ["--update"], ["--update"]]) {
          const { code, stderr } = await d.run(["import", file, "--yes", ...how]);
          expect([0, 5, 9], stderr).toContain(code);
          expect(await state()).toEqual(edited);
        }
      }),
      { numRuns: runs, seed: 20_263 },
    );
  },
  120_000,
);
