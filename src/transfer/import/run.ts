import { documentOf, hashOfCard } from "../../cards/document.ts";
import { apply, applyOne, type Outcome } from "../../client/apply/index.ts";
import type { Origin } from "../../client/apply/record.ts";
import { ifThere } from "../../client/if-there.ts";
import type { DeckhandError } from "../../errors.ts";
import { type Card, type CardUpdate, isMap, newId, newIds } from "../../schema/index.ts";
import { plainName, withMediaNames } from "../media.ts";
import { placed } from "../place.ts";
import { changedText, type Text, withNewIds } from "../references.ts";
import { createDecks, createTemplates } from "./decks.ts";
import {
  type CardTask,
  changedMeanwhile,
  createdLine,
  idsIn,
  type Job,
  leave,
  type Settings,
  tasksOf,
  textSent,
  uploadOf,
} from "./job.ts";
import { frontKey, isTelling } from "./match.ts";
import type { Stage, StagedCard } from "./stage.ts";
import { carried, emptySummary, type ImportSummary, type ImportTarget } from "./target.ts";
import type { UndoLine } from "./undo-record.ts";

/**
 * Makes of an account what the plan of a stage says: decks, templates, then each card with what belongs to it; at the end
 * references to cards that came later are put right, where ids could not be chosen. Whatever stops it, the next run finds
 * in the record of origins which ids were chosen.
 *
 * @throws DeckhandError where it cannot go on: it can be run again
 */
export async function importStaged(stage: Stage, target: ImportTarget): Promise<ImportSummary> {
  const summary = emptySummary();
  const { source } = stage;
  const decks = await createDecks(source, target, summary);
  const templates = await createTemplates(source, target, summary);
  const [ids, attachmentList] = [
    await target.client.service.has("ids"),
    await target.client.service.has("attachment-list"),
  ];
  await new CardRun({ stage, target, decks, templates, ids, attachmentList }, summary).run();
  return summary;
}

/** Rows of the record that are written together: each time touches pages all over its tables. */
const recordedAtOnce = 4_000;

class CardRun {
  readonly #settings: Settings;
  readonly #summary: ImportSummary;
  #confirmed: Origin[] = [];
  /** What the service made of those that were created, for the undo. */
  #created: UndoLine[] = [];

  constructor(settings: Settings, summary: ImportSummary) {
    this.#settings = settings;
    this.#summary = summary;
  }

  async run(): Promise<void> {
    const { stage } = this.#settings;
    this.#chooseIds();
    try {
      for await (const { task, outcome } of apply(this.#tasks(), this.#applyTarget()))
        await this.#settled(task, outcome);
      for (const rows of stage.rows("refers = 1 and (kind = 'same' or made = 1)"))
        for (const row of rows) await this.#putReferencesRight(this.#jobOf(row));
    } finally {
      this.#write();
    }
  }

  #applyTarget() {
    const { target, ids } = this.#settings;
    return {
      client: target.client,
      signal: target.signal,
      beforeSend: (tasks: readonly CardTask[]) => {
        // An id that only stands for the one that the service gives says nothing to another run.
        const known = tasks.filter(({ operation: { kind } }) => ids || kind !== "cards.create");
        target.undo.note(...known.flatMap(({ tag: { note } }) => note ?? []));
      },
    };
  }

  /** Before anything is sent, so that cards may refer to those after them. A run that was stopped has chosen before. */
  #chooseIds(): void {
    const { stage, target, ids } = this.#settings;
    const begun = new Map<string, string>();
    for (const source of new Set(["", target.origin]))
      for (const { key, id, done } of target.record.bySource(source))
        if (!done) begun.set(`${source} ${key}`, id);
    for (const rows of stage.rows("kind = 'new'", recordedAtOnce)) {
      const fresh = newIds(rows.length);
      const chosen = rows.map((row, index) => {
        const known = this.#knownBy(row);
        const id = (known && begun.get(`${known.source} ${known.key}`)) ?? fresh[index] ?? newId();
        stage.run("update source set id = ? where number = ?", id, row.number);
        return { row, known, id, written: undefined };
      });
      if (ids) target.record.put(chosen.flatMap((each) => originOf(each, false)));
    }
  }

