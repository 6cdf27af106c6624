import { DeckhandError } from "../../errors.ts";
import { madeUpCount, sentReviews } from "../history.ts";
import { plainName, typeOf, withMediaNames } from "../media.ts";
import type { SourceAttachment, SourceCard, SourceReview } from "../model.ts";
import { noteCard } from "./known.ts";
import type { Result } from "./ledger.ts";
import { reviewsAfter } from "./newer-reviews.ts";
import type { ImportSummary, ImportTarget } from "./target.ts";

/** Of the files of a source's card, those that are not stored, and those that are stored with another size. */
export function compareFiles(
  files: readonly SourceAttachment[],
  stored: readonly { readonly "file-name": string; readonly size?: number | null | undefined }[],
): { readonly missing: readonly SourceAttachment[]; readonly others: readonly SourceAttachment[] } {
  const missing: SourceAttachment[] = [];
  const others: SourceAttachment[] = [];
  for (const file of files) {
    const names = [file.fileName.normalize("NFC"), plainName(file.fileName)];
    const there = stored.find((each) => names.includes(each["file-name"]));
    if (there === undefined) missing.push(file);
    else if (file.size !== undefined && there.size !== file.size) others.push(file);
  }
  return { missing, others };
}

/** What the journal calls an attachment of a card. */
export const fileItem = (number: number, name: string): string =>
  `card ${number} file ${name.normalize("NFC")}`;

/** Reviews in one request: services limit the values of a body. */
const batch = 500;

/**
 * A service limits the reviews and attachments of a card with 403, which elsewhere ends an import: here only the history
 * or the attachment fails.
 */
function refused(error: unknown): never {
  if (!(error instanceof DeckhandError) || error.code !== "forbidden") throw error;
  throw new DeckhandError("refused", error.message, { status: error.status, cause: error });
}

/** A card of the source that the account has. */
interface CardThere {
  readonly id: string;
  /** In the source, from 1. */
  readonly number: number;
  /** As in `HistoryMatch`. */
  readonly since: string | undefined;
  /** Whether the import changed it. */
  readonly isChanged: boolean;
}

/** What belongs to a card and is made after it: attachments, the review history, the trash. */
export class Belongings {
  readonly #target: ImportTarget;
  readonly #summary: ImportSummary;
  readonly #fail: (error: DeckhandError, place: string) => void;

  constructor(
    target: ImportTarget,
    summary: ImportSummary,
    fail: (error: DeckhandError, place: string) => void,
  ) {
    this.#target = target;
    this.#summary = summary;
    this.#fail = fail;
  }

  /** Of a card that was created. */
  async add(card: SourceCard, id: string, number: number): Promise<void> {
    await this.#attachments(card, card.attachments ?? [], id, number);
    await this.#reviews(card, id, number);
    await this.#trash(card, id, number);
  }

  /**
   * Of a card that was there: newer reviews, and attachments that it lacks. One of another size may have been changed in
   * the account: it is replaced only if the user wants that.
   */
  async update(card: SourceCard, { id, number, since, isChanged }: CardThere): Promise<void> {
    const { client, attachmentList, overwrite } = this.#target;
    if (since !== undefined) await this.#reviews(card, id, number, since);
    const files = card.attachments ?? [];
    if (files.length === 0) return;
    if (!attachmentList) {
      // What is stored cannot be looked up: those of a card that did not change are there.
      if (isChanged) await this.#attachments(card, files, id, number);
      return;
    }
    const { missing, others } = compareFiles(files, await client.attachments.list(id).send());
    await this.#attachments(card, missing, id, number);
    if (overwrite) await this.#attachments(card, others, id, number, "replace");
    else if (others.length > 0) this.#target.leftFiles(card, id, others);
  }

