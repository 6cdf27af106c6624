import { existsSync } from "node:fs";
import { AppendLog } from "../../files/append-log.ts";
import { checksumState } from "../../files/checksum.ts";
import { readLines } from "../../files/lines.ts";
import { type Card, isMap } from "../../schema/index.ts";
import { cardHash } from "../card-hash.ts";
import type { Scratch, ScratchMap } from "./scratch.ts";

interface KnownItem {
  readonly id: string;
  /** Of a card: `cardHash` of what the last import wrote, or its undo. */
  readonly card?: string | undefined;
  /** Of a card: `sourceHash` of what the last import read; null after its undo. */
  readonly source?: string | null | undefined;
}

/**
 * What earlier imports into an account made of the keys of their sources: the ids that Anki, an app or another account
 * gave, to ids of this account. Losing it loses no card: cards are then recognised by their fronts.
 */
export class KnownKeys {
  readonly #items: ScratchMap<KnownItem>;
  readonly #log: AppendLog;

  private constructor(path: string, scratch: Scratch) {
    this.#items = scratch.map();
    this.#log = new AppendLog(path);
  }

  static async open(path: string, scratch: Scratch): Promise<KnownKeys> {
    const known = new KnownKeys(path, scratch);
    if (existsSync(path)) for await (const { bytes } of readLines(path)) known.#read(bytes.toString("utf8"));
    return known;
  }

  find(kind: "card" | "deck", key: string): KnownItem | undefined {
    return this.#items.get(`${kind} ${key}`);
  }

  /** Where `source` is not given, it stays as it was. */
  note(kind: "card" | "deck", key: string, { id, card, source }: KnownItem): void {
    const before = this.find(kind, key);
    const item = { id, card, source: source === undefined && before?.id === id ? before.source : source };
    if (before?.id === id && before.card === card && before.source === item.source) return;
    this.#items.set(`${kind} ${key}`, item);
    this.#log.append({ kind, key, ...item });
  }

  close(): void {
    this.#log.close();
  }

  #read(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return; // Cut off by a crash.
    }
    if (!isMap(value) || checksumState(line) === "damaged") return;
    const { kind, key, id, card, source } = value;
    if (typeof key === "string" && typeof id === "string")
      this.#items.set(`${kind} ${key}`, {
        id,
        card: typeof card === "string" ? card : undefined,
        source: typeof source === "string" ? source : null,
      });
  }
}

/**
 * Notes what a card became, where a later import recognises it by its key.
 *
 * @param source `sourceHash` of the card, where this is what the source says
 * @returns `cardHash` of the card; undefined where the service did not return all of it
 */
export function noteCard(
  known: Pick<KnownKeys, "note">,
  key: string | undefined,
  card: Card | undefined,
  source?: string,
): string | undefined {
  if (card?.content == null) return undefined;
  const hash = cardHash(card);
  if (isTelling(key)) known.note("card", key, { id: card.id, card: hash, source });
  return hash;
}

/** Whether a key names one card or deck in the world: short ones may be anybody's numbers. */
export const isTelling = (key: string | undefined): key is string => key !== undefined && key.length >= 8;
