import { inlineTags } from "../../cards/index.ts";
import type { Call, Client } from "../../client/index.ts";
import { type DeckhandError, UsageError } from "../../errors.ts";
import {
  type CardCreate,
  type CardUpdate,
  card,
  cardCreate,
  cardUpdate,
  check,
  type DeckCreate,
  deck,
  deckCreate,
  isMap,
  type ObjectKind,
  type TemplateCreate,
  template,
  templateCreate,
} from "../../schema/index.ts";
import type { JsonValue } from "../formats/json-values.ts";
import type { Made } from "./journal-lines.ts";
import type { Ledger, Result } from "./ledger.ts";
import { findCard, findDeck, findTemplate, noteAll, noteDeck } from "./reconcile.ts";

/** What can be done to documents line by line. */
export type BulkVerb = "cards create" | "cards update" | "decks create" | "templates create";

const kinds: Readonly<Record<BulkVerb, { sent: ObjectKind; received: ObjectKind }>> = {
  "cards create": { sent: cardCreate, received: card },
  "cards update": { sent: cardUpdate, received: card },
  "decks create": { sent: deckCreate, received: deck },
  "templates create": { sent: templateCreate, received: template },
};

export interface BulkItem {
  readonly line: number;
  /** Its place in the input, unique: all documents of an array may be on one line. */
  readonly name: string;
  /** The id of what is changed. */
  readonly id: string | undefined;
  /** What is sent; undefined where it is not valid. */
  readonly body: Readonly<Record<string, unknown>>;
  /** What cards are created without, and get after it. */
  readonly trashed: string | undefined;
  readonly error: DeckhandError | undefined;
  /** Fields that the API does not have. */
  readonly unknown: readonly string[];
  /** Whether the document names another deck than the one it goes into. */
  readonly moved: boolean;
}

/**
 * A document as it is sent. It may be one that was received: what services make is left out, tags are those that are not
 * in the content, null is nothing except where it clears a value.
 *
 * @param deckId the deck of all cards; it wins over those that the documents name
 */
export async function bulkItem(
  value: JsonValue,
  verb: BulkVerb,
  deckId: string | undefined,
): Promise<BulkItem> {
  const { sent, received } = kinds[verb];
  const document = isMap(value.value) ? value.value : {};
  const body: Record<string, unknown> = {};
  const unknown: string[] = [];
  const updates = verb === "cards update";
  for (const [name, given] of Object.entries(document)) {
    if (!Object.hasOwn(sent.fields, name)) {
      if (!Object.hasOwn(received.fields, name)) unknown.push(name);
    } else if (given !== null || updates) body[name] = given;
  }
  const cards = verb === "cards create" || updates;
  if (cards && body["manual-tags"] === undefined && Array.isArray(document["tags"]))
    body["manual-tags"] = await manualTags(document["tags"], body["content"]);
  const moved =
    verb === "cards create" &&
    deckId !== undefined &&
    body["deck-id"] !== undefined &&
    body["deck-id"] !== deckId;
  if (verb === "cards create" && deckId !== undefined) body["deck-id"] = deckId;
  if (verb === "cards create" && body["content"] === undefined && isMap(body["fields"])) body["content"] = "";
  const { id } = document;
  const trashed = verb === "cards create" ? (document["trashed?"] ?? undefined) : undefined;
  return {
    line: value.line,
    name: value.nth === 1 ? `line ${value.line}` : `line ${value.line}, document ${value.nth}`,
    id: typeof id === "string" ? id : undefined,
    body,
    trashed: typeof trashed === "string" ? trashed : undefined,
    error: problemWith(value.value, verb, body, trashed),
    unknown,
    moved,
  };
}

function problemWith(
  value: unknown,
  verb: BulkVerb,
  body: object,
  trashed: unknown,
): DeckhandError | undefined {
  if (!isMap(value)) return new UsageError("it is no document: a map is wanted");
  if (verb === "cards update") {
    if (typeof value["id"] !== "string" || value["id"] === "") return new UsageError("id is missing");
    if (Object.keys(body).length === 0) return new UsageError("there is nothing to change");
  }
  const later = trashed === undefined ? undefined : check(cardUpdate, { "trashed?": trashed }, "sent");
  const fields = { ...check(kinds[verb].sent, body, "sent"), ...later };
  if (Object.keys(fields).length === 0) return undefined;
  const reported = Object.entries(fields).map(([name, message]) => `${name} ${message}`);
  const hint = fields["deck-id"] && verb === "cards create" ? "Give the deck of all with --deck." : undefined;
  return new UsageError(reported.join("; "), { fields, hint });
}

async function manualTags(tags: readonly unknown[], content: unknown): Promise<unknown[]> {
  const inline = new Set(typeof content === "string" ? await inlineTags(content) : []);
  return tags.filter((tag) => typeof tag !== "string" || !inline.has(tag));
}

/** The request for an item. */
export function bulkCall(client: Client, verb: BulkVerb, { id, body }: BulkItem): Call<Created | undefined> {
  switch (verb) {
    case "cards create":
      return client.cards.create(body as unknown as CardCreate);
    case "cards update":
      return client.cards.update(id ?? "", body as CardUpdate);
    case "decks create":
      return client.decks.create(body as unknown as DeckCreate);
    case "templates create":
      return client.templates.create(body as unknown as TemplateCreate);
  }
}

interface Created {
  readonly id: string;
  readonly "created-at"?: string | null | undefined;
}

interface BulkDone {
  readonly result: Result;
  /** What the service returned now. */
  readonly document: unknown;
}

/** What a journal knows an item by: the same change of another card is another one. */
const sentOf = (verb: BulkVerb, { id, body }: BulkItem): unknown =>
  verb === "cards update" ? [id ?? null, body] : body;

/** Carries out an item, once over all runs with the same journal. */
export async function performItem(
  client: Client,
  verb: BulkVerb,
  item: BulkItem,
  ledger: Ledger,
): Promise<BulkDone> {
  const { name } = item;
  if (item.error !== undefined)
    return { result: ledger.refuse(name, sentOf(verb, item), item.error), document: undefined };
  const { journal } = ledger;
  const deck = item.body["deck-id"];
  if (journal !== undefined && verb === "cards create" && typeof deck === "string")
    await noteDeck(client, deck, journal);
  if (journal !== undefined && verb === "decks create") await noteAll(client, "decks", journal);
  if (journal !== undefined && verb === "templates create") await noteAll(client, "templates", journal);
  let document: unknown;
  const send = async (): Promise<Made> => {
    const made = await bulkCall(client, verb, item).send();
    document = made;
    return { id: made?.id ?? item.id, at: made?.["created-at"] ?? undefined };
  };
  const find =
    journal &&
    {
      "cards create": (name: string) => findCard(client, item.body as unknown as CardCreate, journal, name),
      "decks create": () => findDeck(client, item.body as unknown as DeckCreate, journal),
      "templates create": () => findTemplate(client, item.body as unknown as TemplateCreate, journal),
      "cards update": undefined,
    }[verb];
  const result = await ledger.perform({
    item: name,
    sent: sentOf(verb, item),
    send,
    ...(find && { settle: find }),
  });
  if (result.state !== "done" || item.trashed === undefined || result.id === undefined)
    return { result, document };
  const { id } = result;
  const body = { "trashed?": item.trashed };
  const trashed = await ledger.perform({
    item: `${name} trashed`,
    sent: body,
    send: async () => {
      document = (await client.cards.update(id, body).send()) ?? document;
      return {};
    },
  });
  return { result: trashed.state === "failed" ? trashed : result, document };
}
