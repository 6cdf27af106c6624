import { Readable } from "node:stream";
import fc from "fast-check";
import type { Client } from "../../src/client/index.ts";
import {
  type CardCreate,
  cardsViewValues,
  fieldTypes,
  sortByValues,
  textAlignments,
} from "../../src/schema/index.ts";

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

/** Any collection that a service takes. */
export const collection = fc.record({
  decks: fc.array(deck, { minLength: 1, maxLength: 5 }),
  templates: fc.uniqueArray(template, { maxLength: 3, selector: ({ pos }) => pos }),
  cards: fc.uniqueArray(card, { maxLength: 8, selector: ({ pos }) => pos }),
});
export type Collection = typeof collection extends fc.Arbitrary<infer T> ? T : never;

/** Without what is not given. */
const given = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T;

/** Makes a collection in an account. */
export async function fill(client: Client, { decks, templates, cards }: Collection): Promise<void> {
  const deckIds: string[] = [];
  for (const { parent, ...body } of decks) {
    const above = parent === undefined || deckIds.length === 0 ? undefined : deckIds[parent % deckIds.length];
    deckIds.push((await client.decks.create(given({ ...body, "parent-id": above }))).id);
  }
  const templateIds: string[] = [];
  for (const body of templates) {
    const fields = Object.fromEntries(
      Object.entries(body.fields).map(([key, each]) => [key, given({ id: key, ...each })]),
    );
    templateIds.push((await client.templates.create(given({ ...body, fields }))).id);
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
    const { id: cardId } = await client.cards.create(body);
    cardIds.push(cardId);
    for (const review of each.reviews.toSorted((a, b) => (a.date < b.date ? -1 : 1)))
      await client.reviews.create(cardId, given(review));
    for (const file of each.files)
      await client.attachments.add(cardId, {
        fileName: file.name,
        contentType: file.type,
        source: async () => ({ stream: Readable.from([Buffer.from(file.bytes)]), size: file.bytes.length }),
      });
    if (each["trashed?"]) await client.cards.update(cardId, { "trashed?": each["trashed?"] });
  }
}
