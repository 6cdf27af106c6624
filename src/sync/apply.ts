import { type CardDocument, hashOfDocument, updateBody } from "../cards/document.ts";
import { ifThere } from "../client/if-there.ts";
import type { DiskFile, Ready, Write, WrittenFile } from "../folder/changes.ts";
import { filesFolder } from "../folder/layout.ts";
import { neverUnchanged, type Stat } from "../folder/stat.ts";
import type { Card } from "../schema/index.ts";
import { embeddedFiles, FilesBeside } from "../transfer/formats/beside.ts";
import { templateNames } from "../transfer/formats/markdown/write.ts";
import { cardStem } from "../transfer/formats/markdown/write-files.ts";
import type { DeckApplier } from "./apply-decks.ts";
import { hasSameFiles } from "./apply-files.ts";
import { CardPlaces } from "./card-places.ts";
import { cardText } from "./card-text.ts";
import { createCards, noFolder } from "./create.ts";
import { docOfCard } from "./doc.ts";
import { type Applied, again, done, left, refused, type Sides, unlessUnusable } from "./outcome.ts";
import { withoutId } from "./state.ts";
import type { Agreed, CardChange, FileCard, Outcome, ServiceCard } from "./types.ts";

/** How many files are written together. */
const mostReady = 200;
/** A deck that was created since the decks were listed has a folder in the next round. */
const withoutFolder: Outcome = {
  state: "again",
  note: "its deck was deleted; `deckhand cards move` gives it another",
};

/** A change of a card that both sides have. */
type Paired = CardChange & { readonly id: string; readonly file: FileCard };

const isPaired = (change: CardChange): change is Paired =>
  change.id !== undefined && change.file !== undefined;

/** What came of a change; `ready` while its file is not written. */
type Begun = Outcome | "ready";

/** Carries out changes of cards, each only if both sides still are as they were scanned. */
export class CardApplier {
  readonly #sides: Sides;
  readonly #decks: DeckApplier;
  readonly #places: CardPlaces;
  readonly #beside: FilesBeside;
  readonly #templateName: (id: string) => string;
  /** Changes whose files are prepared and not written yet. */
  #ready: { readonly change: CardChange; readonly write: Ready<Agreed> }[] = [];

  constructor(sides: Sides, decks: DeckApplier) {
    this.#sides = sides;
    this.#decks = decks;
    this.#places = new CardPlaces(sides, decks);
    this.#beside = new FilesBeside(sides.folder.root);
    this.#templateName = templateNames(sides.service.templates);
  }

  /** Creations come last: they are sent together. */
  async *applyAll(changes: readonly CardChange[]): AsyncGenerator<Applied> {
    const isCreation = ({ op, side }: CardChange) => op === "create" && side === "service";
    for (const change of changes)
      if (!isCreation(change)) yield* this.#settled(change, await unlessUnusable(this.#carryOut(change)));
    const resolved = (doc: CardDocument) => this.#resolved(doc);
    // The file has no id yet.
    const creations = createCards(this.#sides, changes.filter(isCreation), resolved, (id, { file, to }) =>
      this.#keep(id, file.path, { hash: file.hash, ...withoutId }, to, "created"),
    );
    for await (const each of creations) {
      if ("outcome" in each) yield each;
      else {
        const { change, id, file, to } = each;
        const named = { ...change, id, file, base: undefined };
        yield* this.#settled(change, await unlessUnusable(this.#pull(named, to, to, change)));
      }
    }
    yield* this.#flush();
  }

  async *#settled(change: CardChange, outcome: Begun): AsyncGenerator<Applied> {
    if (outcome !== "ready") yield { change, outcome };
    if (this.#ready.length >= mostReady) yield* this.#flush();
  }

