import { closeSync, openSync, readSync } from "node:fs";
import { AppendLog } from "../files/append-log.ts";
import { checksumState } from "../files/checksum.ts";
import { systemCode } from "../files/errors.ts";
import { readLines } from "../files/lines.ts";
import { isMap } from "../schema/index.ts";
import { hashOfDoc } from "./doc.ts";
import type { BaseCard, CardDoc, DocRef } from "./types.ts";

/** A deck as both sides agreed on it last. */
export interface BaseDeck {
  readonly id: string;
  /** The path of its folder. */
  readonly path: string;
  readonly name: string;
  readonly parent: string | null;
}

/** A change that was about to be made; it stays open if the run ends before the change is known to be done. */
export type Intent =
  | { readonly op: "create-card"; readonly path: string; readonly hash: string; readonly doc: CardDoc }
  | {
      readonly op: "create-deck";
      readonly path: string;
      readonly name: string;
      readonly parent: string | null;
    }
  | { readonly op: "create-template"; readonly path: string; readonly name: string }
  /** The file at `path`, whose hash is `expected`, is moved to `aside` before `temporary` takes its place. */
  | {
      readonly op: "replace";
      readonly path: string;
      readonly aside: string;
      readonly temporary: string;
      readonly expected: string;
      readonly written?: Written | undefined;
    }
  | {
      readonly op: "create";
      readonly path: string;
      readonly temporary: string;
      readonly written?: Written | undefined;
    }
  | { readonly op: "trash"; readonly path: string; readonly aside: string; readonly expected: string };

/** The card's file that is being written: its hash, and what both sides agree on when it is there. */
interface Written {
  readonly id: string;
  readonly hash: string;
  readonly doc: CardDoc;
}

type CardEntry = Omit<BaseCard, "doc" | "earlier">;

/**
 * The state of a synced folder on this machine: an append-only log of what both sides agreed on, and of the changes
 * under way (docs/design/sync.md, State). Documents stay on the disk until they are needed.
 */
export class Base {
  readonly cards = new Map<string, BaseCard>();
  readonly decks = new Map<string, BaseDeck>();
  /** Changes whose outcome is not known, by number. */
  readonly open = new Map<number, Intent>();
  /** Ids of cards and decks that the service had, unknown to the folder, before something was created. */
  readonly seen = new Set<string>();
  readonly #path: string;
  readonly #log: AppendLog;
  #next = 1;

  private constructor(path: string) {
    this.#path = path;
    this.#log = new AppendLog(path);
  }

  static async open(path: string): Promise<Base> {
    const base = new Base(path);
    try {
      for await (const { bytes, next } of readLines(path)) {
        const text = bytes.toString("utf8");
        let line: unknown;
        try {
          line = JSON.parse(text);
        } catch {
          continue; // It was cut off by a crash.
        }
        if (isMap(line) && checksumState(text) !== "damaged") base.#apply(line, next - bytes.length - 1);
      }
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw error;
    }
    return base;
  }

  /** Whether there is none: the folder was not synced with this account from here before. */
  get isEmpty(): boolean {
    return this.cards.size === 0 && this.decks.size === 0;
  }

  keepCard(entry: CardEntry, doc: CardDoc): void {
    this.#write({ card: entry, doc, docHash: hashOfDoc(doc) });
  }

  forgetCard(id: string): void {
    this.#write({ gone: id });
  }

  keepDeck(deck: BaseDeck): void {
    this.#write({ deck });
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
    this.#log.sync();
    return number;
  }

  end(number: number): void {
    this.#write({ end: number });
  }

  sync(): void {
    this.#log.sync();
  }

  close(): void {
    this.#log.sync();
    this.#log.close();
  }

  #write(line: Record<string, unknown>): void {
    this.#apply(line, this.#log.append(line));
  }

  #apply(line: Readonly<Record<string, unknown>>, offset: number): void {
    if (isMap(line["card"])) {
      const entry = line["card"] as unknown as CardEntry;
      const before = this.cards.get(entry.id);
      const hash = String(line["docHash"]);
      const earlier = new Set(before?.earlier);
      if (before !== undefined) earlier.add(before.doc.hash);
      earlier.delete(hash);
      this.cards.set(entry.id, { ...entry, earlier, doc: this.#ref(hash, offset) });
    } else if (typeof line["gone"] === "string") this.cards.delete(line["gone"]);
    else if (isMap(line["deck"])) {
      const deck = line["deck"] as unknown as BaseDeck;
      this.decks.set(deck.id, deck);
    } else if (Array.isArray(line["seen"])) for (const id of line["seen"]) this.seen.add(String(id));
    else if (typeof line["begin"] === "number" && isMap(line["intent"])) {
      this.open.set(line["begin"], line["intent"] as unknown as Intent);
      this.#next = line["begin"] + 1;
    } else if (typeof line["end"] === "number") this.open.delete(line["end"]);
  }

  #ref(hash: string, offset: number): DocRef {
    return { hash, read: () => this.#readDoc(offset) };
  }

  #readDoc(offset: number): CardDoc {
    const file = openSync(this.#path, "r");
    try {
      let text = Buffer.alloc(0);
      for (let size = 4096; ; size *= 4) {
        const part = Buffer.alloc(size);
        const length = readSync(file, part, 0, size, offset);
        const end = part.subarray(0, length).indexOf(10);
        text = part.subarray(0, end < 0 ? length : end);
        if (end >= 0 || length < size) break;
      }
      return (JSON.parse(text.toString("utf8")) as { doc: CardDoc }).doc;
    } finally {
      closeSync(file);
    }
  }
}
