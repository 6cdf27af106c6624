import type { Generated, Kysely, Selectable } from "kysely";
import type { DeckCreate, TemplateCreate } from "../../schema/index.ts";

/**
 * The tables. What queries ask about is a column; the rest of a resource is its `document`: JSON text, which carries any
 * string exactly (engines and their drivers cut text at NUL, or replace halves of surrogate pairs).
 *
 * Instants are epoch milliseconds, flags 0 or 1. Positions are bytes, see positions.ts.
 */
export interface Tables {
  readonly setting: SettingTable;
  readonly key: KeyTable;
  readonly account: AccountTable;
  readonly deck: DeckTable;
  readonly template: TemplateTable;
  readonly card: CardTable;
  readonly review: ReviewTable;
  readonly attachment: AttachmentTable;
  readonly creation: CreationTable;
  readonly today_mark: TodayMarkTable;
  /** Only where attachments are files. */
  readonly unsettled_blob: UnsettledBlobTable;
  /** These two only where the database holds the contents of attachments. */
  readonly content: ContentTable;
  readonly content_part: ContentPartTable;
}

/** Values of the store itself: the secret that signs bookmarks. */
interface SettingTable {
  name: string;
  value: string;
}

interface KeyTable {
  id: Generated<number>;
  account: string;
  /** SHA-256 of the key, in hex; the key itself is not stored. */
  hash: string;
  created_at: number;
}

/** What is set for an account by `serve account set`; null where the default holds. */
interface AccountTable {
  account: string;
  /** An IANA name. */
  time_zone: string | null;
  /** Minutes after midnight. */
  day_starts_at: number | null;
  /** AccountSchedule */
  schedule: string | null;
}

interface DeckTable {
  account: string;
  id: string;
  parent_id: string | null;
  sort: number;
  /** Whether it is neither archived nor trashed itself. */
  ready: number;
  /** Whether it and all decks above it are ready, and none of them is missing: only then are its cards due. */
  live: number;
  /** DeckDocument */
  document: string;
  /** deckChecksum */
  checksum: number;
}

interface TemplateTable {
  account: string;
  id: string;
  pos: Uint8Array;
  /** TemplateDocument */
  document: string;
  /** templateChecksum */
  checksum: number;
}

interface CardTable {
  account: string;
  id: string;
  deck_id: string;
  pos: Uint8Array;
  /** Whether it is neither archived nor trashed itself. */
  ready: number;
  /** `due` of the last review; null for a new card. */
  due_at: number | null;
  /** The Card as it is answered in JSON, with its reviews and attachments: a page needs no further query. */
  document: string;
  /** CardFacts */
  facts: string;
  /** cardChecksum */
  checksum: number;
}

interface ReviewTable {
  account: string;
  card_id: string;
  date: number;
  due: number;
  /** Whether `due` came with the review, and so is not computed. */
  due_given: number;
  remembered: number;
  duration: number | null;
}

interface AttachmentTable {
  account: string;
  card_id: string;
  file_name: string;
  size: number;
  type: string;
  /** SHA-256 of the content, in hex: the name of the file that holds it. */
  hash: string;
}

/** A creation that carried an id: a later one with that id is the same, or refused. It stays when the document is deleted. */
interface CreationTable {
  account: string;
  id: string;
  /** Of the operation and its body. */
  hash: string;
}

/** What was said of a card for one day of its user (`Days.dayOf`). */
interface TodayMarkTable {
  account: string;
  day: number;
  card_id: string;
  /** Whether it is not asked that day, and whether it is asked again. */
  put_off: number;
  again: number;
  /** When `again` was set. */
  set_at: number;
}

/** Contents that may be on the disk without a row that names them: checked when the store is next opened. */
interface UnsettledBlobTable {
  hash: string;
}

/** A content of an attachment, whole or being received. */
interface ContentTable {
  account: string;
  id: string;
  /** SHA-256, in hex; null until an attachment names it. */
  hash: string | null;
  /** When its last part was received. */
  touched_at: number;
}

interface ContentPartTable {
  account: string;
  content_id: string;
  /** From 0. */
  part: number;
  bytes: Uint8Array;
}

/** What the content of a card says, kept so that an update of other fields need not parse it again. */
export interface CardFacts {
  /** The name that the content gives, whether or not a field gives another. */
  readonly "content-name": string | null;
  readonly "inline-tags": readonly string[];
  /** What the last review left, by FSRS: when it was, in epoch milliseconds, and the days until recall falls to 0.9. */
  readonly memory?: { readonly date: number; readonly stability: number } | undefined;
}

/** The rest of a deck: only what was ever given. */
export type DeckDocument = Omit<DeckCreate, "parent-id" | "sort">;

/** The rest of a template: only what was given. */
export interface TemplateDocument extends Omit<TemplateCreate, "pos"> {
  /** The same in transit, where JSON cannot express it: options of fields are passed on as they came. */
  readonly transit?: string;
}

export type CardRow = Omit<Selectable<CardTable>, "checksum">;
export type DeckRow = Omit<Selectable<DeckTable>, "checksum">;
export type TemplateRow = Omit<Selectable<TemplateTable>, "checksum">;
export type ReviewRow = Selectable<ReviewTable>;
export type AttachmentRow = Selectable<AttachmentTable>;

/** A transaction in the store. */
export type Db = Kysely<Tables>;

/** Where a list continues: the values of its sort order at the last item of a page. */
export type Place = readonly (string | number)[];
