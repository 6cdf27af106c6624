import { foldedName, safeId } from "../files/safe-names.ts";
import { apartFolder, folderName, withoutDeck } from "../folder/layout.ts";
import { deckKey, type FolderDeck } from "./scan-folder.ts";
import type { ServiceDeck } from "./scan-service.ts";
import type { BaseDeck, Preference } from "./types.ts";

/**
 * - `create-deck`: a folder becomes a deck. `write-deck`: a deck becomes a folder, or its folder gets a `deck.yaml`.
 * - `push-deck`: the service's deck gets the name and place of its folder. `pull-deck`: `deck.yaml` gets its name.
 * - `adopt-deck`: both sides agree and only the base changes. `left-deck`: nothing is done, for the reason in `note`.
 */
export interface DeckItem {
  readonly kind: "create-deck" | "write-deck" | "push-deck" | "pull-deck" | "adopt-deck" | "left-deck";
  readonly path: string;
  readonly id?: string | undefined;
  readonly name: string;
  /** The key of the deck above it. */
  readonly parent: string | null;
  /** The folder as it was scanned. */
  readonly folder?: FolderDeck | undefined;
  readonly note?: string;
  /** Whether a person has to choose a side. */
  readonly conflict?: boolean;
  /** The name that it has on the side that changes, if that is another one. */
  readonly renamed?: string | undefined;
}

interface DeckStates {
  readonly base: ReadonlyMap<string, BaseDeck>;
  readonly folders: ReadonlyMap<string, FolderDeck>;
  readonly decks: ReadonlyMap<string, ServiceDeck>;
  /** The deck that is synced: its own place in the tree is never changed. */
  readonly scope: string | undefined;
  /** The side whose name and place a deck gets that was renamed or moved on both. */
  readonly prefer?: Preference | undefined;
  /** The decks of cards that will become files. */
  readonly needed: ReadonlySet<string>;
}

/** What is to be done so that folders and decks are the same, parents first. */
export function planDecks(states: DeckStates): DeckItem[] {
  const { base, folders, decks, needed } = states;
  const items: DeckItem[] = [];
  for (const folder of folders.values()) {
    const item = planFolder(folder, states);
    if (item !== undefined) items.push(item);
  }
  const paths = new Map<string, string>();
  for (const { id, path } of folders.values()) if (id !== undefined) paths.set(id, path);
  const used = new Set([...folders.keys(), withoutDeck, apartFolder].map(foldedName));
  const write = (deck: ServiceDeck, line: ReadonlySet<string>): string => {
    const there = paths.get(deck.id);
    if (there !== undefined) return there;
    const parent = deck.parent === null || line.has(deck.parent) ? undefined : decks.get(deck.parent);
    const above = parent === undefined ? "" : `${write(parent, new Set([...line, deck.id]))}/`;
    let path = above + folderName(deck);
    if (used.has(foldedName(path))) path = `${path}-${safeId(deck.id)}`;
    used.add(foldedName(path));
    paths.set(deck.id, path);
    items.push({ kind: "write-deck", path, id: deck.id, name: deck.name, parent: deck.parent });
    return path;
  };
  for (const deck of decks.values())
    if (!paths.has(deck.id) && !deck.trashed && (needed.has(deck.id) || !base.has(deck.id)))
      write(deck, new Set([deck.id]));
  return items;
}

function planFolder(folder: FolderDeck, states: DeckStates): DeckItem | undefined {
  const { base, folders, decks, scope } = states;
  const { path, id } = folder;
  if (folder.problem !== undefined)
    return { kind: "left-deck", path, name: folder.name, parent: null, folder, note: folder.problem };
  const above = folder.parent === undefined ? undefined : folders.get(folder.parent);
  const isApart = path.startsWith(`${apartFolder}/`);
  const parent = above === undefined ? null : deckKey(above);
  if (id === undefined)
    return { kind: "create-deck", path, name: folder.name, parent: parent ?? scope ?? null, folder };
  const deck = decks.get(id);
  if (deck === undefined || deck.trashed)
    return {
      kind: "left-deck",
      path,
      id,
      name: folder.name,
      parent,
      folder,
      note:
        deck === undefined
          ? "its deck was deleted in the collection: delete the folder, or its deck.yaml to create the deck again"
          : "its deck is in the trash of the collection: restore it with `deckhand decks restore`, or delete the folder",
    };
  const known = base.get(id);
  const place =
    isApart ||
    id === scope ||
    (folder.parent === undefined && deck.parent !== null && !decks.has(deck.parent))
      ? deck.parent
      : parent;
  const last = path.slice(path.lastIndexOf("/") + 1);
  const isRenamed =
    known !== undefined &&
    known.name === folder.name &&
    !known.path.endsWith(`/${last}`) &&
    known.path !== last;
  const name = isRenamed ? last : folder.name;
  const item = { path, id, name, parent: place, folder };
  if (folder.hash === undefined) return { ...item, kind: "write-deck", name: deck.name };
  if (name === deck.name && place === deck.parent) {
    const same = known?.path === path && known.name === name && known.parent === place;
    return same ? undefined : { ...item, kind: "adopt-deck" };
  }
  return planChanged(item, deck, known, states.prefer);
}

/** The plan for a deck whose name or place differs. */
function planChanged(
  item: Omit<DeckItem, "kind">,
  deck: ServiceDeck,
  known: BaseDeck | undefined,
  prefer: Preference | undefined,
): DeckItem {
  const { name, parent } = item;
  const inFolder = known === undefined || name !== known.name || parent !== known.parent;
  const inService = known === undefined || deck.name !== known.name || deck.parent !== known.parent;
  const chosen = known === undefined && parent !== deck.parent && prefer === "service" ? undefined : prefer;
  const side = inFolder && inService ? chosen : inFolder ? "folder" : "service";
  const there = name === deck.name ? "is elsewhere" : `is called ${deck.name}`;
  if (side === undefined)
    return {
      ...item,
      kind: "left-deck",
      note: `its deck ${there} in the collection${known ? ", and was renamed or moved here, too" : ""}: choose a side with --prefer folder or --prefer service, or rename or move one of them`,
      conflict: true,
    };
  const isRenamed = name !== deck.name;
  return side === "folder"
    ? { ...item, kind: "push-deck", renamed: isRenamed ? deck.name : undefined }
    : {
        ...item,
        kind: "pull-deck",
        name: deck.name,
        parent: deck.parent,
        renamed: isRenamed ? name : undefined,
      };
}
