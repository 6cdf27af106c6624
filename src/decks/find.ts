import { DeckhandError, UsageError } from "../errors.ts";
import { nearestItems } from "../nearest.ts";
import { isTrashed } from "./lines.ts";
import { exactForm, foldedForm, splitPath } from "./match.ts";
import type { KnownDeck } from "./snapshot.ts";

/** A deck of which parent and flags are known; undefined if it does not exist. */
export type Look<T = KnownDeck> = (id: string) => Promise<T | undefined>;

type Named = { readonly id: string; readonly name: string };

/**
 * The decks that a text names (with a leading slash: at the root only): by id, else by exact name or path, else ignoring
 * case; live ones if there are any. Only decks whose name matches are looked up, and their parents.
 */
export async function findDecks(
  text: string,
  decks: readonly KnownDeck[],
  look: Look,
): Promise<readonly KnownDeck[]> {
  const byId = decks.find((deck) => deck.id === text);
  if (byId !== undefined) return [byId];
  const path = splitPath(text);
  for (const form of [exactForm, foldedForm]) {
    const found = await findByPath(path, decks, look, form);
    // A name with an unescaped slash in it is one that no path matches.
    const named = found.length > 0 || path.length === 1 ? found : namedBy(text, decks, form);
    if (named.length > 0) return liveOnes(named, look);
  }
  return [];
}

/** The templates or fields that a text names: by id, else by exact name, else ignoring case. */
export function findNamed<T extends Named>(text: string, items: readonly T[]): readonly T[] {
  const byId = items.find(({ id }) => id === text);
  if (byId !== undefined) return [byId];
  const exact = namedBy(text, items, exactForm);
  return exact.length > 0 ? exact : namedBy(text, items, foldedForm);
}

function namedBy<T extends Named>(text: string, items: readonly T[], form: typeof exactForm): readonly T[] {
  const wanted = form(text);
  return items.filter(({ name }) => form(name) === wanted);
}

async function findByPath(
  path: readonly string[],
  decks: readonly KnownDeck[],
  look: Look,
  form: typeof exactForm,
): Promise<readonly KnownDeck[]> {
  const candidates = namedBy(path.at(-1) ?? "", decks, form);
  if (path.length === 1) return candidates;
  // `/Name`: from the root, where all longer paths begin anyway.
  const wanted = (path[0] === "" ? path.slice(1) : path).map(form);
  const found: KnownDeck[] = [];
  for (const candidate of candidates) {
    const names = (await lineOf(candidate.id, look)).map((deck) => form(deck.name));
    if (names.length === wanted.length && names.every((name, index) => name === wanted[index]))
      found.push(candidate);
  }
  return found;
}

async function liveOnes(found: readonly KnownDeck[], look: Look): Promise<readonly KnownDeck[]> {
  if (found.length === 1) return found;
  const lines: KnownDeck[][] = [];
  for (const { id } of found) lines.push(await lineOf(id, look));
  // Trashing a deck trashes the decks under it.
  const live = lines.filter((line) => !isTrashed(line));
  return (live.length > 0 ? live : lines).flatMap((line) => line.at(-1) ?? []);
}

/** A deck and those above it, the highest first. Empty for a missing deck; one whose parent is missing is a root. */
export async function lineOf<T extends KnownDeck>(deckId: string, look: Look<T>): Promise<T[]> {
  const line: T[] = [];
  const met = new Set<string>();
  for (let id: string | null | undefined = deckId; id != null && !met.has(id); ) {
    met.add(id);
    const each: T | undefined = await look(id);
    if (each === undefined) break;
    line.push(each);
    id = each.parent;
  }
  return line.reverse();
}

/** How many candidates the error for an ambiguous name lists. */
const listedCandidates = 20;

/** The error for an ambiguous name. @param hint what would tell those that were found apart */
export async function ambiguous<T extends Named>(
  kind: string,
  text: string,
  found: readonly T[],
  labelOf: (item: T) => string | Promise<string>,
  hint: string,
): Promise<UsageError> {
  const candidates: string[] = [];
  for (const item of found.slice(0, listedCandidates)) candidates.push(`${item.id} (${await labelOf(item)})`);
  const more = found.length > candidates.length ? ` and ${found.length - candidates.length} more` : "";
  return new UsageError(
    `${kind} ${JSON.stringify(text)} is ambiguous; it names ${found.length} of them: ${candidates.join(", ")}${more}`,
    { hint },
  );
}

/** The error for an unknown id or name; it suggests the nearest names, or where to look. */
export function notFound(kind: string, text: string, all: readonly Named[]): DeckhandError {
  const last = splitPath(text).at(-1) ?? text;
  const near = nearestItems(last, all).map(({ id, name }) => `${JSON.stringify(name)} (${id})`);
  const message = `${kind} ${JSON.stringify(text)} was not found`;
  if (near.length > 0) return new DeckhandError("not-found", `${message}; nearest: ${near.join(", ")}`);
  const none = `There are no ${kind}s yet. Create one with \`deckhand ${kind}s create\`.`;
  return new DeckhandError("not-found", message, {
    hint: all.length === 0 ? none : `See \`deckhand ${kind}s list\`.`,
  });
}
