import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
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
import { DeckhandError } from "../../errors.ts";
import { newId } from "../../schema/index.ts";
import { Scratch } from "../../transfer/scratch.ts";
import type { BulkItem, BulkVerb } from "./bulk-item.ts";

/** A run sent ids, and the service does not say now that it takes them. */
const idsAreGone = () =>
  new DeckhandError("bad-response", "the service does not say any more that it takes ids of creations", {
    hint: "Is something between this machine and the service? Run the same command again later.",
  });

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
  readonly #verb: BulkVerb;
  /** In a temporary file: memory does not grow with the input. */
  readonly #scratch = new Scratch();
  /** How often a row was met. */
  readonly #seen = this.#scratch.map<number>();
  /** How many this run has created in each place. */
  readonly #created = new Map<string, number>();
  readonly #oneByOne: boolean;
  /** Whether the service takes the ids that are chosen here. */
  #ids = false;
  #source = "";

  /** @param oneByOne whether each row is a request: then what is done is recorded, so that no later run sends it again */
  constructor(record: OriginRecord, client: Client, verb: BulkVerb, oneByOne: boolean) {
    this.#oneByOne = oneByOne;
    this.#record = record;
    this.#client = client;
    this.#verb = verb;
  }

  /** Names the source: a file by its real path, standard input by the hash of all that comes. @returns what to read */
  async begin(path: string, pieces: Pieces): Promise<Pieces> {
    this.#ids = await this.#client.service.has("ids");
    if (path !== "-") {
      this.#source = `${this.#verb} ${realpathSync(path)}`;
      return pieces;
    }
    const hash = createHash("sha256");
    const kept = this.#scratch.map<string>();
    let count = 0;
    for await (const piece of pieces) {
      hash.update(piece);
      kept.set(String(count++), piece);
    }
    this.#source = `${this.#verb} ${hash.digest("base64url")}`;
    return kept.values();
  }

  async task(item: BulkItem): Promise<Task<Row>> {
    // The row's document, and which of its equals it is.
    const trashed = item.operation.kind === "cards.create" ? item.operation.trashed : undefined;
    const hash = hashOf(JSON.stringify([item.operation.body, trashed]));
    const seen = (this.#seen.get(hash) ?? 0) + 1;
    this.#seen.set(hash, seen);
    const key = `${hash} ${seen}`;
    const before = this.#record.find(this.#source, key);
    const operation = { ...item.operation, id: before?.id ?? newId() };
    const task = { operation, tag: { item, key, sentBefore: before !== undefined } };
    if (before === undefined) return task;
    // Sent under its id: it may be sent again as it is.
    const isOwn = !before.done && before.read === undefined;
    if (isOwn && this.#ids) return task;
    if (isOwn) throw idsAreGone();
    const id = before.done ? before.id : await this.#lookUp(operation, Number(before.read));
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
    } else if (!this.#ids || this.#oneByOne) {
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

  async #lookUp(operation: Operation, without: number): Promise<string | undefined> {
    if (!isCreation(operation)) return undefined;
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
    this.#record.put(rows.map((row) => ({ ...row, source, done, reviews: 0, archived: false })));
  }
}
