import { UsageError } from "../errors.ts";
import type { State } from "./state.ts";
import type { Item } from "./types.ts";

export interface RefuseOptions {
  /** How many cards may be removed, on both sides together; the larger of 10 and a tenth if undefined. */
  readonly maxDelete: number | undefined;
  /** Whether a side was chosen for conflicts. */
  readonly prefer: boolean;
  /** Whether nothing is removed, so that there are not too many removals. */
  readonly leaves?: boolean;
}

interface Counts {
  /** Cards in the folder, and cards of the service that are not in the trash. */
  readonly files: number;
  readonly cards: number;
}

const isRemoval = ({ kind }: Item) => kind === "trash-card" || kind === "trash-file";

export const removals = (items: readonly Item[]): number => items.filter(isRemoval).length;

const mostRemovals = (state: Pick<State, "size">, maxDelete: number | undefined): number =>
  maxDelete ?? Math.max(10, Math.ceil(state.size / 10));

/** Whether more cards would be removed than may be. */
export const isTooMany = (
  items: readonly Item[],
  state: Pick<State, "size">,
  maxDelete: number | undefined,
): boolean => removals(items) > mostRemovals(state, maxDelete);

/** Why a plan is more likely a mistake than what a person wants; undefined for one that may be carried out. */
export function problemWith(
  items: readonly Item[],
  state: Pick<State, "size" | "isEmpty">,
  { files, cards }: Counts,
  options: RefuseOptions,
): UsageError | undefined {
  const known = state.size;
  const count = removals(items);
  const chosen = options.maxDelete !== undefined && count <= options.maxDelete;
  if (known > 0 && files === 0 && !chosen)
    return new UsageError(`the folder has no cards, and ${known} were there at the last sync`, {
      hint: "Is it mounted? To remove them all, use --max-delete.",
    });
  if (known > 0 && cards === 0 && !chosen)
    return new UsageError(`the collection has no cards, and ${known} were there at the last sync`, {
      hint: "Is it the right account? To remove their files, use --max-delete.",
    });
  if (!options.leaves && isTooMany(items, state, options.maxDelete))
    return new UsageError(
      `${count} ${count === 1 ? "card" : "cards"} would be removed, and at most ${mostRemovals(state, options.maxDelete)} may be`,
      {
        hint: "See which with `deckhand sync status`, and allow it with --max-delete.",
      },
    );
  const differing = items.filter(
    (item) => item.conflict && item.file !== undefined && item.card !== undefined,
  );
  if (state.isEmpty && differing.length > 0 && !options.prefer)
    return new UsageError(
      `${differing.length} ${differing.length === 1 ? "card differs" : "cards differ"}, and nothing is known of an earlier sync of this folder from here`,
      { hint: "Choose whose text is used with --prefer folder or --prefer service." },
    );
  return undefined;
}
