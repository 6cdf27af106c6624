import { type CardDocument, hashOfDocument, updateBody } from "../cards/document.ts";
import type { Client } from "../client/index.ts";
import { UsageError } from "../errors.ts";
import type { DiskFile, Ready, Write, WrittenFile } from "../folder/changes.ts";
import { filesFolder } from "../folder/layout.ts";
import { neverUnchanged } from "../folder/stat.ts";
import type { Card } from "../schema/index.ts";
import { embeddedFiles, FilesBeside } from "../transfer/formats/beside.ts";
import { cardStem } from "../transfer/formats/markdown/write-files.ts";
import { ifThere } from "../transfer/if-there.ts";
import { hasSameFiles } from "./apply-files.ts";
import { CardPlaces, type PlaceOptions } from "./card-places.ts";
import { cardText } from "./card-text.ts";
import { type Applied, Creations, noFolder } from "./create.ts";
import { docOfCard } from "./doc.ts";
import { again, done, left, refused, withoutFolder } from "./outcome.ts";
import type { State } from "./state.ts";
import type { Agreed, FileCard, Item, Outcome, ServiceCard, ServiceFile } from "./types.ts";

interface ApplyOptions extends PlaceOptions {
  readonly client: Client;
  readonly state: State;
  /** The id of a deck by its key; undefined for a folder that could not become one. */
  deck(key: string): string | undefined;
  /** How files name a template. */
  templateName(id: string): string;
  /** The hash of a file as it was scanned; undefined if there was none. */
  scannedHash(path: string): string | undefined;
  /** The attachments of cards as they were scanned. */
  readonly attachments: ReadonlyMap<string, readonly ServiceFile[]>;
  /** Whether a folder of attachments that was moved has the files that were scanned. */
  sameFolder(scanned: string, at: string): boolean;
  /** Whether a folder of attachments has only files that a card had at the last sync. */
  sameFiles(card: string, at: string): boolean;
  /** Whether a deck is in the trash, so that its cards count as removed. */
  inTrash(deck: string | null): boolean;
  readonly signal?: AbortSignal | undefined;
  now(): number;
}

/** How many files are written together. */
const mostReady = 200;

/** Carries out items of the plan for cards, each only if both sides still are as they were scanned. */
export class CardApplier {
  readonly #options: ApplyOptions;

  readonly #places: CardPlaces;
  readonly #beside: FilesBeside;
  #ready: Ready<Agreed>[] = [];

  constructor(options: ApplyOptions) {
    this.#options = options;
    this.#places = new CardPlaces(options);
    this.#beside = new FilesBeside(options.folder.root);
  }

  async apply(item: Item): Promise<Outcome> {
    try {
      return await this.#carryOut(item);
    } catch (error) {
      // A file that cannot be written: read-only, behind a link.
      if (error instanceof UsageError) return left(error.message, error.hint);
      throw error;
    }
  }

