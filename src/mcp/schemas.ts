import * as schema from "../schema/index.ts";
import { boolean, integer, keyword, object, record, string, timestamp } from "../schema/index.ts";

const array = <const K extends schema.Kind>(of: K) => schema.array(of, {});

/**
 * What the tools take and give, as kinds. The parts of a card are those of the schema, under names without `?`: some clients
 * accept only letters, digits, `-` and `_` in the names of arguments.
 */

const { content, "deck-id": deck, "template-id": template, "manual-tags": tags } = schema.cardCreate.fields;
const { name, "parent-id": parent } = schema.deckCreate.fields;
const { text, flag, id, ids } = {
  text: string({}),
  flag: boolean({}),
  id: keyword({}),
  ids: array(keyword({})),
};
const { figure, mayBeId } = { figure: integer({ nullable: true }), mayBeId: keyword({ nullable: true }) };
const due = timestamp({ nullable: true });
const reverse = schema.cardCreate.fields["review-reverse?"];
const fields = record(string({}), { about: "Values by the ids of the template's fields." });
const parts = { content, deck, template, tags, fields, archived: flag, reverse };
const dryRun = boolean({ about: "Only say what would be done." });
const query = string({ about: 'Words, "phrases", tag:x, deck:x, -not, is:due|new; "" finds all.' });
const limit = integer({ min: 1, max: 100, about: "20 if absent." });
const duplicates = boolean({ about: "Also create cards whose front exists in the deck." });
const confirm = boolean({ about: "The user agreed to trash several cards." });

export const inputs = {
  cards_search: object({ query, limit, bookmark: text, full: flag }),
  cards_get: object({ ids }, ["ids"]),
  cards_create: object({ cards: array(object(parts, ["content"])), duplicates, dryRun }, ["cards"]),
  cards_update: object({ cards: array(object({ id, ...parts, trashed: flag }, ["id"])), confirm, dryRun }, [
    "cards",
  ]),
  decks_list: object({}),
  decks_create: object({ name, parent }, ["name"]),
  review_next: object({}),
  review_reveal: object({ card: id }, ["card"]),
  review_answer: object({ card: id, remembered: flag }, ["card", "remembered"]),
  stats: object({}),
} as const;

/** A card; of one that was not asked for whole only the id, the front and the deck. */
const whole = { content: text, template: mayBeId, tags: array(text), fields: record(text), due };
const card = object({ id, front: text, deck: mayBeId, ...whole, new: flag, archived: flag, trashed: flag }, [
  "id",
  "front",
  "deck",
]);
const today = { due: figure, new: figure, cards: figure };
const deckRow = object({ id, name: text, path: text, parent: mayBeId, ...today }, [
  ...(["id", "name", "path", "parent", "due", "new"] as const),
]);
/** What came of one of several; `exists` are the cards of the deck with its front. */
const outcome = object({ status: keyword({}), id, exists: ids, error: text }, ["status"]);
const outcomes = object({ outcomes: array(outcome) }, ["outcomes"]);
const figures = {
  overdue: figure,
  week: figure,
  streak: figure,
  cards: figure,
  unseen: figure,
  mature: figure,
};

export const outputs = {
  cards_search: object({ cards: array(card), count: figure, bookmark: string({ nullable: true }) }, [
    ...(["cards", "count", "bookmark"] as const),
  ]),
  cards_get: object({ cards: array(card), missing: ids }, ["cards", "missing"]),
  cards_create: outcomes,
  cards_update: outcomes,
  decks_list: object({ decks: array(deckRow) }, ["decks"]),
  decks_create: object({ id, created: flag }, ["id", "created"]),
  review_next: object({ done: flag, card: id, deck: text, question: text, place: text, type: flag }, [
    "done",
  ]),
  review_reveal: object({ card: id, answer: text }, ["card", "answer"]),
  review_answer: object({ card: id, due, again: flag, waiting: figure }, ["card", "due", "again", "waiting"]),
  stats: object(
    { reviewed: figure, remembered: figure, ...figures, retention: schema.number({ nullable: true }) },
    ["reviewed", "remembered", "overdue", "week", "streak", "cards", "unseen", "mature", "retention"],
  ),
} as const;

export type ToolName = keyof typeof inputs;
export type Input<T extends ToolName> = schema.Sent<(typeof inputs)[T]>;
export type Output<T extends ToolName> = schema.Sent<(typeof outputs)[T]>;
