import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { markerName, templatesFolder } from "../formats/markdown/write-files.ts";
import { filesUnder, matterOf, type OurFile, ourFiles } from "./our-files.ts";

/** The ids of what an export holds. */
export interface Exported {
  readonly cards: ReadonlySet<string>;
  /** Of decks and templates. */
  readonly others: ReadonlySet<string>;
}

/** What would be removed from a folder that was an export of something else. */
export interface Loss {
  /** How many files that are. */
  readonly files: number;
  /** Another deck was asked for; or what is there has nothing to do with what comes, as if it were another account's. */
  readonly why: "deck" | "account";
}

/** The id of the deck that a folder is an export of; undefined for one of everything. */
function exportedDeck(root: string): string | undefined {
  const deck = matterOf(root, markerName)["deck"];
  return typeof deck === "string" ? deck : undefined;
}

/**
 * How many files of a folder are of decks that an export of one deck does not have, where the folder is an export of
 * something else: what can be told before anything is fetched. Templates are not counted.
 *
 * @param decks the deck and those under it
 */
export async function filesOfOtherDecks(
  root: string,
  deck: string,
  decks: ReadonlySet<string>,
): Promise<number> {
  if (!existsSync(join(root, markerName)) || exportedDeck(root) === deck) return 0;
  const ours = ourFiles(root, await filesUnder(root)).filter(
    ({ path, kind }) => kind !== "marker" && !isTemplate(path),
  );
  const folders = new Map<string, string>();
  for (const { path, kind, id = "" } of ours) if (kind === "deck") folders.set(dirname(path), id);
  const isOther = (path: string): boolean => {
    for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
      const id = folders.get(folder);
      if (id !== undefined) return !decks.has(id);
    }
    return true;
  };
  return ours.filter(({ path }) => isOther(path)).length;
}

/**
 * What an export takes from a folder, if the folder was an export of something else. What is gone from the same collection
 * is no loss.
 *
 * @param before the paths that are there, `now` those that come
 * @param gone the files of ours that do not come again
 */
export function lossOf(
  [fresh, target]: readonly [fresh: string, target: string],
  [before, now]: readonly [before: readonly string[], now: ReadonlySet<string>],
  gone: readonly OurFile[],
  exported: Exported,
): Loss | undefined {
  const lost = gone.filter(
    ({ id }) => id !== undefined && !exported.cards.has(id) && !exported.others.has(id),
  );
  if (lost.length === 0) return undefined;
  if (exportedDeck(fresh) !== exportedDeck(target)) return { files: lost.length, why: "deck" };
  // One card that stays tells that it is the same collection: then nothing more is read.
  const stays = before.some((path) => now.has(path) && path.endsWith(".md") && !isTemplate(path));
  if (stays || !isStrange(ourFiles(target, before), exported)) return undefined;
  return { files: lost.length, why: "account" };
}

const isTemplate = (path: string) => path.startsWith(`${templatesFolder}/`);

/** Whether none of the cards that are there comes again; where no card comes, whether nothing does. */
function isStrange(held: readonly OurFile[], { cards, others }: Exported): boolean {
  const ids = (files: readonly OurFile[]) => files.flatMap(({ id }) => id ?? []);
  const heldCards = held.filter(({ kind }) => kind === "card");
  if (heldCards.length === 0) return false;
  return cards.size > 0
    ? !ids(heldCards).some((id) => cards.has(id))
    : !ids(held).some((id) => others.has(id));
}