  /** A name that the service refuses is replaced by one that every service takes, and the card's links with it. */
  async #attachments(
    card: SourceCard,
    files: readonly SourceAttachment[],
    id: string,
    number: number,
    purpose: "add" | "replace" = "add",
  ): Promise<void> {
    const renamed = new Map<string, string>();
    for (const file of files) {
      const name = file.fileName.normalize("NFC");
      let result = await this.#attachment(file, name, { id, number, purpose });
      if (result.state === "failed" && result.error.code === "validation" && name !== plainName(name)) {
        const plain = plainName(name);
        const again = await this.#attachment(file, plain, { id, number, purpose });
        if (again.state === "done") {
          renamed.set(name, plain);
          result = again;
        }
      }
      if (result.state === "failed") this.#fail(result.error, file.place);
      else if (!result.before) this.#summary.attachments++;
    }
    if (renamed.size > 0) await this.#relink(card, renamed, id, number);
  }

  async #relink(
    card: SourceCard,
    renamed: ReadonlyMap<string, string>,
    id: string,
    number: number,
  ): Promise<void> {
    const { client, ledger, known } = this.#target;
    const result = await ledger.perform({
      item: `card ${number} links`,
      sent: [...renamed],
      send: async () => {
        const there = await client.cards.get(id).send();
        const content = withMediaNames(there.content ?? "", renamed);
        const fields = Object.entries(there.fields ?? {}).map(([key, field]) => [
          key,
          { id: key, value: withMediaNames(field?.value ?? "", renamed) },
        ]);
        const update = { content, ...(fields.length > 0 ? { fields: Object.fromEntries(fields) } : {}) };
        return { of: id, card: noteCard(known, card.key, await client.cards.update(id, update).send()) };
      },
    });
    if (result.state === "failed") this.#fail(result.error, card.place);
  }

  /** @param since of a card that was there, as in `HistoryMatch` */
  async #reviews(card: SourceCard, id: string, number: number, since?: string): Promise<void> {
    const { ledger } = this.#target;
    const reviews = card.reviews ?? [];
    // The plan says where the service records none.
    if (reviews.length === 0 || !this.#target.reviews) return;
    let added: readonly SourceReview[] = [];
    const result = await ledger.perform({
      item: `card ${number} reviews`,
      sent: reviews,
      send: async () => {
        added =
          since === undefined
            ? await this.#unsent(reviews, id)
            : await this.#missing(reviewsAfter(reviews, since), id);
        await this.#send(added, id);
        return { reviews: reviews.length };
      },
    });
    if (result.state === "failed") return this.#fail(result.error, card.place);
    if (result.before) return;
    this.#summary.reviews += added.length;
    this.#summary["due-dates"] += madeUpCount(added);
  }

  /**
   * The history of a card that the import created. The service keeps equal instants once; one that is made up may have
   * been sent by an earlier run, with another.
   */
  async #unsent(reviews: readonly SourceReview[], id: string): Promise<readonly SourceReview[]> {
    const { client, ledger } = this.#target;
    if (!ledger.journal?.resumed || madeUpCount(reviews) === 0) return reviews;
    const there = (await client.cards.get(id).send()).reviews ?? [];
    return there.length === 0 ? reviews : [];
  }

  /** The reviews that a card that was there lacks. The journal has them before they are sent: an undo removes them. */
  async #missing(reviews: readonly SourceReview[], id: string): Promise<readonly SourceReview[]> {
    const { client, ledger, now } = this.#target;
    if (reviews.length === 0) return reviews;
    const there = (await client.cards.get(id).send()).reviews ?? [];
    const dates = new Set(there.map(({ date }) => Date.parse(date ?? "")));
    const missing = reviews.filter(({ date }) => !dates.has(Date.parse(date)));
    const sent = sentReviews(missing, now).map(({ date }) => date);
    if (sent.length > 0) ledger.journal?.noteReviews({ card: id, had: there.length, dates: sent });
    return missing;
  }

  async #send(reviews: readonly SourceReview[], id: string): Promise<void> {
    const sent = sentReviews(reviews, this.#target.now);
    for (let at = 0; at < sent.length; at += batch) {
      const some = sent.slice(at, at + batch);
      await this.#target.client.reviews
        .add(
          id,
          some.map((review) => ({ ...review, "remembered?": review["remembered?"] ?? false })),
        )
        .send()
        .catch(refused);
    }
  }

  async #trash(card: SourceCard, id: string, number: number): Promise<void> {
    const { client, ledger, known } = this.#target;
    if (card.trashed === undefined) return;
    const body = { "trashed?": card.trashed };
    const result = await ledger.perform({
      item: `card ${number} trashed`,
      sent: body,
      send: async () => {
        return { of: id, card: noteCard(known, card.key, await client.cards.update(id, body).send()) };
      },
    });
    if (result.state === "failed") this.#fail(result.error, card.place);
  }

  #attachment(
    file: SourceAttachment,
    name: string,
    {
      id,
      number,
      purpose,
    }: { readonly id: string; readonly number: number; readonly purpose: "add" | "replace" },
  ): Promise<Result> {
    const { client, ledger, attachmentList } = this.#target;
    // An undo removes what is `on` a card. One that was replaced stays: what it was is gone.
    const done = purpose === "add" ? { on: id } : {};
    const call = client.attachments.add(id, {
      fileName: name,
      contentType: file.type ?? typeOf(name),
      source: async () => ({ stream: await file.open(), size: file.size }),
    });
    return ledger.perform({
      item: fileItem(number, name),
      sent: [name, file.size ?? null],
      send: async () => {
        await call.send().catch(refused);
        return done;
      },
      // A file replaces one with its name: where it cannot be looked up it is sent again.
      settle: async () => {
        if (!attachmentList) return undefined;
        const stored = await client.attachments.list(id).send();
        return stored.some((each) => each["file-name"] === name && each.size === file.size)
          ? done
          : undefined;
      },
    });
  }
}
