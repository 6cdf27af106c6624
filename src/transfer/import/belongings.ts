import type { DeckhandError } from "../../errors.ts";
import { typeOf } from "../media.ts";
import type { SourceAttachment, SourceCard } from "../model.ts";
import type { ImportSummary, ImportTarget } from "./target.ts";

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
    for (const file of card.attachments ?? []) await this.#attachment(file, id, number);
    await this.#reviews(card, id, number);
    await this.#trash(card, id, number);
  }

  /** Of a card that was there: attachments that it lacks, or that differ in size, and the history if it has none. */
  async update(
    card: SourceCard,
    { id, number, isNew }: { readonly id: string; readonly number: number; readonly isNew: boolean },
  ): Promise<void> {
    const { client, attachmentList } = this.#target;
    if (isNew) await this.#reviews(card, id, number);
    const files = card.attachments ?? [];
    if (files.length === 0) return;
    const stored = attachmentList ? await client.attachments.list(id).send() : [];
    for (const file of files) {
      const name = file.fileName.normalize("NFC");
      const there = stored.find((each) => each["file-name"] === name);
      if (there === undefined || (file.size !== undefined && there.size !== file.size))
        await this.#attachment(file, id, number);
    }
  }

  async #reviews(card: SourceCard, id: string, number: number): Promise<void> {
    const { client, ledger, skip } = this.#target;
    const reviews = card.reviews ?? [];
    if (reviews.length === 0) return;
    if (!this.#target.reviews) {
      const why = "the service has no way to record them";
      skip({ place: card.place, what: "review histories", why });
      return;
    }
    const result = await ledger.perform({
      item: `card ${number} reviews`,
      sent: reviews,
      send: async () => {
        for (const review of reviews)
          await client.reviews
            .create(id, { ...review, "remembered?": review["remembered?"] ?? false })
            .send();
        return {};
      },
    });
    if (result.state === "failed") this.#fail(result.error, card.place);
    else if (!result.before) this.#summary.reviews += reviews.length;
  }

  async #trash(card: SourceCard, id: string, number: number): Promise<void> {
    const { client, ledger } = this.#target;
    if (card.trashed === undefined) return;
    const body = { "trashed?": card.trashed };
    const result = await ledger.perform({
      item: `card ${number} trashed`,
      sent: body,
      send: async () => {
        await client.cards.update(id, body).send();
        return {};
      },
    });
    if (result.state === "failed") this.#fail(result.error, card.place);
  }

  async #attachment(file: SourceAttachment, id: string, number: number): Promise<void> {
    const { client, ledger, attachmentList } = this.#target;
    const name = file.fileName.normalize("NFC");
    const call = client.attachments.add(id, {
      fileName: name,
      contentType: file.type ?? typeOf(name),
      source: async () => ({ stream: await file.open(), size: file.size }),
    });
    const result = await ledger.perform({
      item: `card ${number} file ${name}`,
      sent: [name, file.size ?? null],
      send: async () => {
        await call.send();
        return { on: id };
      },
      // A file replaces one with its name: where it cannot be looked up it is sent again.
      settle: async () => {
        if (!attachmentList) return undefined;
        const stored = await client.attachments.list(id).send();
        return stored.some((each) => each["file-name"] === name && each.size === file.size)
          ? { on: id }
          : undefined;
      },
    });
    if (result.state === "failed") this.#fail(result.error, file.place);
    else if (!result.before) this.#summary.attachments++;
  }
}
