import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import {
  type CardCreate,
  cardsViewValues,
  fieldTypes,
  sortByValues,
  textAlignments,
} from "../../src/schema/index.ts";
import { temporaryFolder } from "../support/service.ts";
import { comparable, emptyAccount, exportFile, importFile, wholeAccount } from "./support.ts";

const runs = Number(process.env["ROUND_TRIPS"] ?? 6);

/** Any text that UTF-8 can carry. */
const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }).map((any) => any.replace(/\p{Surrogate}/gu, "")),
  fc.constantFrom(
    "# Heading\n\ntext #inline tag",
    "a\n---\nb\n---\nc",
    "---",
    "\n\nblank around\n\n",
    "crlf\r\nlines\r\n",
    "```\n---\n```",
    "key: value\n---\n{}",
    "![](@media/a%20b.png) and {{1::cloze}}",
    "日本語 العربية עברית 👩‍👩‍👧",
    "<script>alert(1)</script>",
    "\ufeffmark",
    "~:x ^0 `",
    '"quoted", and; more\t',
    "a\u0000zero",
    "lines\u2028---\u2029---\u2028of another kind",
    "node_modules",
  ),
);
const name = text.filter((any) => any.trim() !== "" && !any.includes("\0"));
const id = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
const instant = fc.integer({ min: 0, max: 1.9e12 }).map((ms) => new Date(ms).toISOString());
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const position = fc.stringMatching(/^[ -~]{1,6}$/).filter((any) => any.trim() !== "");

const deck = fc.record({
  name,
  parent: optional(fc.nat()),
  sort: fc.integer({ min: -5, max: 50 }),
  "sort-by": optional(fc.constantFrom(...sortByValues)),
  "cards-view": optional(fc.constantFrom(...cardsViewValues)),
  "show-sides?": optional(fc.boolean()),
  "sort-by-direction": optional(fc.boolean()),
  "review-reverse?": optional(fc.boolean()),
  "archived?": optional(fc.boolean()),
  "trashed?": optional(instant),
});

const field = fc.record({
  name: optional(name),
  type: optional(fc.constantFrom(...fieldTypes)),
  pos: optional(position),
  content: optional(text),
  options: optional(fc.dictionary(id, fc.oneof(fc.boolean(), fc.string(), fc.integer()), { maxKeys: 2 })),
});

const template = fc.record({
  name: name.map((any) => [...any].slice(0, 64).join("")).filter((any) => any.trim() !== ""),
  content: text,
  fields: fc.dictionary(id, field, { maxKeys: 3 }),
  pos: position,
  style: optional(fc.record({ "text-alignment": fc.constantFrom(...textAlignments) })),
  options: optional(fc.record({ "show-sides-separately?": fc.boolean() })),
});

