import { inlineTags } from "../../cards/index.ts";
import type { Operation } from "../../client/apply/index.ts";
import type { Call, Client } from "../../client/index.ts";
import { type DeckhandError, UsageError } from "../../errors.ts";
import {
  card,
  cardCreate,
  cardUpdate,
  check,
  deck,
  deckCreate,
  isMap,
  type ObjectKind,
  template,
  templateCreate,
} from "../../schema/index.ts";
import type { JsonValue } from "../../transfer/formats/json-values.ts";

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

/** An item as an operation. @param id chosen for what is created */
export function operationOf(verb: BulkVerb, item: BulkItem, id: string): Operation {
  const body = item.body as never;
  switch (verb) {
    case "cards create":
      return { kind: "cards.create", id, body, trashed: item.trashed };
    case "cards update":
      return { kind: "cards.update", id: item.id ?? "", body };
    case "decks create":
      return { kind: "decks.create", id, body };
    case "templates create":
      return { kind: "templates.create", id, body };
  }
}

/** The requests for an item, as a dry run prints them. The id is a placeholder: nothing is created. */
export function bulkCalls(client: Client, verb: BulkVerb, item: BulkItem): Call<unknown>[] {
  const body = item.body as never;
  switch (verb) {
    case "cards create":
      return [
        client.cards.create(body),
        ...(item.trashed === undefined ? [] : [client.cards.update("CARD-ID", { "trashed?": item.trashed })]),
      ];
    case "cards update":
      return [client.cards.update(item.id ?? "", body)];
    case "decks create":
      return [client.decks.create(body)];
    case "templates create":
      return [client.templates.create(body)];
  }
}
