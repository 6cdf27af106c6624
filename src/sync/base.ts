import { closeSync, openSync, readSync } from "node:fs";
import { AppendLog, lineOf } from "../files/append-log.ts";
import { writeFileWith } from "../files/atomic-write.ts";
import { isMap } from "../schema/index.ts";
import type { CardEntry, CardLine } from "./base-card.ts";
import { BaseCards } from "./base-cards.ts";
import { readBaseLines } from "./base-lines.ts";
import { hashOfDoc } from "./doc.ts";
import type { BaseDeck, BaseFile, CardDoc, Intent } from "./types.ts";

/** How many earlier documents of a card are known, so that an old checkout is recognised. */
const mostEarlier = 100;
/** A file with this many times the lines that are needed, and a few more, is written anew. */
const [mostTimes, spareLines] = [1.5, 64];
const lineBreak = Buffer.from("\n");

/**
 * The state of a synced folder on this machine: a log of what both sides agreed on, and of the changes under way
 * (docs/design/sync.md, State). In memory are the numbers of `BaseCards`, decks,
 * attachments and open intents.
 */
export class Base {
  readonly cards = new BaseCards((offset) => this.#readLine(offset));
  readonly decks = new Map<string, BaseDeck>();
  /** Attachments as both sides agreed on them last, by the id of their card and their name; only cards with attachments. */
  readonly files = new Map<string, ReadonlyMap<string, BaseFile>>();
  /** Changes whose outcome is not known, by number. */
  readonly open = new Map<number, Intent>();
  /** Ids of cards and decks that the service had, unknown to the folder, before something was created. */
  readonly seen = new Set<string>();
  readonly #path: string;
  /** Undefined where nothing is written. */
  readonly #log: AppendLog | undefined;
  #file: number | undefined;
  #lines = 0;
  #next = 1;
  /** Changes that were open where a line is damaged: what was recorded of them may have been lost. */
  readonly #doubtful = new Set<number>();

  private constructor(path: string, isShown: boolean) {
    this.#path = path;
    this.#log = isShown ? undefined : new AppendLog(path);
  }

  /** @param purpose to `show` a plan changes nothing on the disk */
  static open(path: string, purpose?: "show"): Base {
    const base = new Base(path, purpose === "show");
    for (const { values, offset } of readBaseLines(path)) base.#apply(values, offset);
    return base;
  }

  /** Whether there is none: the folder was not synced with this account from here before. */
  get isEmpty(): boolean {
    return this.cards.size === 0 && this.decks.size === 0;
  }

  /** Whether the folder or the service has what the other lacks, and only this machine knows: ids that no file has yet. */
  get isPending(): boolean {
    return this.open.size > 0 || this.cards.hasUnwritten;
  }

  keepCard(entry: CardEntry, doc: CardDoc): void {
    const before = this.cards.get(entry.id);
    const hash = hashOfDoc(doc);
    const earlier = before === undefined ? [] : [...before.doc.earlier()];
    if (before !== undefined && before.doc.hash !== hash) earlier.push(before.doc.hash);
    const others = earlier.filter((each) => each !== hash).slice(-mostEarlier);
    const card = before?.created ? { ...entry, created: true } : entry;
    // In the order that `readBaseLines` expects.
    this.#write({ card, docHash: hash, doc, earlier: others });
  }

  forgetCard(id: string): void {
    this.#write({ gone: id });
  }

  keepDeck(deck: BaseDeck): void {
    this.#write({ deck });
  }

  /** Records an attachment of a card, or, without one, that neither side has it. */
  keepFile(card: string, name: string, file: BaseFile | undefined): void {
    const files = new Map(this.files.get(card));
    if (file === undefined) files.delete(name);
    else files.set(name, file);
    this.#write({ files: card, named: Object.fromEntries(files) });
  }

  /** Records what the service has before something is created on it. */
  noteSeen(ids: readonly string[]): void {
    const fresh = ids.filter((id) => !this.seen.has(id));
    if (fresh.length > 0) this.#write({ seen: fresh });
  }

  /** Records a change before it is made, synced to the disk. @returns its number, for `end` */
  begin(intent: Intent): number {
    const number = this.#next;
    this.#write({ begin: number, intent });
    this.#log?.sync();
    return number;
  }

  end(number: number): void {
    this.#write({ end: number });
  }

  /**
   * Writes what is needed into a new file, if most of the old one is not. Only while the folder is locked; cards cannot be
   * read after it.
   */
  async compact(): Promise<void> {
    const needed = this.cards.size + this.decks.size + this.files.size + this.open.size;
    if (this.open.size > 0 || this.#lines <= mostTimes * needed + spareLines) return;
    this.#close();
    await writeFileWith(this.#path, async (file) => {
      for (const { values, offset, length } of readBaseLines(this.#path))
        if (isMap(values["card"]) && this.cards.offsetOf(String(values["card"]["id"])) === offset)
          await file.write(Buffer.concat([this.#bytes(offset, length), lineBreak]));
      for (const deck of this.decks.values()) await file.write(lineOf({ deck }));
      for (const [card, named] of this.files)
        await file.write(lineOf({ files: card, named: Object.fromEntries(named) }));
    });
    this.#close();
  }

  close(): void {
    this.#log?.sync();
    this.#close();
  }

  #close(): void {
    this.#log?.close();
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #write(line: Record<string, unknown>): void {
    this.#apply(line, this.#log?.append(line));
  }

  #apply(line: Readonly<Record<string, unknown>>, offset: number | undefined): void {
    this.#lines++;
    if (isCardLine(line)) {
      this.cards.set(line.card, line.docHash, offset ?? line);
    } else if (typeof line["gone"] === "string") {
      this.cards.delete(line["gone"]);
      this.files.delete(line["gone"]);
    } else if (isMap(line["deck"])) {
      const deck = line["deck"] as unknown as BaseDeck;
      this.decks.set(deck.id, deck);
    } else if (typeof line["files"] === "string" && isMap(line["named"])) {
      const named = new Map(Object.entries(line["named"] as Record<string, BaseFile>));
      if (named.size === 0) this.files.delete(line["files"]);
      else this.files.set(line["files"], named);
    } else if (Array.isArray(line["seen"])) for (const id of line["seen"]) this.seen.add(String(id));
    else if (typeof line["begin"] === "number" && isMap(line["intent"])) {
      this.open.set(line["begin"], line["intent"] as unknown as Intent);
      this.#next = line["begin"] + 1;
    } else if (typeof line["end"] === "number") {
      // Stays open, so that this run finds out what became of it; then it ends once more.
      if (!this.#doubtful.delete(line["end"])) this.open.delete(line["end"]);
    } else if (line["damaged"] === true) for (const number of this.open.keys()) this.#doubtful.add(number);
  }

  #readLine(offset: number): CardLine {
    for (let size = 4096; ; size *= 4) {
      const bytes = this.#bytes(offset, size);
      const end = bytes.indexOf(10);
      if (end >= 0 || bytes.length < size)
        return JSON.parse(bytes.toString("utf8", 0, end < 0 ? bytes.length : end));
    }
  }

  #bytes(offset: number, length: number): Buffer {
    this.#file ??= openSync(this.#path, "r");
    const part = Buffer.allocUnsafe(length);
    return part.subarray(0, readSync(this.#file, part, 0, length, offset));
  }
}

/** Cards without these are merged as if they were not in the base. */
function isCardLine(line: unknown): line is CardLine {
  const { card, docHash } = line as Partial<CardLine>;
  return typeof card?.id === "string" && typeof card.path === "string" && typeof docHash === "string";
}
