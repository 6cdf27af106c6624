import type { Source, SourceDeck } from "../model.ts";
import { isTelling, type KnownKeys } from "./known.ts";

/** A deck that the account has. */
interface DeckThere {
  readonly id: string;
  readonly name: string;
  readonly parent: string | undefined;
  readonly trashed: boolean;
}

/**
 * The decks of a source that the account has, by their keys: by id, by what an earlier import made of them, else by name
 * at the same place. A deck of the account matches one of the source at most.
 *
 * @param deck the one below which decks without a parent go
 */
export function matchDecks(
  source: Source,
  there: readonly DeckThere[],
  known: KnownKeys,
  deck: string | undefined,
): Map<string, string> {
  const byId = new Map(there.map((each) => [each.id, each]));
  const byPlace = new Map<string, DeckThere[]>();
  for (const each of there) {
    const key = placeKey(each.parent, each.name, each.trashed);
    const same = byPlace.get(key);
    if (same === undefined) byPlace.set(key, [each]);
    else same.push(each);
  }
  const used = new Set<string>();
  const found = new Map<string, string>();
  const byKey = ({ id, key }: SourceDeck) =>
    byId.get(id ?? "") ??
    (isTelling(key) ? (byId.get(key) ?? byId.get(known.find("deck", key)?.id ?? "")) : undefined);
  for (const each of source.decks) {
    const id = byKey(each)?.id;
    if (id === undefined || used.has(id)) continue;
    used.add(id);
    found.set(each.key, id);
  }
  for (const each of source.decks) {
    if (found.has(each.key)) continue;
    const trashed = (each.body["trashed?"] ?? null) !== null;
    const parent = each.parent === undefined ? deck : found.get(each.parent);
    if (each.parent !== undefined && parent === undefined) continue;
    const free = byPlace.get(placeKey(parent, each.body.name, trashed))?.find(({ id }) => !used.has(id));
    if (free === undefined) continue;
    used.add(free.id);
    found.set(each.key, free.id);
  }
  return found;
}

/** A deck in the trash matches only one that is in the trash in the source, too. */
const placeKey = (parent: string | undefined, name: string, trashed: boolean) =>
  JSON.stringify([parent ?? null, name.normalize("NFC"), trashed]);
