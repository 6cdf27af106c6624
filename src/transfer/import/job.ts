import { contentTypeOf } from "../../cards/content-type.ts";
import {
  type CardDocument,
  differences,
  documentOf,
  documentOfBody,
  fieldsOf,
  hashOfDocument,
  updateBody,
  type WantedDocument,
} from "../../cards/document.ts";
import type { Task } from "../../client/apply/index.ts";
import type { Origin } from "../../client/apply/record.ts";
import { ifThere } from "../../client/if-there.ts";
import type { CardCreate, CardUpdate } from "../../schema/index.ts";
import { newerReviews, sentReviews } from "../history.ts";
import type { SourceAttachment, SourceCard, SourceReview } from "../model.ts";
import { broken } from "../place.ts";
import { type Text, withNewIds } from "../references.ts";
import { filesToSend } from "./files.ts";
import { isTelling } from "./match.ts";
import type { Stage, StagedCard } from "./stage.ts";
import type { ImportTarget } from "./target.ts";
import type { UndoLine } from "./undo-record.ts";
import { comparable, wantedBeside, wantedOf } from "./wanted.ts";

/** A card on its way. What is mutable is learned as its operations are carried out. */
export interface Job {
  readonly row: StagedCard;
  readonly card: SourceCard;
  /** What the record knows it by; undefined where nothing tells it from others. */
  readonly known: Pick<Origin, "source" | "key"> | undefined;
  id: string;
  /** `hashOfDocument` of what it became. */
  written: string | undefined;
  failed: boolean;
  /** Files that got another name. */
  readonly renamed: Map<string, string>;
}

interface Tag {
  readonly job: Job;
  /** What an undo has to know before it is sent. */
  readonly note?: UndoLine | undefined;
  readonly file?: SourceAttachment;
  readonly reviews?: readonly SourceReview[];
  /** Whether it is the last operation of its card. */
  readonly last: boolean;
}

export type CardTask = Task<Tag>;

export interface Settings {
  readonly stage: Stage;
  readonly target: ImportTarget;
  /** The ids of decks and templates by their keys in the source. */
  readonly decks: ReadonlyMap<string, string>;
  readonly templates: ReadonlyMap<string, string>;
  /** Whether the service takes the ids that are chosen here. */
  readonly ids: boolean;
  readonly attachmentList: boolean;
}

/** Ids of cards by their keys in the source: a service without `ids` has not given all of them yet. */
export function idsIn({ stage, ids }: Pick<Settings, "stage" | "ids">) {
  const given = ids ? "" : "and (kind <> 'new' or made = 1)";
  return {
    get: (key: string) =>
      stage.value<string | undefined>(
        `select id from source where key = ? and id is not null ${given} order by number limit 1`,
        key,
      ),
  };
}

/** The operations of a card, in order; undefined where it is left after all, which the target was told. */
export async function tasksOf(job: Job, settings: Settings): Promise<CardTask[] | undefined> {
  const { row } = job;
  const tasks: CardTask[] = [];
  if (row.kind === "new") tasks.push(creation(job, settings));
  else if (row.kind !== "same") {
    const task = await update(job, settings);
    if (task === "left") return undefined;
    if (task !== undefined) tasks.push(task);
  }
  return [...tasks, ...reviews(job, settings), ...files(job, settings)];
}

/** The text of a card that this run left on the service, where it may name cards by ids that are not the last word. */
export function textSent({ row, card, id }: Job, { stage, ids }: Settings): Text | undefined {
  if (row.kind !== "same") return ids ? undefined : card.body;
  const { content, fields }: CardDocument = JSON.parse(
    stage.value<string>("select document from there where id = ?", id),
  );
  return { content, fields: fieldsOf(fields) };
}

function creation(job: Job, settings: Settings): CardTask {
  const { row, card, id } = job;
  const { target, decks, templates } = settings;
  const deck = row.deck === null ? target.deck : decks.get(row.deck);
  if (deck === undefined) throw broken(card.place, "it has no deck");
  const template =
    card.template && ("id" in card.template ? card.template.id : templates.get(card.template.key));
  const body: CardCreate = {
    ...withNewIds(card.body, idsIn(settings)),
    "deck-id": deck,
    ...(template === undefined ? {} : { "template-id": template }),
  };
  job.written = hashOfDocument(documentOfBody(body, { deck, template: template ?? null, pos: null }));
  const note = createdLine(job);
  const operation = { kind: "cards.create", id, body, trashed: card.trashed } as const;
  return { operation, tag: { job, note, last: false } };
}