  async #carryOut(item: Item): Promise<Outcome> {
    const to = item.to && this.#resolved(item.to);
    if (item.to !== undefined && to === undefined) return noFolder;
    switch (item.kind) {
      case "adopt":
        return this.record(item);
      case "forget":
        if (item.id !== undefined) this.#options.state.forgetCard(item.id);
        return done;
      case "push":
      case "merge":
        return this.#merge(item, to);
      case "pull":
        return this.#pull(item, to, to);
      case "conflict":
        return this.#pull(item, to, item.card?.doc.read());
      case "write":
        return this.#write(item, to);
      case "trash-card":
        return this.#trashCard(item);
      case "trash-file":
        return this.#trashFile(item);
      case "restore":
        return this.#restore(item, to);
      default:
        return done;
    }
  }

  /** Records that both sides agree. */
  record({ id, file, card }: Item): Outcome {
    if (id !== undefined && file !== undefined && card !== undefined)
      this.#keep(id, file.path, file, card.doc.read());
    return done;
  }

  /** Sends the merged card, and for a `merge` writes it, too. */
  async #merge(item: Item, to: CardDocument | undefined): Promise<Outcome> {
    const { card, id, file } = item;
    if (card === undefined || to === undefined || id === undefined || file === undefined) return done;
    const sent = await this.#update(item, card, to);
    if (sent.state !== "done") return sent;
    if (item.kind === "push") {
      this.#keep(id, file.path, file, to);
      return done;
    }
    // The scanned file becomes the base: if it is edited before it is written, the next round merges from there.
    const scanned = file.doc && this.#resolved(file.doc.read());
    if (scanned !== undefined) this.#keep(id, file.path, { hash: file.hash, ...neverUnchanged }, scanned);
    return this.#pull({ ...item, lost: undefined }, to, to);
  }

  /** Makes the file `to`, and `agreed` the base. */
  async #pull(item: Item, to: CardDocument | undefined, agreed: CardDocument | undefined): Promise<Outcome> {
    const { folder } = this.#options;
    const { id, file } = item;
    if (id === undefined || file === undefined || to === undefined || agreed === undefined) return done;
    const current = folder.read(file.path);
    if (current?.hash !== file.hash) return again;
    // A note that is equal to a card: known before its id is in it, should the card be changed before the next run.
    if (file.idMissing && item.base === undefined)
      this.#keep(id, file.path, { hash: file.hash, ...neverUnchanged }, agreed);
    const text = await this.#text(id, to, file.path, current);
    const path = await this.#places.moved(file.path, to.deck);
    if (path === undefined) return withoutFolder;
    await this.#keepLost(item);
    // A file with markers is not what both sides agree on: it is read each time, whatever its times are.
    const known = (each: WrittenFile) => (to === agreed ? each : { ...each, ...neverUnchanged });
    if (Buffer.from(text).equals(current.bytes)) {
      this.#keep(id, path, known(current), agreed);
      return done;
    }
    return this.#put({ content: text, expected: file.hash, ...this.#agreed(id, path, agreed, known) });
  }

  /** Creates cards of files, and writes their ids into these. */
  async *createAll(items: readonly Item[]): AsyncGenerator<Applied> {
    const resolved = (doc: CardDocument) => this.#resolved(doc);
    const creations = new Creations({ ...this.#options, resolved, keep: (...kept) => this.#keep(...kept) });
    for await (const created of creations.run(items))
      yield "outcome" in created ? created : { ...created, outcome: await this.apply(created.pull) };
  }

  async #write({ id, card }: Item, to: CardDocument | undefined): Promise<Outcome> {
    if (id === undefined || card === undefined || to === undefined) return done;
    const path = this.#places.free(to.deck, `${cardStem({ id, name: card.name } as Card)}.md`);
    if (path === undefined) return withoutFolder;
    const text = await this.#text(id, to, path, undefined);
    return this.#put({ content: text, ...this.#agreed(id, path, to) });
  }

  async #trashCard({ id, card, base: known }: Item): Promise<Outcome> {
    const { state, client, folder, step, now, scannedHash, attachments } = this.#options;
    if (id === undefined || card === undefined) return done;
    // A file that appeared after the scan may be this card's own. One that the scan found is another card's.
    if (known !== undefined && folder.exists(known.path)) {
      const scanned = scannedHash(known.path);
      if (scanned === undefined || folder.read(known.path)?.hash !== scanned) return again;
    }
    await step(`compare the card ${id}`);
    const seen = await this.#seen(card);
    if (seen === undefined || !(await hasSameFiles(client, id, attachments.get(id)))) return again;
    try {
      await step(`trash the card ${id}`);
      await client.cards.update(id, { "trashed?": new Date(now()).toISOString() }, seen.tag).send();
      await step(`record the trashed card ${id}`);
    } catch (error) {
      return refused(error);
    }
    if (known !== undefined && !folder.exists(known.path))
      folder.trashFiles(filesFolder(known.path), (at) => this.#options.sameFiles(id, at));
    state.forgetCard(id);
    return done;
  }

  async #trashFile({ id, file }: Item): Promise<Outcome> {
    const { state, client, folder, inTrash, sameFolder } = this.#options;
    if (id === undefined || file === undefined) return done;
    const card = await ifThere(client.cards.get(id));
    if (card !== undefined && card["trashed?"] == null && !inTrash(card["deck-id"] ?? null))
      return left("its card is not among those that are synced");
    const files = filesFolder(file.path);
    if (!(await folder.trash(file.path, file.hash, (at) => sameFolder(files, at)))) return again;
    state.forgetCard(id);
    return done;
  }

  /** Takes a card out of the trash; the next round merges what both sides changed. */
  async #restore(item: Item, to: CardDocument | undefined): Promise<Outcome> {
    const { card } = item;
    if (card === undefined || to === undefined) return done;
    if (this.#options.inTrash(to.deck)) return left("its deck is in the trash of the collection");
    const doc = card.doc.read();
    // In a deck that is in the trash it would still be there.
    const place = this.#options.inTrash(doc.deck) ? { ...doc, deck: to.deck } : doc;
    const sent = await this.#update(item, card, place, { "trashed?": null });
    return sent.state === "done" ? again : sent;
  }

  /** Makes the card of an item `to` if it still is as it was scanned. */
  async #update(
    item: Item,
    card: ServiceCard,
    to: CardDocument,
    more: { readonly "trashed?"?: null } = {},
  ): Promise<Outcome> {
    const { client, step } = this.#options;
    const changes = { ...updateBody(card.doc.read(), to), ...more };
    if (Object.keys(changes).length === 0) {
      await this.#keepLost(item);
      return done;
    }
    await step(`compare the card ${card.id}`);
    const seen = await this.#seen(card);
    if (seen === undefined) return again;
    await this.#keepLost(item);
    try {
      // A service without entity tags loses an edit that is made here.
      await step(`update the card ${card.id}`);
      await client.cards.update(card.id, changes, seen.tag).send();
      await step(`record the card ${card.id}`);
      return done;
    } catch (error) {
      return refused(error);
    }
  }

  /** Keeps the text that `--prefer` decided against, after the comparison: a card that was changed meanwhile comes again. */
  async #keepLost({ id, file, lost }: Item): Promise<void> {
    if (id === undefined || file === undefined || lost === undefined) return;
    this.#options.folder.keep(file.path, await this.#text(id, lost, file.path, undefined));
  }

  /** The entity tag of a card, where the service sends one; undefined if the card is not as it was scanned. */
  async #seen(card: ServiceCard): Promise<{ readonly tag: string | undefined } | undefined> {
    const { client, inTrash } = this.#options;
    let tag: string | undefined;
    const current = await ifThere(
      client.cards.get(card.id, (given) => {
        tag = given;
      }),
    );
    if (current === undefined) return undefined;
    const trashed = current["trashed?"] != null || inTrash(current["deck-id"] ?? null);
    const isSame = trashed === card.trashed && hashOfDocument(await docOfCard(current)) === card.doc.hash;
    return isSame ? { tag } : undefined;
  }

  #text(id: string, doc: CardDocument, path: string, current: DiskFile | undefined): Promise<string> {
    const template = doc.template === null ? undefined : this.#options.templateName(doc.template);
    return cardText(id, doc, { template, path, beside: this.#beside }, current?.bytes);
  }

  #resolved(doc: CardDocument): CardDocument | undefined {
    if (doc.deck === null) return doc;
    const deck = this.#options.deck(doc.deck);
    return deck === undefined ? undefined : { ...doc, deck };
  }

  /** What is recorded when a file is written, with the document that both sides agree on then. */
  #agreed(id: string, path: string, doc: CardDocument, known = (each: WrittenFile) => each) {
    const record = (written: WrittenFile) => this.#keep(id, path, known(written), doc);
    return { path, about: { id, doc }, record };
  }

  /** Prepares a file, which is written together with others. */
  #put(write: Write<Agreed>): Outcome {
    const ready = this.#options.folder.prepare(write);
    if (ready === undefined) return again;
    this.#ready.push(ready);
    return { state: "ready", path: write.path };
  }

  /**
   * Writes the files that are prepared, if they are many, or `now`.
   *
   * @returns the paths of those that were changed meanwhile; undefined if it is not time
   */
  async flush(now?: "now"): Promise<ReadonlySet<string> | undefined> {
    if (now === undefined && this.#ready.length < mostReady) return undefined;
    const ready = this.#ready.splice(0);
    const files = await this.#options.folder.commit(ready);
    return new Set(ready.flatMap(({ change }, index) => (files[index] === undefined ? [change.path] : [])));
  }

  #keep(id: string, path: string, file: WrittenFile | FileCard, doc: CardDocument, origin?: "created"): void {
    const { hash, mtime, ctime, size } = file;
    // Where a picture is missing, the next sync reads the note again: it may be there then.
    const times = embeddedFiles(doc.content).length > 0 ? { mtime: 0, ctime: 0 } : { mtime, ctime };
    const entry = { id, path, hash, size, ...times, at: this.#options.now() };
    this.#options.state.keepCard(origin ? { ...entry, created: true } : entry, doc);
  }
}
