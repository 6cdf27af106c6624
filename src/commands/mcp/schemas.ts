import * as schema from "../../schema/index.ts";
import { boolean, integer, keyword, record, string, timestamp } from "../../schema/index.ts";
import type { FieldTable, Kind, Sent } from "../../schema/kinds.ts";

/**
 * What the tools take and give, as kinds. The parts of a card are those of the schema, under names without `?`: some clients
 * accept only letters, digits, `-` and `_` in the names of arguments.
 */

const array = <const K extends Kind>(of: K) => schema.array(of, {});

/** An object with fields that are always there, and others that may be. */
const object = <const N extends FieldTable, const M extends FieldTable = Record<never, never>>(
  needed: N,
  more: M = {} as M,
) => schema.object<N & M, keyof N & string>({ ...needed, ...more }, Object.keys(needed));

const { content, "deck-id": deck, "template-id": template, "manual-tags": tags } = schema.cardCreate.fields;
const { name, "parent-id": parent } = schema.deckCreate.fields;
const reverse = schema.cardCreate.fields["review-reverse?"];
const [text, flag, id, ids] = [string({}), boolean({}), keyword({}), array(keyword({}))] as const;
const [figure, mayBeId] = [integer({ nullable: true }), keyword({ nullable: true })] as const;
const due = timestamp({ nullable: true });
const fields = record(string({}), { about: "Values by the ids of the template's fields." });
const parts = { deck, template, tags, fields, archived: flag, reverse };
const dryRun = boolean({ about: "Only say what would be done." });
const query = string({ about: 'Words, "phrases", #tag, deck:x, -not, OR, is:due|new|trashed; "": all.' });
const limit = integer({ min: 1, max: 100, about: "20 if absent." });
const bookmark = integer({ min: 0 });
const confirm = boolean({ about: "The user agreed to trash several cards." });

export const inputs = {
  cards_search: object({}, { query, limit, bookmark, full: flag }),
  cards_get: object({ ids }),
  cards_create: object({ cards: array(object({ content }, parts)) }, { dryRun }),
  cards_update: object(
    { cards: array(object({ id }, { content, ...parts, trashed: flag })) },
    { confirm, dryRun },
  ),
  decks_list: object({}),
  decks_create: object({ name }, { parent }),
  review_next: object({}),
  review_reveal: object({ card: id }),
  review_answer: object({ card: id, remembered: flag }),
  stats: object({}),
} as const;

export type ToolName = keyof typeof inputs;
export type Input<T extends ToolName> = Sent<(typeof inputs)[T]>;

/** A card; of one that was not asked for whole only the id, the front and the deck. */
const whole = { ...parts, deck: mayBeId, template: mayBeId, content: text, due, new: flag, trashed: flag };
const card = object({ id, front: text, deck: mayBeId }, whole);
const place = { name: text, path: text, parent: mayBeId };
const deckRow = object({ id, ...place, due: figure, new: figure }, { cards: figure });
/** What came of one of several. */
const outcome = object({ status: keyword({}) }, { id: mayBeId, error: text });
const outcomes = object({ outcomes: array(outcome) });

export const outputs = {
  cards_search: object({ cards: array(card), count: figure, bookmark: figure }),
  cards_get: object({ cards: array(card), missing: ids }),
  cards_create: outcomes,
  cards_update: outcomes,
  decks_list: object({ decks: array(deckRow) }),
  decks_create: object({ id, created: flag }),
  review_next: object({ done: flag }, { card: id, deck: text, question: text, place: text, type: flag }),
  review_reveal: object({ card: id, answer: text }),
  review_answer: object({ card: id, due, again: flag, waiting: figure }),
  stats: object({ figures: array(text) }),
} as const;

export type Output<T extends ToolName> = Sent<(typeof outputs)[T]>;
