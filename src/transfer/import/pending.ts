import type { Client } from "../../client/index.ts";
import { madeUpCount } from "../history.ts";
import type { Source, SourceCard } from "../model.ts";
import { compareFiles, fileItem } from "./belongings.ts";
import type { JournalRead } from "./journal-lines.ts";
import { isLeft, type Matches } from "./match.ts";
import { reviewsAfter } from "./newer-reviews.ts";
import { isSameTemplate } from "./same-template.ts";
import type { Scratch, ScratchMap } from "./scratch.ts";

/** What an import has to create besides decks and cards. */
interface Pending {
  readonly templates: number;
  readonly attachments: number;
  /** Bytes, as far as they are known. */
  readonly attachmentBytes: number;
  /** Those that are another file in the account, by their size. */
  readonly otherAttachments: number;
  readonly reviews: number;
  /** How many of the reviews are made up for due dates. */
  readonly dueDates: number;
  /** The first card that is to be created. */
  readonly sample: SourceCard | undefined;
}

interface PendingOptions {
  readonly matches: Matches;
  /** Whether cards that were edited in the account are updated, too. */
  readonly overwrite: boolean;
  /** What an earlier run recorded that this one continues. */
  readonly earlier: Pick<JournalRead, "outcomes"> | undefined;
  readonly client: Client;
  readonly scratch: Scratch;
}

/** Counts what the account lacks of a source of which it has cards, or an earlier run created some. Reads the source once more. */
export async function countPending(
  source: Source,
  { matches, overwrite, earlier, client, scratch }: PendingOptions,
): Promise<Pending> {
  const existing = source.templates.length === 0 ? [] : await client.templates.all();
  const templates = source.templates.filter(
    ({ body }) => !existing.some((each) => isSameTemplate(each, body)),
  );
  let [attachments, attachmentBytes, otherAttachments, reviews, dueDates, number] = [0, 0, 0, 0, 0, 0];
  let stored: StoredFiles | undefined;
  let sample: SourceCard | undefined;
  const isDone = (item: string) => earlier?.outcomes.get(item)?.state === "done";
  for await (const card of source.cards(() => {})) {
    const match = matches.get(++number);
    if (match === undefined && !isDone(`card ${number}`)) sample ??= card;
    const left = match !== undefined && isLeft(match, overwrite);
    // One that was edited in the account alone still gets newer reviews.
    if (left && match.kind !== "kept") continue;
    // What the service cannot record or list would be pending in every import.
    const history = reviewsAfter(card.reviews ?? [], match === undefined ? "" : match.since);
    if (history.length > 0 && !isDone(`card ${number} reviews`) && (await client.service.has("reviews"))) {
      reviews += history.length;
      dueDates += madeUpCount(history);
    }
    const files = left ? [] : (card.attachments ?? []);
    if (files.length === 0) continue;
    if (match !== undefined && !(await client.service.has("attachment-list"))) continue;
    if (match !== undefined) stored ??= await storedFiles(client, scratch);
    const { missing, others } = compareFiles(files, stored?.get(match?.id ?? "") ?? []);
    otherAttachments += others.length;
    for (const { fileName, size } of missing) {
      if (isDone(fileItem(number, fileName))) continue;
      attachments++;
      attachmentBytes += size ?? 0;
    }
  }
  const files = { attachments, attachmentBytes, otherAttachments };
  return { templates: templates.length, ...files, reviews, dueDates, sample };
}

type StoredFiles = ScratchMap<
  readonly { readonly "file-name": string; readonly size?: number | undefined }[]
>;

/** The attachments of each card. */
async function storedFiles(client: Client, scratch: Scratch): Promise<StoredFiles> {
  const stored: StoredFiles = scratch.map();
  for await (const page of client.attachments.all())
    for (const { "card-id": card, "file-name": name, size } of page)
      stored.set(card, [...(stored.get(card) ?? []), { "file-name": name, size: size ?? undefined }]);
  return stored;
}
