import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { manualTagsOf } from "../../cards/document.ts";
import {
  isCreation,
  lookUp,
  type Operation,
  type Outcome,
  placeOf,
  type Task,
} from "../../client/apply/index.ts";
import type { OriginRecord } from "../../client/apply/record.ts";
import type { Client } from "../../client/index.ts";
import { type DeckhandError, UsageError } from "../../errors.ts";
import { type Card, card, cardCreate, cardUpdate, check, isMap, newId } from "../../schema/index.ts";
import type { JsonValue } from "../../transfer/formats/json-values.ts";
import { Scratch } from "../../transfer/scratch.ts";
import { defined } from "./command.ts";

/** A document of the input, as it is sent. */
export interface BulkItem {
  readonly line: number;
  /** Its place in the input, unique: all documents of an array may be on one line. */
  readonly name: string;
  /** Its id is still to be chosen. */
  readonly operation: Extract<Operation, { readonly kind: "cards.create" }>;
  /** Why it cannot be done. */
  readonly error: DeckhandError | undefined;
  /** Fields that the API does not have. */
  readonly unknown: readonly string[];
  /** Whether the document names another deck than the one it goes into. */
  readonly moved: boolean;
}

/**
 * A document as it is sent. It may be one that was received: what services make is left out, tags are those that are not
 * in the content, null is nothing.
 *
 * @param deckId the deck of all cards; it wins over those that the documents name
 */
export async function bulkItem(
  { value, line, nth }: JsonValue,
  deckId: string | undefined,
): Promise<BulkItem> {
  const document = isMap(value) ? value : {};
  const body: Record<string, unknown> = {};
  const unknown: string[] = [];
  for (const [name, given] of Object.entries(document)) {
    if (!Object.hasOwn(cardCreate.fields, name)) {
      if (!Object.hasOwn(card.fields, name)) unknown.push(name);
    } else if (given !== null) body[name] = given;
  }
  if (body["manual-tags"] === undefined && Array.isArray(document["tags"]))
    body["manual-tags"] = await manualTagsOf({ ...document, content: String(body["content"] ?? "") } as Card);
  const named = body["deck-id"];
  if (deckId !== undefined) body["deck-id"] = deckId;
  if (body["content"] === undefined && isMap(body["fields"])) body["content"] = "";
  const trashed = document["trashed?"] ?? undefined;
  return {
    line,
    name: nth === 1 ? `line ${line}` : `line ${line}, document ${nth}`,
    operation: { kind: "cards.create", id: "", body, ...defined({ trashed }) } as BulkItem["operation"],
    error: problemWith(value, body, trashed),
    unknown,
    moved: named !== undefined && named !== body["deck-id"],
  };
}

function problemWith(value: unknown, body: object, trashed: unknown): DeckhandError | undefined {
  if (!isMap(value)) return new UsageError("it is no document: a map is wanted");
  const later = trashed === undefined ? undefined : check(cardUpdate, { "trashed?": trashed }, "sent");
  const fields = { ...check(cardCreate, body, "sent"), ...later };
  if (Object.keys(fields).length === 0) return undefined;
  const reported = Object.entries(fields).map(([name, message]) => `${name} ${message}`);
  const hint = fields["deck-id"] ? "Give the deck of all with --deck." : undefined;
  return new UsageError(reported.join("; "), { fields, hint });
}

export type Pieces = AsyncIterable<string> | Iterable<string>;

/** A row of the input, with the key that it is recorded under. */
export interface Row {
  readonly item: BulkItem;
  readonly key: string;
  /** Whether an earlier run sent it. */
  readonly sentBefore: boolean;
}

const hashOf = (text: string) => createHash("sha256").update(text).digest("base64url").slice(0, 22);

/**
 * What the creations of a source are written down in, before they are sent and until all of them are done. So a run that
 * was stopped sends the same rows again under the same ids. Where the service gives the ids, what was answered is not sent
 * again, and what was sent without an answer is looked for.
 */
