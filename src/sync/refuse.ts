import { UsageError } from "../errors.ts";
import { isRemoval } from "./changes.ts";
import type { State } from "./state.ts";
import type { Change, Preference } from "./types.ts";

export interface RefuseOptions {
  /** How many cards may be removed, on both sides together; the larger of 10 and a tenth if undefined. */
  readonly maxDelete: number | undefined;
  /** The side that was chosen for conflicts. */
  readonly prefer?: Preference | undefined;
}

interface Counts {
  /** Cards in the folder, and cards of the service that are not in the trash. */
  readonly files: number;
  readonly cards: number;
}

type Known = Pick<State, "size" | "isEmpty">;

export const removals = (changes: readonly Change[]): number => changes.filter(isRemoval).length;

/** How many cards may be removed. */
export const mostRemovals = ({ size }: Known, maxDelete: number | undefined): number =>
  maxDelete ?? Math.max(10, Math.ceil(size / 10));

/**
 * Why a plan is more likely a mistake than what a person wants; undefined for one that may be carried out.
 *
 * @param leaves whether nothing is removed, so that there are not too many removals
 */
export function problemWith(
  changes: readonly Change[],
  state: Known,
  { files, cards }: Counts,
  { maxDelete, prefer }: RefuseOptions,
  leaves = false,
): UsageError | undefined {
  const [known, removed, most] = [state.size, removals(changes), mostRemovals(state, maxDelete)];
  const isMeant = known === 0 || (maxDelete !== undefined && removed <= maxDelete);
  if (files === 0 && !isMeant)
    return new UsageError(`the folder has no cards, and ${known} were there at the last sync`, {
      hint: "Is it mounted? To remove them all, use --max-delete.",
    });
  if (cards === 0 && !isMeant)
    return new UsageError(`the collection has no cards, and ${known} were there at the last sync`, {
      hint: "Is it the right account? To remove their files, use --max-delete.",
    });
  if (!leaves && removed > most)
    return new UsageError(
      `${removed} ${removed === 1 ? "card" : "cards"} would be removed, and at most ${most} may be`,
      { hint: "See which with `deckhand sync status`, and allow it with --max-delete." },
    );
  const differing = changes.filter(
    (each) => each.thing === "card" && each.conflict && each.file !== undefined && each.card !== undefined,
  ).length;
  if (!state.isEmpty || differing === 0 || prefer) return undefined;
  return new UsageError(
    `${differing} ${differing === 1 ? "card differs" : "cards differ"}, and nothing is known of an earlier sync of this folder from here`,
    { hint: "Choose whose text is used with --prefer folder or --prefer service." },
  );
}
