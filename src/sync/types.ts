import type { CardDocument } from "../cards/document.ts";
import type { Change } from "../folder/changes.ts";
import type { Stat } from "../folder/stat.ts";

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
  /** Whether the id is not in the file and has to be written there. */
  readonly idMissing: boolean;
  /** SHA-256 of its bytes. */
  readonly hash: string;
  /** The pictures that it embeds, other than by `@media/` links: names of attachments and paths. */
  readonly embeds?: readonly Embed[] | undefined;
  /** Undefined for a file with a problem. A file without a position has the one of its base entry. */
  readonly doc: DocRef | undefined;
  /** Why it is not synced: YAML that cannot be read, conflict markers. */
  readonly problem?: string;
  /** Whether the problem is conflict markers of an earlier sync or of git. */
  readonly marked?: boolean;
  /** What each side has, where an earlier sync wrote the markers: `--prefer` chooses one. */
  readonly sides?: Readonly<Record<Preference, DocRef>> | undefined;
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

/** A deck as both sides agreed on it last. */
export interface BaseDeck {
  readonly id: string;
  /** The path of its folder. */
  readonly path: string;
  readonly name: string;
  readonly parent: string | null;
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
  | Change<Agreed>;

/** What both sides agree on when a card's file is written. */
export interface Agreed {
  readonly id: string;
  readonly doc: CardDocument;
}

export type Preference = "folder" | "service";

/**
 * - `same`: nothing to do. `adopt`: both sides agree and only the base changes. `forget`: both sides removed it.
 * - `push`: the service's card becomes `to`. `pull`: the file becomes `to`. `merge`: both do.
 * - `conflict`: `to` with markers goes into the file, the service's document becomes the base.
 * - `create`: a file becomes a new card. `write`: a card becomes a new file.
 * - `trash-card`, `trash-file`: it was removed on the other side.
 * - `restore`: a card that was trashed, and whose file was edited, is restored and becomes `to`.
 * - `left`: nothing is done, for the reason in `note`.
 */
type ItemKind =
  | "same"
  | "adopt"
  | "forget"
  | "push"
  | "pull"
  | "merge"
  | "conflict"
  | "create"
  | "write"
  | "trash-card"
  | "trash-file"
  | "restore"
  | "left";

/** One line of the plan. */
export interface Item {
  readonly kind: ItemKind;
  readonly id?: string | undefined;
  readonly file?: FileCard | undefined;
  readonly card?: ServiceCard | undefined;
  readonly base?: BaseCard | undefined;
  /** What the sides become; with markers for a conflict. */
  readonly to?: CardDocument | undefined;
  /** The text that `--prefer` decided against, which is kept in the trash of the folder. */
  readonly lost?: CardDocument | undefined;
  /** What a person should know: why it is left, that an edit won over a removal. */
  readonly note?: string | undefined;
  /** Whether the base has to record the file anew, though nothing changed. */
  readonly refresh?: boolean;
  /** Whether it counts as a conflict (exit 9). */
  readonly conflict?: boolean;
  /** Whether it is left because of a problem that a person can solve (exit 9). */
  readonly failed?: boolean;
}

/** An item that was not carried out. */
export interface LeftItem {
  /** The path of its file, else the id of the card. */
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

/**
 * - `done`: both sides are as planned. `ready`: they are when the prepared file at `path` is written. `again`: one was changed meanwhile, and nothing was overwritten; the next round
 *   looks again; `note` is the reason if it is the same there. `left`: the service refused it.
 */
export type Outcome =
  | { readonly state: "done" }
  | { readonly state: "ready"; readonly path: string }
  | { readonly state: "again"; readonly note?: string }
  | { readonly state: "left"; readonly note: string; readonly hint?: string | undefined };