  #knownBy(row: StagedCard): Job["known"] {
    const { stage, target, decks } = this.#settings;
    const { key, deck, front } = row;
    if (isTelling(key)) return { source: "", key };
    const account = deck === null ? target.deck : decks.get(deck);
    if (account === undefined || front === null || stage.hasTwin(row)) return undefined;
    return { source: target.origin, key: frontKey(account, front) };
  }

  #jobOf(row: StagedCard): Job {
    const { stage, target } = this.#settings;
    const [card, known] = [stage.card(row.number), this.#knownBy(row)];
    // What the record says of a source that stayed as it was stays, too: the card may have been edited in the account.
    const before = row.kind === "same" && known ? target.record.find(known.source, known.key) : undefined;
    const isKnown = before?.done === true && before.id === row.id && before.read === row.read;
    const written =
      row.kind === "new" || isKnown
        ? undefined
        : stage.value<string | undefined>("select hash from there where id = ?", row.id);
    return { row, card, known, id: row.id ?? newId(), failed: false, written, renamed: new Map() };
  }

  async *#tasks(): AsyncGenerator<CardTask> {
    const { stage, target } = this.#settings;
    for (const rows of stage.rows(carried(target.mode)))
      for (const row of rows) {
        const job = this.#jobOf(row);
        const tasks = await tasksOf(job, this.#settings);
        if (tasks === undefined) continue;
        if (row.kind === "same") this.#summary.unchanged++;
        const last = tasks.pop();
        yield* tasks;
        if (last === undefined) await this.#finish(job);
        else yield { ...last, tag: { ...last.tag, last: true } };
      }
  }

  async #settled(task: CardTask, outcome: Outcome): Promise<void> {
    const { job, last } = task.tag;
    if (outcome.state === "done") await this.#done(task, outcome);
    else if (!job.failed) await this.#refused(task, outcome.error);
    if (last) await this.#finish(job);
  }

  async #done({ operation, tag: { job, reviews = [] } }: CardTask, { id, document }: Done): Promise<void> {
    const { stage, target, ids } = this.#settings;
    const summary = this.#summary;
    if (operation.kind === "cards.create") {
      summary.cards++;
      const sent = job.written;
      job.id = id;
      job.written = (await hashIn(document)) ?? sent;
      if (!ids || sent !== job.written) this.#created.push(createdLine(job));
      if (!ids) {
        stage.run("update source set id = ?, made = 1 where number = ?", id, job.row.number);
        target.record.put(originOf(job, false));
        this.#write();
      }
    } else if (operation.kind === "cards.update") {
      summary.updated++;
      job.written = (await hashIn(document)) ?? job.written;
      stage.run("update source set made = 1 where number = ?", job.row.number);
    } else if (operation.kind === "reviews.add") {
      summary.reviews += reviews.length;
    } else summary.attachments++;
  }

  async #refused({ operation, tag: { job, file } }: CardTask, error: DeckhandError): Promise<void> {
    const { target, ids } = this.#settings;
    // What belongs to a card fails with it.
    job.failed = operation.kind === "cards.create" || operation.kind === "cards.update";
    // The id is taken by another card; otherwise it is kept, since cards may name it.
    if (operation.kind === "cards.create" && ids && error.status === 409) target.record.remove([job.id]);
    if (operation.kind === "cards.update" && error.status === 412)
      return void leave(job, target, changedMeanwhile);
    const name = file?.fileName.normalize("NFC") ?? "";
    const plain = plainName(name);
    if (file !== undefined && error.code === "validation" && name !== plain) {
      const task = { kind: "attachments.add", id: job.id, file: uploadOf(file, plain) } as const;
      const again = await applyOne({ operation: task, tag: { job, last: false } }, this.#applyTarget());
      if (again.state === "done") {
        job.renamed.set(name, plain);
        this.#summary.attachments++;
        return;
      }
    }
    this.#fail(error, file?.place ?? job.card.place);
  }

  async #finish(job: Job): Promise<void> {
    const { target } = this.#settings;
    if (!job.failed) {
      if (job.renamed.size > 0)
        await this.#changeText(job, (text) => ({
          content: withMediaNames(text.content ?? "", job.renamed),
          ...(text.fields == null ? {} : { fields: renamedFields(text, job.renamed) }),
        }));
      this.#confirm(job);
    }
    target.progress(job.row.number);
  }

  /** Notes that all of a card is there. */
  #confirm(job: Job): void {
    if (job.written === undefined) return;
    this.#confirmed.push(...originOf(job, true));
    if (!this.#settings.ids || this.#confirmed.length >= recordedAtOnce) this.#write();
  }

  #write(): void {
    const { undo, record } = this.#settings.target;
    undo.note(...this.#created);
    record.put(this.#confirmed);
    [this.#created, this.#confirmed] = [[], []];
  }

  async #putReferencesRight(job: Job): Promise<void> {
    const ids = idsIn(this.#settings);
    const text = textSent(job, this.#settings);
    if (text === undefined || Object.keys(changedText(text, withNewIds(text, ids))).length === 0) return;
    await this.#changeText(job, (text) => withNewIds(text, ids));
    this.#confirm(job);
  }

  /** It may have been edited since it was made, also while this import runs: only the names in it are changed. */
  async #changeText(job: Job, rewritten: (text: Text) => Text): Promise<void> {
    const there = await ifThere(this.#settings.target.client.cards.get(job.id));
    const body = there === undefined ? {} : changedText(there, rewritten(there));
    if (there === undefined || Object.keys(body).length === 0) return;
    const operation = { kind: "cards.update", id: job.id, body: body as CardUpdate } as const;
    const was = await documentOf(there);
    const to = await hashOfCard({ ...there, ...body } as Card);
    const note: UndoLine | undefined =
      job.row.kind === "new"
        ? undefined
        : { updated: job.id, was, trashed: there["trashed?"] ?? null, to, untouched: true };
    const outcome = await applyOne({ operation, tag: { job, note, last: false } }, this.#applyTarget());
    if (outcome.state === "refused") return this.#fail(outcome.error, job.card.place);
    job.written = (await hashIn(outcome.document)) ?? to;
    if (job.row.kind === "new") this.#settings.target.undo.note({ card: job.id, hash: job.written });
  }

  #fail(error: DeckhandError, place: string): void {
    this.#summary.failed++;
    this.#settings.target.failed(placed(error, place));
  }
}

type Done = Extract<Outcome, { readonly state: "done" }>;

/** `hashOfDocument` of a card, where the service returned all of it. */
const hashIn = async (document: unknown): Promise<string | undefined> =>
  isMap(document) && typeof document["content"] === "string" ? hashOfCard(document as Card) : undefined;

type Known = Pick<Job, "known" | "id" | "written" | "row">;

const originOf = ({ known, id, written, row }: Known, done: boolean): Origin[] =>
  known === undefined ? [] : [{ ...known, id, written, read: row.read, done, archived: false }];

function renamedFields({ fields }: Text, renamed: ReadonlyMap<string, string>) {
  const entries = Object.entries(fields ?? {}).map(([id, field]) => [
    id,
    { id, value: withMediaNames(field?.value ?? "", renamed) },
  ]);
  return Object.fromEntries(entries);
}