export class BulkRecord {
  readonly #record: OriginRecord;
  readonly #client: Client;
  /** In a temporary file: memory does not grow with the input. */
  readonly #scratch = new Scratch();
  /** How often a row was met. */
  readonly #seen = this.#scratch.map<number>();
  /** How many this run has created in each place. */
  readonly #created = new Map<string, number>();
  /** Whether the service takes the ids that are chosen here. */
  #ids = false;
  #source = "";

  constructor(record: OriginRecord, client: Client) {
    this.#record = record;
    this.#client = client;
  }

  /** Names the source: a file by its real path, standard input by the hash of all that comes. @returns what to read */
  async begin(path: string, pieces: Pieces): Promise<Pieces> {
    this.#ids = await this.#client.service.has("ids");
    if (path !== "-") {
      this.#source = `cards create ${realpathSync(path)}`;
      return pieces;
    }
    const hash = createHash("sha256");
    const kept = this.#scratch.map<string>();
    let count = 0;
    for await (const piece of pieces) {
      hash.update(piece);
      kept.set(String(count++), piece);
    }
    this.#source = `cards create ${hash.digest("base64url")}`;
    return kept.values();
  }

  async task(item: BulkItem): Promise<Task<Row>> {
    // The row's document, and which of its equals it is.
    const { body, trashed } = item.operation;
    const hash = hashOf(JSON.stringify([body, trashed]));
    const seen = (this.#seen.get(hash) ?? 0) + 1;
    this.#seen.set(hash, seen);
    const key = `${hash} ${seen}`;
    const before = this.#record.find(this.#source, key);
    const operation = { ...item.operation, id: before?.id ?? newId() };
    const task = { operation, tag: { item, key, sentBefore: before !== undefined } };
    if (before === undefined) return task;
    // Sent under its id: it may be sent again as it is.
    if (this.#ids && !before.done && before.read === undefined) return task;
    const id = before.done ? before.id : await this.#lookUp(operation, Number(before.read ?? 0));
    if (id === undefined) return task;
    if (!before.done && trashed !== undefined)
      return { ...task, operation: { kind: "cards.update", id, body: { "trashed?": trashed } } };
    return { ...task, known: { state: "done", id, before: true } };
  }

  /** Writes down what is sent next. @param without as `beforeSend` has it */
  note(tasks: readonly Task<Row>[], without: number | undefined): void {
    this.#put(
      tasks.map(({ operation: { id }, tag: { key } }) => ({
        ...{ key, id },
        ...(this.#ids ? {} : { read: `${without ?? 0}` }),
      })),
      false,
    );
  }

  /** Notes what became of a task. What was refused for certain is forgotten: it gets another id. */
  settled({ operation, tag: { key } }: Task<Row>, outcome: Outcome): void {
    if (outcome.state === "refused") {
      if (!outcome.error.uncertain) this.#record.remove([operation.id]);
    } else if (!this.#ids) {
      this.#put([{ key, id: outcome.id }], true);
      if (!isCreation(operation)) return;
      const place = placeOf(operation);
      this.#created.set(place, (this.#created.get(place) ?? 0) + 1);
    }
  }

  /** Forgets the source: all of it is done. */
  finish(): void {
    this.#record.forget(this.#source);
  }

  close(): void {
    this.#scratch.close();
    this.#record.close();
  }

  async #lookUp(operation: BulkItem["operation"], without: number): Promise<string | undefined> {
    const done = [...this.#record.bySource(this.#source)].filter((each) => each.done);
    const others = new Set(done.map(({ id }) => id));
    const found = await lookUp(this.#client, operation, {
      isOther: (id) => others.has(id),
      without: without + (this.#created.get(placeOf(operation)) ?? 0),
    });
    return found?.id;
  }

  #put(
    rows: readonly { readonly key: string; readonly id: string; readonly read?: string }[],
    done: boolean,
  ): void {
    const source = this.#source;
    this.#record.put(rows.map((row) => ({ ...row, source, done, archived: false })));
  }
}
