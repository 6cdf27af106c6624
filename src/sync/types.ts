import type { CardDocument } from "../cards/document.ts";
import type { FileChange } from "../folder/changes.ts";
import type { Stat } from "../folder/stat.ts";
import type { Template } from "../schema/index.ts";

/**
 * The types of two-way sync (docs/design/sync.md). A card is compared as a `CardDocument`, in one form for both sides;
 * the deck of a file in a folder that is not a deck yet is `new:<folder>`.
 */

/** A document that may be on the disk: only its hash is held in memory until it is read. */
export interface DocRef {
  /** `hashOfDocument` of it. */
  readonly hash: string;
  read(): CardDocument;
}

/** A card's file as it was scanned. */
export interface FileCard extends Stat {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  /** Undefined for a file without one. */
  readonly id: string | undefined;
  /** Whether the file has to be written: its id is not in it, or it has markers of which `--prefer` chose a side. */
  readonly idMissing: boolean;
  /** SHA-256 of its bytes. */
  readonly hash: string;
  /** The pictures that it embeds, other than by `@media/` links: names of attachments and paths. */
  readonly embeds?: readonly Embed[] | undefined;
  /** Undefined for a file with a problem. A file without a position has the one of its base entry. */
  readonly doc: DocRef | undefined;
  /** Why it is not synced: YAML that cannot be read, conflict markers. */
  readonly problem?: string;
  /** Whether it has conflict markers of an earlier sync or of git: a problem, unless `--prefer` chose a side of them. */
  readonly marked?: boolean;
}

/** Why a file is not synced, whatever is in it. */
export interface Excluded {
  readonly note: string;
  /** Whether that is a problem, not a choice. */
  readonly failed: boolean;
}

/** A picture or sound of the folder that a note embeds. */
export interface Embed {
  readonly name: string;
  readonly path: string;
}

/** A folder that is a deck. */
export interface FolderDeck {
  readonly path: string;
  /** Undefined for a folder that is no deck of the service yet. */
  readonly id: string | undefined;
  /** From its `deck.yaml`, else the folder's. */
  readonly name: string;
  /** The folder above it that is a deck, undefined for none. */
  readonly parent: string | undefined;
  /** The hash of its `deck.yaml`. */
  readonly hash: string | undefined;
  /** Its retention and limits in its `deck.yaml`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Why its cards are not synced. */
  readonly problem?: string;
}

/** The file of a template. */
export interface FolderTemplate {
  readonly path: string;
  readonly id: string | undefined;
  readonly hash: string;
  /** The keys of its front matter, and its content. */
  readonly document: Readonly<Record<string, unknown>>;
}

/** A file beside a card's file. */
export interface FolderFile extends Stat {
  /** Its name: in the folder beside the card's file, else as an attachment. */
  readonly file: string;
  /** Where it is, if not in that folder: a picture that a note embeds. */
  readonly path?: string | undefined;
  /** SHA-256 of its bytes, in hex. */
  readonly hash: string;
}

/** An attachment of a card of the service. */
export interface ServiceFile {
  readonly name: string;
  /** SHA-256 in hex; undefined where the service does not list it. */
  readonly hash: string | undefined;
}

/** A card of the service as it was listed. */
export interface ServiceCard {
  readonly id: string;
  /** The name that the service gave it, for the name of its file. */
  readonly name: string;
  readonly doc: DocRef;
  readonly trashed: boolean;
}

/** What both sides agreed on last, of one card; where its file or the service's card is unchanged, also that. */
export interface BaseCard extends FileCard, ServiceCard {
  readonly id: string;
  readonly doc: DocRef;
  /** The deck of the document. */
  readonly deck: string | null;
  /** Whether a sync of this folder created the card, so that its attachments are known without a list of them. */
  readonly created?: boolean;
}

/** What is synced of a deck: retention and limits only where it has its own, and the service has such settings. */
export interface DeckDoc {
  readonly name: string;
  /** The key of the deck above it. */
  readonly parent: string | null;
  readonly [setting: string]: unknown;
}

/** A deck as both sides agreed on it last. */
export interface BaseDeck {
  readonly id: string;
  /** The path of its folder. */
  readonly path: string;
  readonly doc: DeckDoc;
}

/** An attachment as both sides agreed on it last. */
export interface BaseFile extends Stat {
  /** Of the file in the folder. */
  readonly path: string;
  /** SHA-256 of the bytes, in hex. */
  readonly hash: string;
}

