import { foldedName, safeId, safeName } from "../../../files/safe-names.ts";
import { apartFolder, folderName } from "../../../folder/layout.ts";

interface FolderDeck {
  readonly id: string;
  readonly name?: string | null | undefined;
  readonly "parent-id"?: string | null | undefined;
}

interface DeckFolder {
  /** Names of folders from the root. */
  readonly path: readonly string[];
  /** Whether the folder lies where the deck lies in the tree. */
  readonly inTree: boolean;
}

// Paths that are longer make trouble on Windows and in archives.
const longestPath = 300;

/**
 * The folder of each deck: its name below the folder of the deck above it. Where siblings would share a folder, on file
 * systems that ignore case, too, each of them gets its id; so a folder does not depend on the order of the decks. Decks
 * in a circle, and those too far down, lie by themselves.
 */
export function deckFolders(decks: readonly FolderDeck[]): Map<string, DeckFolder> {
  const byId = new Map(decks.map((deck) => [deck.id, deck]));
  const siblings = new Map<string, number>();
  for (const deck of decks) {
    const key = siblingKey(deck, byId);
    siblings.set(key, (siblings.get(key) ?? 0) + 1);
  }
  const folders = new Map<string, DeckFolder>();
  const used = new Set<string>();
  const place = (deck: FolderDeck, below: ReadonlySet<string>): DeckFolder => {
    const known = folders.get(deck.id);
    if (known !== undefined) return known;
    const isShared = (siblings.get(siblingKey(deck, byId)) ?? 0) > 1 && safeName(deck.name ?? "") !== "";
    const name = `${folderName(deck)}${isShared ? `-${safeId(deck.id)}` : ""}`;
    const parent = typeof deck["parent-id"] === "string" ? byId.get(deck["parent-id"]) : undefined;
    let folder: DeckFolder = { path: [name], inTree: true };
    if (parent !== undefined) {
      const circle = below.has(parent.id) || below.size > 200;
      const above = circle ? undefined : place(parent, new Set([...below, deck.id])).path;
      const path = above && [...above, name];
      folder =
        path && Buffer.byteLength(path.join("/")) <= longestPath ? { path, inTree: true } : apart(deck);
    }
    const key = foldedName(folder.path.join("/"));
    if (used.has(key)) folder = apart(deck);
    used.add(key);
    folders.set(deck.id, folder);
    return folder;
  };
  for (const deck of decks) place(deck, new Set([deck.id]));
  return folders;
}

const apart = (deck: FolderDeck): DeckFolder => ({ path: [apartFolder, safeId(deck.id)], inTree: false });

const siblingKey = (deck: FolderDeck, byId: ReadonlyMap<string, FolderDeck>) => {
  const parent = deck["parent-id"];
  return JSON.stringify([
    typeof parent === "string" && byId.has(parent) ? parent : null,
    foldedName(folderName(deck)),
  ]);
};
