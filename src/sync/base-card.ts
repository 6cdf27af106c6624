import { justWritten } from "./scan-files.ts";
import type { BaseCard, BaseDoc, CardDoc } from "./types.ts";

/** What a line of the base has of a card. */
export interface CardLine {
  readonly card: CardEntry;
  /** `hashOfDoc` of the document. */
  readonly docHash: string;
  readonly doc: CardDoc;
  /** Hashes of documents that both sides agreed on before. */
  readonly earlier?: readonly string[];
}

/** A card as it was recorded. */
export interface CardEntry {
  readonly id: string;
  readonly path: string;
  /** SHA-256 of the file, in hex. */
  readonly hash: string;
  readonly mtime: number;
  readonly size: number;
  /** When it was recorded, in epoch milliseconds. */
  readonly at: number;
  readonly deck: string | null;
  readonly created?: boolean;
}

/**
 * A card of the base. There may be many: in memory is what shows whether a side has changed, and what is needed only
 * then is read from the disk. It also stands for the file and the card of the service where they have not changed.
 * A copy by `...` has no fields but those in memory.
 */
export class AgreedCard implements BaseCard {
  readonly id: string;
  readonly path: string;
  readonly deck: string | null;
  readonly mtime: number;
  readonly size: number;
  readonly settled: boolean;
  /** That of `doc`. */
  readonly docHash: string;
  /** Where its line begins; the line itself if it is not on the disk. */
  readonly line: number | CardLine;
  readonly #read: (offset: number) => CardLine;

  constructor(
    { card, docHash }: Pick<CardLine, "card" | "docHash">,
    line: number | CardLine,
    read: (offset: number) => CardLine,
  ) {
    this.id = card.id;
    this.path = card.path;
    this.deck = card.deck;
    this.mtime = card.mtime;
    this.size = card.size;
    this.settled = card.at > card.mtime + justWritten;
    this.line = line;
    this.docHash = docHash;
    this.#read = read;
  }

  get hash(): string {
    return this.#readLine().card.hash;
  }

  get created(): boolean {
    return this.#readLine().card.created ?? false;
  }

  get doc(): BaseDoc {
    return {
      hash: this.docHash,
      read: () => this.#readLine().doc,
      earlier: () => new Set(this.#readLine().earlier),
    };
  }

  get idMissing(): boolean {
    return false;
  }

  /** The service's name of a card is needed only where it is written to a new file. */
  get name(): string {
    return "";
  }

  get trashed(): boolean {
    return false;
  }

  #readLine(): CardLine {
    return typeof this.line === "number" ? this.#read(this.line) : this.line;
  }
}