const card = fc.record({
  deck: fc.nat(),
  template: optional(fc.nat()),
  content: text,
  fields: optional(fc.dictionary(id, text, { maxKeys: 3 })),
  tags: fc.uniqueArray(
    name.map((any) => any.trim().replace(/^#+/, "")).filter((any) => any !== ""),
    { maxLength: 3 },
  ),
  pos: position,
  "archived?": optional(fc.boolean()),
  "review-reverse?": optional(fc.boolean()),
  "trashed?": optional(instant),
  /** Names a card made before it. */
  refersTo: optional(fc.nat()),
  reviews: fc.uniqueArray(
    fc.record({
      date: instant,
      "remembered?": fc.boolean(),
      duration: optional(fc.double({ min: 0, max: 99, noNaN: true })),
    }),
    { maxLength: 3, selector: ({ date }) => date },
  ),
  files: fc.uniqueArray(
    fc.record({
      name: fc.constantFrom("a.png", "b c.txt", "ünïcode.md", "CON.txt", "a:b?.bin", "A.PNG", "deck.yaml"),
      type: fc.constantFrom("image/png", "text/plain", "application/x-thing"),
      bytes: fc.uint8Array({ maxLength: 200 }),
    }),
    { maxLength: 2, selector: ({ name }) => name },
  ),
});

const collection = fc.record({
  decks: fc.array(deck, { minLength: 1, maxLength: 5 }),
  templates: fc.uniqueArray(template, { maxLength: 3, selector: ({ pos }) => pos }),
  cards: fc.uniqueArray(card, { maxLength: 8, selector: ({ pos }) => pos }),
});
type Collection = typeof collection extends fc.Arbitrary<infer T> ? T : never;

/** Without what is not given. */
const given = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T;

async function fill(client: Client, { decks, templates, cards }: Collection): Promise<void> {
  const deckIds: string[] = [];
  for (const { parent, ...body } of decks) {
    const above = parent === undefined || deckIds.length === 0 ? undefined : deckIds[parent % deckIds.length];
    deckIds.push((await client.decks.create(given({ ...body, "parent-id": above })).send()).id);
  }
  const templateIds: string[] = [];
  for (const body of templates) {
    const fields = Object.fromEntries(
      Object.entries(body.fields).map(([key, each]) => [key, given({ id: key, ...each })]),
    );
    templateIds.push((await client.templates.create(given({ ...body, fields })).send()).id);
  }
  const cardIds: string[] = [];
  for (const each of cards) {
    const other =
      each.refersTo === undefined || cardIds.length === 0
        ? undefined
        : cardIds[each.refersTo % cardIds.length];
    // A card that says nothing is none.
    const written =
      each.content.trim() === "" && each.fields === undefined ? `x${each.content}` : each.content;
    const body: CardCreate = given({
      content: other === undefined ? written : `${written}\n\n[[${other}]] ![[Title|${other}]]`,
      "deck-id": deckIds[each.deck % deckIds.length] ?? "",
      "template-id":
        each.template === undefined || templateIds.length === 0
          ? undefined
          : templateIds[each.template % templateIds.length],
      fields:
        each.fields &&
        Object.fromEntries(Object.entries(each.fields).map(([key, value]) => [key, { id: key, value }])),
      "manual-tags": each.tags,
      pos: each.pos,
      "archived?": each["archived?"],
      "review-reverse?": each["review-reverse?"],
    });
    const { id: cardId } = await client.cards.create(body).send();
    cardIds.push(cardId);
    for (const review of each.reviews.toSorted((a, b) => (a.date < b.date ? -1 : 1)))
      await client.reviews.create(cardId, given(review)).send();
    for (const file of each.files)
      await client.attachments
        .add(cardId, {
          fileName: file.name,
          contentType: file.type,
          source: async () => ({ stream: Readable.from([Buffer.from(file.bytes)]), size: file.bytes.length }),
        })
        .send();
    if (each["trashed?"]) await client.cards.update(cardId, { "trashed?": each["trashed?"] }).send();
  }
}

describe("a round trip", () => {
  test.each(["ndjson", "mochi"] as const)(
    "through %s into an empty account loses nothing",
    async (format) => {
      await fc.assert(
        fc.asyncProperty(collection, async (made) => {
          const [from, to] = [await emptyAccount(), await emptyAccount()];
          await fill(from, made);
          const file = join(await temporaryFolder(), `export.${format}`);
          const summary = await exportFile(from, file, format);
          expect(summary.missing).toEqual([]);
          const { failures } = await importFile(to, file);
          expect(failures).toEqual([]);
          expect(comparable(await wholeAccount(to))).toEqual(comparable(await wholeAccount(from)));
        }),
        { numRuns: runs },
      );
    },
    300_000,
  );

  test("through markdown gives the same bytes, but for the ids", async () => {
    await fc.assert(
      fc.asyncProperty(collection, async (made) => {
        const [from, to] = [await emptyAccount(), await emptyAccount()];
        await fill(from, made);
        const folder = await temporaryFolder();
        await exportFile(from, join(folder, "one"), "markdown");
        const { failures } = await importFile(to, join(folder, "one"));
        expect(failures).toEqual([]);
        await exportFile(to, join(folder, "two"), "markdown");
        const [before, after] = [await wholeAccount(from), await wholeAccount(to)];
        expect(filesUnder(join(folder, "two"), idNames(after))).toEqual(
          filesUnder(join(folder, "one"), idNames(before)),
        );
        expect(comparable(after)).toEqual(comparable(before));
      }),
      { numRuns: runs },
    );
  }, 300_000);

  test("through markdown of the same account gives the same bytes to the letter", async () => {
    await fc.assert(
      fc.asyncProperty(collection, async (made) => {
        const client = await emptyAccount();
        await fill(client, made);
        const folder = await temporaryFolder();
        await exportFile(client, join(folder, "one"), "markdown");
        const first = filesUnder(join(folder, "one"), new Map());
        await exportFile(client, join(folder, "one"), "markdown");
        await exportFile(client, join(folder, "two"), "markdown");
        expect(filesUnder(join(folder, "one"), new Map())).toEqual(first);
        expect(filesUnder(join(folder, "two"), new Map())).toEqual(first);
      }),
      { numRuns: Math.ceil(runs / 3) },
    );
  }, 300_000);
});

describe("a spreadsheet", () => {
  /** Decks by their paths, templates by their names: what a spreadsheet says of them has to tell them apart. */
  const told = collection
    .map((made) => ({
      ...made,
      decks: made.decks.map((each, index) => ({
        ...each,
        name: `${index} ${each.name}`.trim().normalize("NFC"),
      })),
      templates: made.templates.map((each, index) => ({
        ...each,
        name: `${index} ${each.name}`.slice(0, 30),
      })),
      cards: made.cards.map((each) => ({ ...each, refersTo: undefined })),
    }))
    .filter(({ templates }) => templates.every((each) => !/\p{Surrogate}/u.test(each.name)));

  const cardsOf = ({ decks, templates, cards }: Awaited<ReturnType<typeof wholeAccount>>) => {
    const byId = new Map(decks.map((deck) => [deck.id, deck]));
    const path = (id: string | null | undefined): string => {
      const found = byId.get(id ?? "");
      return found ? `${path(found["parent-id"])}/${found.name}` : "";
    };
    const names = new Map(templates.map(({ id, name }) => [id, name]));
    return cards
      .map((each) => ({
        deck: path(each["deck-id"]),
        template: names.get(each["template-id"] ?? ""),
        content: each.content,
        fields: Object.entries(each.fields ?? {})
          .map(([key, field]) => [key, field?.value])
          .filter(([, value]) => value !== "")
          .toSorted(),
        tags: [...(each.tags ?? [])].sort(),
        pos: each.pos,
        flags: [each["archived?"], each["review-reverse?"], each["trashed?"]],
        reviews: each.reviews,
      }))
      .map((each) => JSON.stringify(each))
      .toSorted();
  };

  test("comes back as it went, with templates, tags, due dates and reviews", async () => {
    await fc.assert(
      fc.asyncProperty(told, async (made) => {
        const [from, to] = [await emptyAccount(), await emptyAccount()];
        await fill(from, made);
        await fill(to, { ...made, decks: [], cards: [] });
        const file = join(temporaryFolder(), "export.csv");
        await exportFile(from, file, "csv", undefined, { reviews: true });
        const templates = async () =>
          (await to.templates.all()).map(({ id, name, fields }) => ({
            id,
            name: name ?? "",
            fields: Object.entries(fields ?? {}).map(([key, each]) => ({ id: key, name: each?.name ?? key })),
          }));
        const { failures } = await importFile(to, file, { templates });
        expect(failures).toEqual([]);
        expect(cardsOf(await wholeAccount(to))).toEqual(cardsOf(await wholeAccount(from)));
      }),
      { numRuns: runs },
    );
  }, 300_000);
});

/** What the ids of an account stand for, the same in two accounts with the same collection. */
function idNames({ decks, templates, cards }: Awaited<ReturnType<typeof wholeAccount>>): Map<string, string> {
  const names = new Map<string, string>();
  const order = <T>(items: readonly T[], key: (item: T) => string) =>
    items.map((item) => [key(item), item] as const).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const decksById = new Map(decks.map((deck) => [deck.id, deck]));
  const path = (deckId: string | null | undefined): unknown => {
    const found = decksById.get(deckId ?? "");
    return found
      ? [path(found["parent-id"]), found.name, found.sort, { ...found, id: 0, "parent-id": 0 }]
      : null;
  };
  for (const [index, [, { id }]] of order(decks, (each) => JSON.stringify(path(each.id))).entries())
    names.set(id, `deck${index}`);
  for (const [index, [, { id }]] of order(templates, (each) => each.pos ?? "").entries())
    names.set(id, `template${index}`);
  for (const [index, [, { id }]] of order(cards, (each) => each.pos ?? "").entries())
    names.set(id, `card${index}`);
  return names;
}

/** Every file of a folder with its bytes, ids replaced by what they stand for, in names as well. */
function filesUnder(root: string, ids: ReadonlyMap<string, string>): Record<string, string> {
  // YAML quotes the rare id that looks like a number, 1e345678.
  const renamed = (value: string) =>
    value.replace(
      /("?)(?<![0-9A-Za-z])([0-9A-Za-z]{8})(?![0-9A-Za-z])\1/g,
      (whole, _quote, id) => ids.get(id) ?? whole,
    );
  const files: Record<string, string> = {};
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.parentPath.endsWith("/.deckhand")) continue;
    const path = join(entry.parentPath, entry.name);
    files[renamed(path.slice(root.length))] = renamed(readFileSync(path).toString("latin1"));
  }
  return Object.fromEntries(Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
