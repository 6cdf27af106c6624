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
 * A card of the base as it was when it was retrieved. It also stands for the file and the card of the service where they
 * have not changed. The document is read from the disk each time.
 */
export class AgreedCard implements BaseCard {
  /** Its number in the base. */
  readonly number: number;
  readonly id: string;
  readonly path: string;
  readonly deck: string | null;
  readonly hash: string;
  readonly mtime: number;
  readonly size: number;
  readonly settled: boolean;
  readonly created: boolean;
  readonly doc: BaseDoc;
  readonly idMissing = false;
  /** The service's name of a card is needed only where it is written to a new file. */
  readonly name = "";
  readonly trashed = false;

  /** @param place where its line begins; the line itself if it is not on the disk */
  constructor(number: number, place: number | CardLine, read: (offset: number) => CardLine) {
    const line = () => (typeof place === "number" ? read(place) : place);
    const { card, docHash } = line();
    this.number = number;
    this.id = card.id;
    this.path = card.path;
    this.deck = card.deck;
    this.hash = card.hash;
    this.mtime = card.mtime;
    this.size = card.size;
    this.settled = isSettled(card);
    this.created = card.created ?? false;
    this.doc = { hash: docHash, read: () => line().doc, earlier: () => new Set(line().earlier) };
  }
}

/** Whether it was recorded so long after its file was written that the file's size and times show any change. */
export const isSettled = ({ at, mtime }: CardEntry): boolean => at > mtime + justWritten;
