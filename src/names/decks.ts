import { DeckhandError, UsageError } from "../errors.ts";
import { nearestItems } from "../nearest.ts";
import type { CachedDeck } from "./cache.ts";
import { exactForm, foldedForm, joinPath, splitPath } from "./match.ts";
import type { DeckLine, DeckPlace } from "./types.ts";

/** A deck of which the parent, or the flags as well, are known; undefined if it does not exist. */
export type Look = (id: string, what: "parent" | "flags") => Promise<CachedDeck | undefined>;

/**
 * The decks that a text names (with a leading slash: at the root only): by id, else by exact name or path, else ignoring
 * case; live ones if there are any. Only decks whose name matches are looked up, and their parents.
 */
export async function findDecks(
  text: string,
  decks: readonly CachedDeck[],
  look: Look,
): Promise<readonly CachedDeck[]> {
  const byId = decks.find((deck) => deck.id === text);
  if (byId !== undefined) return [byId];
  const path = splitPath(text);
  for (const form of [exactForm, foldedForm]) {
    const found = await findByPath(path, decks, look, form);
    if (found.length > 0) return liveOnes(found, look);
    if (path.length === 1) continue;
    // A name with an unescaped slash in it, which no path matches.
    const whole = form(text);
    const named = decks.filter((deck) => form(deck.name) === whole);
    if (named.length > 0) return liveOnes(named, look);
  }
  return [];
}

async function findByPath(
  path: readonly string[],
  decks: readonly CachedDeck[],
  look: Look,
  form: (name: string) => string,
): Promise<CachedDeck[]> {
  const wanted = path.map(form);
  const last = wanted.at(-1);
  const candidates = decks.filter((deck) => form(deck.name) === last);
  if (path.length === 1) return candidates;
  if (wanted[0] === "") wanted.shift(); // `/Name`: from the root, where all longer paths begin anyway.
  const found: CachedDeck[] = [];
  for (const candidate of candidates) {
    const names = (await lineage(candidate, look)).map((deck) => form(deck.name));
    if (names.length === wanted.length && names.every((name, index) => name === wanted[index]))
      found.push(candidate);
  }
  return found;
}

async function liveOnes(found: readonly CachedDeck[], look: Look): Promise<readonly CachedDeck[]> {
  if (found.length === 1) return found;
  const live: CachedDeck[] = [];
  const there: CachedDeck[] = [];
  for (const deck of found) {
    const line = await lineage(deck, look, "flags");
    const self = line.at(-1);
    if (self === undefined) continue;
    there.push(self);
    // Trashing a deck trashes the decks under it.
    if (!line.some((each) => each.trashed)) live.push(self);
  }
  return live.length > 0 ? live : there;
}

/** A deck and its ancestors, the highest first. Empty for a missing deck; one whose parent is missing is a root. */
export async function lineage(
  deck: Pick<CachedDeck, "id">,
  look: Look,
  what: "parent" | "flags" = "parent",
): Promise<CachedDeck[]> {
  const line: CachedDeck[] = [];
  const seen = new Set<string>();
  for (let id: string | null | undefined = deck.id; id != null && !seen.has(id); ) {
    seen.add(id);
    const each: CachedDeck | undefined = await look(id, what);
    if (each === undefined) break;
    line.push(each);
    id = each.parent;
  }
  return line.reverse();
}

export const isTrashed = (line: DeckLine): boolean => line.some(({ trashed }) => trashed);

export const isArchived = (line: DeckLine): boolean => line.some(({ archived }) => archived);

/** Whether a deck above was deleted. */
export function isOrphaned(line: DeckLine): boolean {
  const above = line[0]?.parent;
  // Decks that are each other's parents have no highest one.
  return above != null && !line.some(({ id }) => id === above);
}

export const pathOf = (line: DeckLine): string => joinPath(line.map(({ name }) => name));

export const placeOf = (line: DeckLine): DeckPlace => ({
  path: pathOf(line),
  trashed: isTrashed(line),
  archived: isArchived(line),
  orphaned: isOrphaned(line),
});

/** How many candidates the error for an ambiguous name lists. */
export const listedCandidates = 20;

/**
 * The error for an ambiguous name.
 *
 * @param candidates the first of them, to be listed
 * @param count how many there are
 * @param hint what would tell them apart
 */
export function ambiguous(
  kind: string,
  text: string,
  candidates: readonly string[],
  count: number,
  hint: string,
): UsageError {
  const more = count > candidates.length ? ` and ${count - candidates.length} more` : "";
  return new UsageError(
    `${kind} ${JSON.stringify(text)} is ambiguous; it names ${count} of them: ${candidates.join(", ")}${more}`,
    { hint },
  );
}

/** The error for an unknown id or name; it suggests the nearest names, or where to look. */
export function notFound(
  kind: string,
  text: string,
  all: readonly { readonly id: string; readonly name: string }[],
): DeckhandError {
  const last = splitPath(text).at(-1) ?? text;
  const near = nearestItems(last, all).map(({ id, name }) => `${JSON.stringify(name)} (${id})`);
  const message = `${kind} ${JSON.stringify(text)} was not found`;
  if (near.length === 0) {
    const none = `There are no ${kind}s yet. Create one with \`deckhand ${kind}s create\`.`;
    const hint = all.length === 0 ? none : `See \`deckhand ${kind}s list\`.`;
    return new DeckhandError("not-found", message, { hint });
  }
  return new DeckhandError("not-found", `${message}; nearest: ${near.join(", ")}`);
}
