import { inlineTags } from "../../cards/index.ts";
import {
  canonicalInstant,
  cardCreate,
  card as cardKind,
  check,
  deckCreate,
  deck as deckKind,
  isMap,
  type ObjectKind,
  templateCreate,
  template as templateKind,
} from "../../schema/index.ts";
import { type GivenReview, historyOf } from "../history.ts";
import type {
  Skip,
  SourceAttachment,
  SourceCard,
  SourceDeck,
  SourceReview,
  SourceTemplate,
} from "../model.ts";
import { quoted } from "../place.ts";

/**
 * Documents in the shape in which the API gives them, as collections carry them: archives and our own ndjson. What the
 * API does not take is told to `skip`; what services make anew (ids, names, instants) is left out without a word.
 */

type Document = Readonly<Record<string, unknown>>;

/** Made by services, or by apps for themselves: nobody misses it. */
const madeAnew: ReadonlySet<string> = new Set(
  `id name created-at updated-at new? references attachments card-count settings anki/note-id component-cache
  reverse-reviews cloze/reviews sm2/reviews tags reviews cards`.split(/\s+/),
);

export function deckOf(document: Document, key: string, place: string, skip: Skip): SourceDeck {
  const parent = document["parent-id"];
  const given = { ...document, "trashed?": instant(document["trashed?"]) };
  const body = sendable(deckCreate, deckKind, given, place, skip);
  delete body["parent-id"];
  if (body["name"] === undefined) {
    skip({ place, what: "decks without a name", why: 'they are called "Untitled"' });
    body["name"] = "Untitled";
  }
  return {
    key,
    parent: typeof parent === "string" ? parent : undefined,
    body: body as unknown as SourceDeck["body"],
    place,
  };
}

export function templateOf(document: Document, key: string, place: string, skip: Skip): SourceTemplate {
  const name = templateName(document["name"]);
  if (name !== document["name"])
    skip({ place, what: "names of templates", why: "they have 1 to 64 characters" });
  const body = sendable(templateCreate, templateKind, { ...document, name }, place, skip);
  return {
    key,
    body: { content: "", fields: {}, ...body } as unknown as SourceTemplate["body"],
    place,
  };
}

function templateName(name: unknown): string {
  if (typeof name !== "string" || name.trim() === "") return "Untitled";
  const characters = [...name];
  return characters.length <= 64 ? name : characters.slice(0, 64).join("").trim() || "Untitled";
}

interface CardContext {
  readonly place: string;
  readonly skip: Skip;
  readonly attachments?: readonly SourceAttachment[];
  /** The key of the card's template if the source has it. */
  readonly template?: string | undefined;
  readonly deck?: string | undefined;
}

export async function cardOf(
  document: Document,
  key: string | undefined,
  context: CardContext,
): Promise<SourceCard> {
  const { place, skip, template, deck } = context;
  const given = { ...document, ...fieldsOf(document, place, skip) };
  const body = sendable(cardCreate, cardKind, given, place, skip);
  delete body["deck-id"];
  delete body["template-id"];
  const content = typeof body["content"] === "string" ? body["content"] : "";
  const tags = await manualTags(document, content, place, skip);
  const trashed = instant(document["trashed?"]);
  return {
    key,
    ...(deck === undefined ? {} : { deck }),
    ...(template === undefined ? {} : { template: { key: template } }),
    body: {
      ...body,
      content,
      // Services take a blank content only beside fields, be there none of them.
      ...(content.trim() === "" && body["fields"] === undefined ? { fields: {} } : {}),
      ...(tags.length > 0 ? { "manual-tags": tags } : {}),
    },
    ...(trashed === undefined ? {} : { trashed }),
    reviews: reviewsOf(document, place, skip),
    updated: instant(document["updated-at"]),
    attachments: context.attachments ?? [],
    place,
  };
}

/** What of a document can be sent: fields without a value, and those with one that the API refuses, are left out. */
function sendable(
  sent: ObjectKind,
  received: ObjectKind,
  document: Document,
  place: string,
  skip: Skip,
): Record<string, unknown> {
  const body: Record<string, unknown> = Object.create(null);
  for (const name of Object.keys(document)) {
    if (document[name] === null || document[name] === undefined) continue;
    if (Object.hasOwn(sent.fields, name)) body[name] = document[name];
    else if (!madeAnew.has(name) && !Object.hasOwn(received.fields, name))
      skip({ place, what: `values of ${quoted(name)}`, why: "the API has no such field" });
  }
  for (const [name, message] of Object.entries(check(sent, body, "sent") ?? {})) {
    if (!(name in body)) continue;
    delete body[name];
    skip({ place, what: `values of ${quoted(name)}`, why: message });
  }
  return body;
}

