import { join } from "node:path";
import { isRecord } from "../config/config-file.ts";
import { readIfThere } from "../files/read-if-there.ts";

/** A deck as the index knows it. `parent` and `trashed` are undefined until the deck itself was retrieved. */
export interface CachedDeck {
  readonly id: string;
  readonly name: string;
  readonly sort?: number | undefined;
  /** The deck above it, null for none. */
  readonly parent?: string | null | undefined;
  readonly trashed?: boolean | undefined;
  readonly archived?: boolean | undefined;
  /** When parent and flags were retrieved, in epoch milliseconds. */
  readonly seen?: number | undefined;
}

export interface CachedName {
  readonly id: string;
  readonly name: string;
  /** Names of a card's files, where they were seen. */
  readonly files?: readonly string[];
  /** Names of a template's fields, where the whole template was seen. */
  readonly fields?: readonly string[];
}

/** An account's decks, templates, tags and latest cards, stored so that names need no request. */
export interface NameCache {
  readonly version: 1;
  /** When the list was last retrieved, in epoch milliseconds; 0 for never. */
  readonly decksRead: number;
  readonly decks: readonly CachedDeck[];
  readonly templatesRead: number;
  readonly templates: readonly CachedName[];
  /** Cards that were shown or changed last, the newest first. */
  readonly cards: readonly CachedName[];
  /** The tags of the cards that answers contained, the newest first; absent in caches of earlier versions. */
  readonly tags?: readonly string[];
}

/** How many cards are kept. */
export const recentCards = 50;

export const emptyCache: NameCache = {
  version: 1,
  decksRead: 0,
  decks: [],
  templatesRead: 0,
  templates: [],
  cards: [],
};

export const cachePath = (folder: string, account: string): string => join(folder, `names-${account}.json`);

/** Reads the cache of an account. A file that cannot be parsed counts as missing. */
export function readNameCache(folder: string, account: string): NameCache {
  try {
    const text = readIfThere(cachePath(folder, account));
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    return isCache(value) ? value : emptyCache;
  } catch {
    return emptyCache;
  }
}

function isCache(value: unknown): value is NameCache {
  return (
    isRecord(value) &&
    value["version"] === 1 &&
    typeof value["decksRead"] === "number" &&
    typeof value["templatesRead"] === "number" &&
    areNamed(value["decks"]) &&
    areNamed(value["templates"]) &&
    areNamed(value["cards"]) &&
    (value["tags"] === undefined ||
      (Array.isArray(value["tags"]) && value["tags"].every((tag) => typeof tag === "string")))
  );
}

const areNamed = (value: unknown) =>
  Array.isArray(value) &&
  value.every((item) => isRecord(item) && typeof item["id"] === "string" && typeof item["name"] === "string");