  async #carryOut(change: CardChange): Promise<Begun> {
    const { op, side, id } = change;
    const to = change.to && this.#resolved(change.to);
    if (change.to !== undefined && to === undefined) return noFolder;
    if (op === "forget" && id !== undefined) this.#sides.state.forgetCard(id);
    if (op === "create") return this.#write(change, to);
    if (op === "remove") return side === "service" ? this.#trashCard(change) : this.#trashFile(change);
    if (op === "restore") return this.#restore(change, to);
    if (!isPaired(change)) return done;
    const { file, card } = change;
    if (op === "record" && card !== undefined) this.#keep(change.id, file.path, file, card.doc.read());
    if (to === undefined) return done;
    if (op === "conflict") return this.#pull(change, to, change.card?.doc.read());
    return side === "folder" ? this.#pull(change, to, to) : this.#push(change, to);
  }

  /** Sends the merged card, and where both sides change writes it, too. */
  async #push(change: Paired, to: CardDocument): Promise<Begun> {
    const { card, id, file } = change;
    if (card === undefined) return done;
    const sent = await this.#update(change, card, to);
    if (sent.state !== "done") return sent;
    if (change.side === "service") {
      this.#keep(id, file.path, file, to);
      return done;
    }
    // The scanned file becomes the base: if it is edited before it is written, the next round merges from there.
    const scanned = file.doc && this.#resolved(file.doc.read());
    const known = file.idMissing ? withoutId : neverUnchanged;
    if (scanned !== undefined) this.#keep(id, file.path, { hash: file.hash, ...known }, scanned);
    return this.#pull({ ...change, lost: undefined }, to, to);
  }

  /** Makes the file `to`, and `agreed` the base. @param about the change as it is in the plan */
  async #pull(
    change: Paired,
    to: CardDocument,
    agreed: CardDocument | undefined,
    about: CardChange = change,
  ): Promise<Begun> {
    const { folder } = this.#sides;
    const { id, file } = change;
    if (agreed === undefined) return done;
    const current = folder.read(file.path);
    if (current?.hash !== file.hash) return again;
    // A note that is equal to a card: known before its id is in it, should the card be changed before the next run.
    if (file.idMissing && change.base === undefined && about === change)
      this.#keep(id, file.path, { hash: file.hash, ...withoutId }, agreed);
    const text = await this.#text(id, to, file.path, current);
    const path = await this.#places.moved(file.path, to.deck);
    if (path === undefined) return withoutFolder;
    await this.#keepLost(change);
    // A file with markers is not what both sides agree on: it is read each time, whatever its times are.
    const known = (each: WrittenFile) => (to === agreed ? each : { ...each, ...neverUnchanged });
    if (Buffer.from(text).equals(current.bytes)) {
      this.#keep(id, path, known(current), agreed);
      return done;
    }
    // With markers it has both texts, of which --prefer chose one.
    const kept = file.marked === true;
    const write = { content: text, expected: file.hash, kept, ...this.#agreed(id, path, agreed, known) };
    return this.#put(about, write);
  }

  async #write(change: CardChange, to: CardDocument | undefined): Promise<Begun> {
    const { id, card } = change;
    if (id === undefined || card === undefined || to === undefined) return done;
    const path = this.#places.free(to.deck, `${cardStem({ id, name: card.name } as Card)}.md`);
    if (path === undefined) return withoutFolder;
    const content = await this.#text(id, to, path, undefined);
    return this.#put(change, { content, ...this.#agreed(id, path, to) });
  }

  async #trashCard({ id, card, base: known }: CardChange): Promise<Outcome> {
    const { state, client, folder, step, now, scan, serviceFiles } = this.#sides;
    if (id === undefined || card === undefined) return done;
    // A file that appeared after the scan may be this card's own. One that the scan found is another card's.
    if (known !== undefined && folder.exists(known.path)) {
      const scanned = scan.files.others.find((file) => file.path === known.path)?.hash;
      if (scanned === undefined || folder.read(known.path)?.hash !== scanned) return again;
    }
    await step(`compare the card ${id}`);
    const seen = await this.#seen(card);
    const hasOnlyScanned = () => hasSameFiles(client, id, serviceFiles.byCard.get(id));
    if (seen === undefined || !(await hasOnlyScanned())) return again;
    try {
      await step(`trash the card ${id}`);
      await client.cards.update(id, { "trashed?": new Date(now()).toISOString() }, seen.tag);
      await step(`record the trashed card ${id}`);
    } catch (error) {
      return refused(error);
    }
    if (known !== undefined && !folder.exists(known.path))
      folder.trashFiles(filesFolder(known.path), (at) => scan.hasOnlyKnown(id, known.path, at));
    state.forgetCard(id);
    return done;
  }

  async #trashFile({ id, file }: CardChange): Promise<Outcome> {
    const { state, client, folder, service, scan } = this.#sides;
    if (id === undefined || file === undefined) return done;
    const card = await ifThere(client.cards.get(id));
    if (card !== undefined && card["trashed?"] == null && !service.inTrash(card["deck-id"] ?? null))
      return left("its card is not among those that are synced");
    const isKnown = (at: string) => scan.hasOnlyKnown(id, file.path, at);
    if (!(await folder.trash(file.path, file.hash, isKnown))) return again;
    state.forgetCard(id);
    return done;
  }

  /** Takes a card out of the trash; the next round merges what both sides changed. */
  async #restore(change: CardChange, to: CardDocument | undefined): Promise<Outcome> {
    const { inTrash } = this.#sides.service;
    const { card } = change;
    if (card === undefined || to === undefined) return done;
    if (inTrash(to.deck)) return left("its deck is in the trash of the collection");
    const doc = card.doc.read();
    // In a deck that is in the trash it would still be there.
    const place = inTrash(doc.deck) ? { ...doc, deck: to.deck } : doc;
    const sent = await this.#update(change, card, place, { "trashed?": null });
    return sent.state === "done" ? again : sent;
  }

  /** Makes a card of the service `to` if it still is as it was scanned. */
  async #update(
    change: CardChange,
    card: ServiceCard,
    to: CardDocument,
    more: { readonly "trashed?"?: null } = {},
  ): Promise<Outcome> {
    const { client, step } = this.#sides;
    const changes = { ...updateBody(card.doc.read(), to), ...more };
    if (Object.keys(changes).length === 0) {
      await this.#keepLost(change);
      return done;
    }
    await step(`compare the card ${card.id}`);
    const seen = await this.#seen(card);
    if (seen === undefined) return again;
    await this.#keepLost(change);
    try {
      // A service without entity tags loses an edit that is made here.
      await step(`update the card ${card.id}`);
      await client.cards.update(card.id, changes, seen.tag);
      await step(`record the card ${card.id}`);
      return done;
    } catch (error) {
      return refused(error);
    }
  }

  /** Keeps the text that `--prefer` decided against, after the comparison: a card that was changed meanwhile comes again. */
  async #keepLost({ id, file, lost }: CardChange): Promise<void> {
    if (id === undefined || file === undefined || lost === undefined) return;
    this.#sides.folder.keep(file.path, await this.#text(id, lost, file.path, undefined));
  }

  /** The entity tag of a card, where the service sends one; undefined if the card is not as it was scanned. */
  async #seen(card: ServiceCard): Promise<{ readonly tag: string | undefined } | undefined> {
    const { client, service } = this.#sides;
    let tag: string | undefined;
    const keepTag = (given: string | undefined) => {
      tag = given;
    };
    const current = await ifThere(client.cards.get(card.id, keepTag));
    if (current === undefined) return undefined;
    const trashed = current["trashed?"] != null || service.inTrash(current["deck-id"] ?? null);
    const isSame = trashed === card.trashed && hashOfDocument(await docOfCard(current)) === card.doc.hash;
    return isSame ? { tag } : undefined;
  }

  #text(id: string, doc: CardDocument, path: string, current: DiskFile | undefined): Promise<string> {
    const template = doc.template === null ? undefined : this.#templateName(doc.template);
    return cardText(id, doc, { template, path, beside: this.#beside }, current?.bytes);
  }

  #resolved(doc: CardDocument): CardDocument | undefined {
    if (doc.deck === null) return doc;
    const deck = this.#decks.idOf(doc.deck);
    return deck === undefined ? undefined : { ...doc, deck };
  }

  /** What is recorded when a file is written, with the document that both sides agree on then. */
  #agreed(id: string, path: string, doc: CardDocument, known = (each: WrittenFile) => each) {
    const record = (written: WrittenFile) => this.#keep(id, path, known(written), doc);
    return { path, about: { id, doc }, record };
  }

  /** Prepares a file, which is written together with others. */
  #put(change: CardChange, write: Write<Agreed>): Begun {
    const ready = this.#sides.folder.prepare(write);
    if (ready === undefined) return again;
    this.#ready.push({ change, write: ready });
    return "ready";
  }

  /** Writes the files that are prepared; those that were changed meanwhile are for the next round. */
  async *#flush(): AsyncGenerator<Applied> {
    const ready = this.#ready.splice(0);
    const files = await this.#sides.folder.commit(ready.map(({ write }) => write));
    for (const [index, { change }] of ready.entries())
      yield { change, outcome: files[index] === undefined ? again : done };
  }

  #keep(
    id: string,
    path: string,
    file: Stat & { readonly hash: string },
    doc: CardDocument,
    origin?: "created",
  ): void {
    const { hash, mtime, ctime, size } = file;
    // Where a picture is missing, the next sync reads the note again: it may be there then.
    const times = embeddedFiles(doc.content).length > 0 ? { mtime: 0, ctime: 0 } : { mtime, ctime };
    const entry = { id, path, hash, size, ...times, at: this.#sides.now() };
    this.#sides.state.keepCard(origin ? { ...entry, created: true } : entry, doc);
  }
}