/** What an undo has to know of a card that the import creates. */
export const createdLine = ({ id, written, card }: Job): UndoLine => ({
  card: id,
  hash: written,
  reviews: card.reviews?.length ?? 0,
  files: card.attachments?.length ?? 0,
});

/** The card as it was is recorded first, and only what differs is sent; it is left if it changed after it was compared. */
async function update(job: Job, settings: Settings): Promise<CardTask | "left" | undefined> {
  const { row, card, id } = job;
  const { stage, target } = settings;
  const partial = stage.source.partial ?? false;
  let entityTag: string | undefined;
  const now = await ifThere(
    target.client.cards.get(id, (tag) => {
      entityTag = tag;
    }),
  );
  const was = now && (await documentOf(now));
  if (now === undefined || was === undefined)
    return leave(job, target, "it was deleted while this import ran");
  if (hashOfDocument(was) !== stage.value("select hash from there where id = ?", id))
    return leave(job, target, changedMeanwhile);
  const body = withNewIds(card.body, idsIn(settings));
  const said = wantedBeside(wantedOf({ body }, partial), was, partial);
  const wanted = isTelling(row.key) ? said : { ...said, pos: undefined };
  const parts = differences(comparable(was), comparable(wanted));
  const changes = Object.fromEntries(parts.map((part) => [part, wanted[part]])) as WantedDocument;
  const state =
    !partial && (card.trashed !== undefined) !== (now["trashed?"] != null)
      ? { "trashed?": card.trashed ?? null }
      : {};
  const update: CardUpdate = { ...updateBody(was, changes), ...state };
  job.written = hashOfDocument({ ...was, ...changes } as typeof was);
  if (Object.keys(update).length === 0) return undefined;
  const untouched = row.kind === "changed";
  const note = { updated: id, was, trashed: now["trashed?"] ?? null, to: job.written, untouched };
  const operation = { kind: "cards.update", id, body: update, ifMatch: entityTag } as const;
  return { operation, tag: { job, note, last: false } };
}

export const changedMeanwhile = "it was changed in the collection while this import ran";

export function leave({ row, card }: Job, target: ImportTarget, why: string): "left" {
  target.left({ card, id: row.id, why });
  return "left";
}

function reviews(job: Job, { stage, target }: Settings): CardTask[] {
  const { row, card, id } = job;
  const last = row.kind === "new" ? "" : stage.value<string>("select reviewed from there where id = ?", id);
  const added = newerReviews(card.reviews ?? [], last);
  if (added.length === 0) return [];
  const sent = sentReviews(added, target.now).map((review) => ({
    ...review,
    "remembered?": review["remembered?"] ?? false,
  }));
  return [
    { operation: { kind: "reviews.add", id, reviews: sent }, tag: { job, reviews: added, last: false } },
  ];
}

function files(job: Job, { stage, target, attachmentList }: Settings): CardTask[] {
  const { row, card, id } = job;
  const { missing, others } = filesToSend(stage, row, card.attachments ?? [], attachmentList, target.mode);
  if (others.length > 0 && !target.mode.overwrite) {
    const names = others.map(({ fileName }) => fileName).join(", ");
    const why = others.length === 1 ? "it is another file" : "they are other files";
    target.left({ card, id, why: `${names}: ${why} in the collection` });
  }
  return [...missing, ...(target.mode.overwrite ? others : [])].map((file) => ({
    operation: { kind: "attachments.add", id, file: uploadOf(file, file.fileName.normalize("NFC")) },
    tag: { job, file, last: false },
  }));
}

export const uploadOf = (file: SourceAttachment, fileName: string) => ({
  fileName,
  contentType: file.type ?? contentTypeOf(fileName),
  source: async () => ({ stream: await file.open(), size: file.size }),
});
