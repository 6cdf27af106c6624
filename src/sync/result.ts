import type { UsageError } from "../errors.ts";
import type { DeckItem } from "./plan-decks.ts";
import type { FileItem } from "./plan-files.ts";
import type { FolderTemplate } from "./scan-folder.ts";
import type { Item, LeftItem } from "./types.ts";

export interface SyncPlan {
  readonly decks: readonly DeckItem[];
  readonly templates: readonly FolderTemplate[];
  readonly items: readonly Item[];
  /** Attachments. */
  readonly files: readonly FileItem[];
  /** Folders of attachments that no card's file is beside: nothing in them is synced. */
  readonly looseFolders: readonly string[];
  /** Whether the folder is a checkout of a git commit that does not come after the one of the last sync. */
  readonly isOld: boolean;
  /** Whether nothing is known of an earlier sync. */
  readonly first: boolean;
}

/** A plan to be shown, and why a sync would refuse it. */
export interface ShownPlan {
  readonly plan: SyncPlan;
  readonly refusal: UsageError | undefined;
}

/** What was done, as it is counted. */
export type Done = Item["kind"] | FileItem["kind"] | DeckItem["kind"] | "create-template" | "write-template";

export interface SyncResult {
  readonly plan: SyncPlan;
  /** Items that were carried out, by kind. */
  readonly done: ReadonlyMap<Done, number>;
  /** Items that are left, with the reason. */
  readonly left: readonly LeftItem[];
}
