import type { CachedDeck, CachedName } from "./cache.ts";
import { exactForm, foldedForm } from "./match.ts";

/** A deck as in an answer: the list may omit everything but id and name. */
export interface DeckFields {
  readonly id: string;
  readonly name?: string | null | undefined;
  readonly sort?: number | null | undefined;
  readonly "parent-id"?: string | null | undefined;
  readonly "trashed?"?: string | null | undefined;
  readonly "archived?"?: boolean | null | undefined;
}

export interface NamedFields {
  readonly id: string;
  readonly name?: string | null | undefined;
  /** Of a template: its fields by id. */
  readonly fields?:
    | Readonly<Record<string, { readonly name?: string | null | undefined } | null | undefined>>
    | null
    | undefined;
}

/**
 * The items of the list, each with its parent, if the list has parents at all: then an item without one is at the root
 * (docs/design/cli.md, Naming things), and need not be retrieved.
 */
export function withParents(list: readonly DeckFields[]): readonly DeckFields[] {
  const has = (item: DeckFields) => Object.hasOwn(item, "parent-id");
  return list.some(has) ? list.map((item) => (has(item) ? item : { ...item, "parent-id": null })) : list;
}

/** A deck after its list item was read: what the item omits remains as it was known. */
function listed(item: DeckFields, before: CachedDeck | undefined, at: number): CachedDeck {
  const has = (field: keyof DeckFields) => Object.hasOwn(item, field);
  return {
    id: item.id,
    name: item.name ?? "",
    sort: item.sort ?? before?.sort,
    parent: has("parent-id") ? (item["parent-id"] ?? null) : before?.parent,
    trashed: has("trashed?") ? item["trashed?"] != null : unlessTaken(before?.trashed, has("parent-id")),
    archived: has("archived?") ? item["archived?"] === true : unlessTaken(before?.archived, has("parent-id")),
    seen: has("parent-id") ? at : before?.seen,
  };
}

/** A list with parents marks the decks in the trash and archived ones: another program may have taken the flag off. */
const unlessTaken = (flag: boolean | undefined, marks: boolean) => (marks && flag ? undefined : flag);

/** The decks after the list was read at that instant: those of the list, and those that were retrieved later. */
export function withList(
  decks: readonly CachedDeck[],
  list: readonly DeckFields[],
  isLater: (deck: CachedDeck) => boolean,
  at: number,
): readonly CachedDeck[] {
  const before = new Map(decks.map((deck) => [deck.id, deck]));
  const ids = new Set(list.map(({ id }) => id));
  const items = list.map((item) => {
    const known = before.get(item.id);
    return known !== undefined && isLater(known) ? known : listed(item, known, at);
  });
  return [...items, ...decks.filter((deck) => isLater(deck) && !ids.has(deck.id))];
}

/** A deck after it was retrieved: what it omits is false or null. */
export const whole = (deck: DeckFields, at: number): CachedDeck => ({
  id: deck.id,
  name: deck.name ?? "",
  sort: deck.sort ?? undefined,
  parent: deck["parent-id"] ?? null,
  trashed: deck["trashed?"] != null,
  archived: deck["archived?"] === true,
  seen: at,
});

export const named = ({ id, name, fields }: NamedFields): CachedName => ({
  id,
  name: name ?? "",
  ...(fields ? { fields: Object.entries(fields).map(([key, field]) => field?.name || key) } : {}),
});

/** The items with this one instead of the one with its id, or at the end. */
export const put = <T extends { readonly id: string }>(items: readonly T[], item: T): T[] =>
  items.some(({ id }) => id === item.id)
    ? items.map((each) => (each.id === item.id ? item : each))
    : [...items, item];

/** The items that a text names: by id, else by exact name, else ignoring case. */
export function findNamed(text: string, items: readonly CachedName[]): readonly CachedName[] {
  const byId = items.find(({ id }) => id === text);
  if (byId !== undefined) return [byId];
  for (const form of [exactForm, foldedForm]) {
    const wanted = form(text);
    const found = items.filter(({ name }) => form(name) === wanted);
    if (found.length > 0) return found;
  }
  return [];
}

/** The ids of decks with those of all decks under them. */
export function idsUnder(ids: readonly string[], decks: readonly CachedDeck[]): ReadonlySet<string> {
  const children = new Map<string, string[]>();
  for (const deck of decks) {
    if (deck.parent == null) continue;
    const siblings = children.get(deck.parent);
    if (siblings === undefined) children.set(deck.parent, [deck.id]);
    else siblings.push(deck.id);
  }
  const inside = new Set(ids);
  // A set is walked in the order of insertion, what is added on the way included.
  for (const each of inside) for (const child of children.get(each) ?? []) inside.add(child);
  return inside;
}

/** The ids of the decks below one that is not among them. */
export function orphanedIds(decks: readonly CachedDeck[]): ReadonlySet<string> {
  const ids = new Set(decks.map(({ id }) => id));
  const deleted = decks.flatMap(({ parent }) => (parent == null || ids.has(parent) ? [] : [parent]));
  const inside = new Set(idsUnder(deleted, decks));
  for (const id of deleted) inside.delete(id);
  return inside;
}