/** A change that was about to be made; it stays open if the run ends before the change is known to be done. */
export type Intent =
  | {
      readonly op: "create-card";
      readonly id: string;
      readonly path: string;
      readonly hash: string;
      readonly doc: CardDocument;
    }
  | {
      readonly op: "create-deck";
      readonly id: string;
      readonly path: string;
      readonly name: string;
      readonly parent: string | null;
    }
  /** A deck gets the name of its folder: `deck.yaml` may have it before the service does. */
  | { readonly op: "rename-deck"; readonly id: string; readonly name: string }
  | FileChange<Agreed>;

/** What both sides agree on when a card's file is written. */
export interface Agreed {
  readonly id: string;
  readonly doc: CardDocument;
}

export type Preference = "folder" | "service";

/**
 * - `create`, `update`, `remove`, `restore` (from the trash): on the side that changes; `update` on `both` merges.
 * - `conflict`: the text with markers goes into the file, the service's document becomes the base.
 * - `record`, `forget`: only the state changes.
 * - `leave`: nothing is done, for the reason in `note`. `skip`: only the service has it, and does not give it.
 */
export type Op =
  | "create"
  | "update"
  | "remove"
  | "restore"
  | "conflict"
  | "record"
  | "forget"
  | "leave"
  | "skip";

/** What a change is of; `none` where neither side changes. */
export type Side = Preference | "both" | "none";

/** What all lines of a plan have. */
interface Planned {
  readonly op: Op;
  readonly side: Side;
  /** In the folder; the name or id of what has no file. */
  readonly path: string;
  /** Of the deck, template or card; of an attachment, that of its card. Undefined for what is yet to be created. */
  readonly id?: string | undefined;
  /** What a person should know: why it is left, that an edit won over a removal. */
  readonly note?: string | undefined;
  /** Whether a person has to decide (exit 9). */
  readonly conflict?: boolean | undefined;
  /** Whether it is left because of a problem that a person can solve (exit 9). */
  readonly failed?: boolean | undefined;
}

export interface CardChange extends Planned {
  readonly thing: "card";
  readonly file?: FileCard | undefined;
  readonly card?: ServiceCard | undefined;
  readonly base?: BaseCard | undefined;
  /** What the sides become; with markers for a conflict. */
  readonly to?: CardDocument | undefined;
  /** The text that `--prefer` decided against, which is kept in the trash of the folder. */
  readonly lost?: CardDocument | undefined;
}

export interface DeckChange extends Planned {
  readonly thing: "deck";
  /** What the sides become. */
  readonly to: DeckDoc;
  /** The folder as it was scanned. */
  readonly folder?: FolderDeck | undefined;
  /** The name that it has on the side that changes, if that is another one. */
  readonly renamed?: string | undefined;
}

export interface AttachmentChange extends Planned {
  readonly thing: "attachment";
  /** The file of its card as it was scanned; undefined for one that is yet to be written. */
  readonly cardPath: string | undefined;
  /** The name of the attachment, and that of its file: as it is, or as it will be. */
  readonly name: string;
  readonly target: string;
  readonly file?: FolderFile | undefined;
  readonly there?: ServiceFile | undefined;
  readonly known?: BaseFile | undefined;
}

export interface TemplateChange extends Planned {
  readonly thing: "template";
  /** What the folder has, or what is written there. */
  readonly template: FolderTemplate | Template;
}

/** One line of the plan: what is to be done to which thing on which side. */
export type Change = CardChange | DeckChange | AttachmentChange | TemplateChange;

export interface SyncPlan {
  /** Decks after those above them, templates, cards, attachments. */
  readonly changes: readonly Change[];
  /** The files of each card in the folder, by the path of its file. */
  readonly attachments: ReadonlyMap<string, readonly FolderFile[]>;
  /** Whether the folder is a checkout of a git commit that does not come after the one of the last sync. */
  readonly isOld: boolean;
  /** Whether nothing is known of an earlier sync. */
  readonly first: boolean;
}

/** What was not carried out. */
export interface Left {
  /** Where it is: the path of the change. */
  readonly what: string;
  readonly note: string;
  /** Whether a person has to decide. */
  readonly conflict: boolean;
  /** Whether it was to be done and could not be. */
  readonly failed?: boolean;
  /** Whether conflict markers in the file have to be resolved. */
  readonly marked?: boolean;
  readonly hint?: string | undefined;
}

export interface SyncResult {
  readonly plan: SyncPlan;
  /** How many changes of a side were carried out, by `kindOf`. */
  readonly done: ReadonlyMap<string, number>;
  readonly left: readonly Left[];
}

/**
 * - `done`: both sides are as planned. `again`: one was changed meanwhile, and nothing was overwritten; the next round looks
 *   again, and `note` is the reason if it is the same there. `left`: it could not be done.
 */
export type Outcome =
  | { readonly state: "done" }
  | { readonly state: "again"; readonly note?: string }
  | { readonly state: "left"; readonly note: string; readonly hint?: string | undefined };
