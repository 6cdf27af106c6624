import { inlineTags } from "../../cards/index.ts";
import type { Operation } from "../../client/apply/index.ts";
import { type DeckhandError, UsageError } from "../../errors.ts";
import { card, cardCreate, cardUpdate, check, isMap } from "../../schema/index.ts";
import type { JsonValue } from "../../transfer/formats/json-values.ts";
import { defined } from "./command.ts";

/** What can be done to documents line by line. */
const verbs = {
  "cards create": { kind: "cards.create", sent: cardCreate },
  "cards update": { kind: "cards.update", sent: cardUpdate },
} as const;
export type BulkVerb = keyof typeof verbs;

export interface BulkItem {
  readonly line: number;
  /** Its place in the input, unique: all documents of an array may be on one line. */
  readonly name: string;
  /** What is to be done; its id is that of what is changed, and else to be chosen. */
  readonly operation: Operation & { readonly body: object };
  /** Why it cannot be done. */
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
  { value, line, nth }: JsonValue,
  verb: BulkVerb,
  deckId: string | undefined,
): Promise<BulkItem> {
  const { kind, sent } = verbs[verb];
  const creates = verb === "cards create";
  const document = isMap(value) ? value : {};
  const body: Record<string, unknown> = {};
  const unknown: string[] = [];
  for (const [name, given] of Object.entries(document)) {
    if (!Object.hasOwn(sent.fields, name)) {
      if (!Object.hasOwn(card.fields, name)) unknown.push(name);
    } else if (given !== null || !creates) body[name] = given;
  }
  if (body["manual-tags"] === undefined && Array.isArray(document["tags"]))
    body["manual-tags"] = await manualTags(document["tags"], body["content"]);
  const named = body["deck-id"];
  if (creates && deckId !== undefined) body["deck-id"] = deckId;
  if (creates && body["content"] === undefined && isMap(body["fields"])) body["content"] = "";
  const { id, "trashed?": date } = document;
  const trashed = creates ? (date ?? undefined) : undefined;
  const own = defined({ id: typeof id === "string" && !creates ? id : "", trashed });
  return {
    line,
    name: nth === 1 ? `line ${line}` : `line ${line}, document ${nth}`,
    operation: { kind, body, ...own } as unknown as BulkItem["operation"],
    error: problemWith(value, verb, body, trashed),
    unknown,
    moved: named !== undefined && named !== body["deck-id"],
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
  const fields = { ...check(verbs[verb].sent, body, "sent"), ...later };
  if (Object.keys(fields).length === 0) return undefined;
  const reported = Object.entries(fields).map(([name, message]) => `${name} ${message}`);
  const hint = fields["deck-id"] && verb === "cards create" ? "Give the deck of all with --deck." : undefined;
  return new UsageError(reported.join("; "), { fields, hint });
}

async function manualTags(tags: readonly unknown[], content: unknown): Promise<unknown[]> {
  const inline = new Set(typeof content === "string" ? await inlineTags(content) : []);
  return tags.filter((tag) => typeof tag !== "string" || !inline.has(tag));
}