/** The values of fields as text, keyed by their ids whatever the entries say. */
function fieldsOf(document: Document, place: string, skip: Skip): { fields?: unknown } {
  const given = document["fields"];
  if (given === null || given === undefined) return {};
  if (!isMap(given)) {
    skip({ place, what: 'values of "fields"', why: "must be a map" });
    return { fields: undefined };
  }
  const fields: Record<string, unknown> = Object.create(null);
  for (const [id, entry] of Object.entries(given)) {
    const value = isMap(entry) ? entry["value"] : entry;
    if (id === "" || value === null || value === undefined) continue;
    if (typeof value === "object") skip({ place, what: "values of fields", why: "they are not text" });
    else fields[id] = { id, value: String(value) };
  }
  return { fields };
}

/** The manual tags; of a document that does not say which those are, the tags that are not in the content. */
async function manualTags(document: Document, content: string, place: string, skip: Skip): Promise<string[]> {
  const given = document["manual-tags"] ?? document["tags"] ?? [];
  const list = Array.isArray(given) ? given : [given];
  if (list.some((tag) => typeof tag !== "string")) skip({ place, what: "tags", why: "they are not text" });
  const mixed = document["manual-tags"] === undefined && list.length > 0 && content.includes("#");
  const inline = mixed ? new Set(await inlineTags(content)) : undefined;
  const tags = new Set<string>();
  for (const tag of list) {
    if (typeof tag === "string" && tag.trim() !== "" && !inline?.has(tag)) tags.add(tag);
  }
  return [...tags];
}

/**
 * The history of a card. Archives have one for each way in which it is asked, each with a schedule: they become one, due
 * when the first of them is.
 */
function reviewsOf(document: Document, place: string, skip: Skip): SourceReview[] {
  const clozes = document["cloze/reviews"];
  const histories = [
    document["reviews"],
    document["reverse-reviews"],
    ...(isMap(clozes) ? Object.values(clozes) : [clozes]),
  ].flatMap((list) => {
    const history = historyOf(givenReviews(list, place, skip));
    return history.length > 0 ? [history] : [];
  });
  const others = document["sm2/reviews"];
  if (Array.isArray(others) && others.length > 0)
    skip({
      place,
      what: "reviews of another scheduler",
      why: "a card has one history",
      count: others.length,
    });
  if (histories.length < 2) return histories[0] ?? [];
  skip({
    place,
    what: "schedules of reverse and cloze reviews",
    why: "a card has one schedule: it is due when the first of them is",
    count: histories.length - 1,
  });
  const due = histories
    .flatMap((history) => history.at(-1)?.due ?? [])
    .sort()
    .at(0);
  return historyOf(histories.flat(), due === undefined ? {} : { due });
}

function givenReviews(given: unknown, place: string, skip: Skip): GivenReview[] {
  if (!Array.isArray(given)) return [];
  const reviews: GivenReview[] = [];
  for (const review of given) {
    const date = isMap(review) ? instant(review["date"]) : undefined;
    if (!isMap(review) || date === undefined || typeof review["remembered?"] !== "boolean") {
      skip({ place, what: "reviews", why: "they have no date or no outcome" });
      continue;
    }
    const { duration, interval } = review;
    reviews.push({
      date,
      "remembered?": review["remembered?"],
      ...(typeof duration === "number" && duration >= 0 ? { duration } : {}),
      due: instant(review["due"]),
      interval: isDays(interval) ? interval : undefined,
    });
  }
  return reviews;
}

/** A hundred years: more days than that would not be a date. */
const isDays = (interval: unknown): interval is number =>
  typeof interval === "number" && interval >= 0 && interval < 36_525;

/** Epoch milliseconds: no Date goes further. */
const lastInstant = 8.64e15;

function instant(value: unknown): string | undefined {
  const given = isMap(value) && typeof value["date"] === "string" ? value["date"] : value;
  if (typeof given === "number")
    return Math.abs(given) <= lastInstant ? new Date(given).toISOString() : undefined;
  return typeof given === "string" ? canonicalInstant(given) : undefined;
}
