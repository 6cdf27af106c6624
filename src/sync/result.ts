import type { UsageError } from "../errors.ts";
import type { DeckItem } from "./plan-decks.ts";
import type { FolderState, FolderTemplate } from "./scan-folder.ts";
import type { ServiceState } from "./scan-service.ts";
import type { Item, LeftItem } from "./types.ts";

export interface SyncPlan {
  readonly decks: readonly DeckItem[];
  readonly templates: readonly FolderTemplate[];
  readonly items: readonly Item[];
  /** Whether nothing is known of an earlier sync. */
  readonly first: boolean;
  /** How many attachments there are on either side, which are not synced. */
  readonly attachments: number;
}

/** A plan to be shown, and why a sync would refuse it. */
export interface ShownPlan {
  readonly plan: SyncPlan;
  readonly refusal: UsageError | undefined;
}

export interface SyncResult {
  readonly plan: SyncPlan;
  /** Items that were carried out, by kind. */
  readonly done: ReadonlyMap<Item["kind"], number>;
  /** Items that are left, with the reason. */
  readonly left: readonly LeftItem[];
}

/** Attachments on either side; those of a card on both sides are counted once. */
export function countAttachments(folder: FolderState, service: ServiceState): number {
  const rest = new Map(service.attachments);
  let count = 0;
  for (const { path, id = "" } of folder.files) {
    count += Math.max(folder.attachments.get(path) ?? 0, rest.get(id) ?? 0);
    rest.delete(id);
  }
  for (const number of rest.values()) count += number;
  return count;
}
