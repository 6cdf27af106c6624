import { existsSync } from "node:fs";
import { join } from "node:path";
import { foldedName, safeId } from "../files/safe-names.ts";
import { apartFolder, folderName, templatesFolder, withoutDeck } from "../folder/layout.ts";
import { templateFileName } from "../transfer/formats/markdown/write-files.ts";
import { isSameDeck, mergeDecks } from "./deck-doc.ts";
import { deckKey, type FolderState } from "./scan-folder.ts";
import type { ServiceDeck, ServiceState } from "./scan-service.ts";
import type { State } from "./state.ts";
import type { DeckChange, DeckDoc, FolderDeck, Preference, TemplateChange } from "./types.ts";

interface DeckStates {
  readonly state: State;
  readonly folders: ReadonlyMap<string, FolderDeck>;
  readonly decks: ServiceState["decks"];
  /** The deck that is synced: its own place in the tree is never changed. */
  readonly scope: string | undefined;
  /** The side whose values a deck gets that were changed on both. */
  readonly prefer?: Preference | undefined;
  /** The decks of cards that will become files. */
  readonly needed: ReadonlySet<string>;
}

/** What is to be done so that folders and decks are the same, parents first. */
export function planDecks(states: DeckStates): DeckChange[] {
  const { state, folders, needed, decks } = states;
  const changes = [...folders.values()].flatMap((folder) => planFolder(folder, states) ?? []);
  const paths = new Map<string, string>();
  for (const { id, path } of folders.values()) if (id !== undefined) paths.set(id, path);
  const used = new Set([...folders.keys(), withoutDeck, apartFolder].map(foldedName));
  const write = (deck: ServiceDeck, line: ReadonlySet<string>): string => {
    const there = paths.get(deck.id);
    if (there !== undefined) return there;
    const { parent: place } = deck.doc;
    const parent = place === null || line.has(place) ? undefined : decks.get(place);
    const above = parent === undefined ? "" : `${write(parent, new Set([...line, deck.id]))}/`;
    let path = above + folderName({ id: deck.id, name: deck.doc.name });
    if (used.has(foldedName(path))) path = `${path}-${safeId(deck.id)}`;
    used.add(foldedName(path));
    paths.set(deck.id, path);
    changes.push({ thing: "deck", op: "create", side: "folder", path, id: deck.id, to: deck.doc });
    return path;
  };
  for (const deck of decks.values())
    if (!paths.has(deck.id) && !deck.trashed && (needed.has(deck.id) || !state.decks.has(deck.id)))
      write(deck, new Set([deck.id]));
  return changes;
}

/** Undefined where both sides are as they were. */
function planFolder(folder: FolderDeck, states: DeckStates): DeckChange | undefined {
  const { state, folders, scope, decks, prefer } = states;
  const { path, id, name: given, settings } = folder;
  const above = folder.parent === undefined ? undefined : folders.get(folder.parent);
  const parent = above === undefined ? (scope ?? null) : deckKey(above);
  const change = { thing: "deck", path, id, folder, to: { ...settings, name: given, parent } } as const;
  if (folder.problem !== undefined) return leave(change, folder.problem);
  if (id === undefined) return { ...change, op: "create", side: "service" };
  const deck = decks.get(id);
  if (deck === undefined || deck.trashed) return leave(change, deck === undefined ? deleted : inTrash);
  const { doc: theirs } = deck;
  const known = state.decks.get(id);
  const isAtTop = folder.parent === undefined && theirs.parent !== null && !decks.has(theirs.parent);
  const isApart = path.startsWith(`${apartFolder}/`) || id === scope || isAtTop;
  const place = isApart ? theirs.parent : parent;
  if (folder.hash === undefined)
    return { ...change, op: "create", side: "folder", to: { ...theirs, parent: place } };
  const last = path.slice(path.lastIndexOf("/") + 1);
  const pending = state.renaming(id);
  const isOurs = known?.doc.name === given || pending.includes(given);
  const isRenamed = known !== undefined && isOurs && !`/${known.path}`.endsWith(`/${last}`);
  const ours: DeckDoc = { ...settings, name: isRenamed ? last : given, parent: place };
  const { doc: to, values } = mergeDecks(known?.doc, ours, theirs, prefer);
  if (values.length > 0) {
    const there = values.includes("name") ? ` (in the collection it is called ${theirs.name})` : "";
    const note = `both sides changed its ${values.join(" and ")}${there}: choose a side with --prefer folder or --prefer service`;
    return leave(change, note, true);
  }
  const [inFolder, inService] = [!isSameDeck(to, ours), !isSameDeck(to, theirs)];
  const isSame = known?.path === path && isSameDeck(known.doc, to) && pending.length === 0;
  if (!inFolder && !inService) return isSame ? undefined : { ...change, op: "record", side: "none", to };
  const before = inService ? theirs.name : given;
  const renamed = before === to.name ? undefined : before;
  const side = inFolder && inService ? "both" : inFolder ? "folder" : "service";
  return { ...change, op: "update", side, to, renamed };
}

const deleted =
  "its deck was deleted in the collection: delete the folder, or its deck.yaml to create the deck again";
const inTrash =
  "its deck is in the trash of the collection: restore it with `deckhand decks restore`, or delete the folder";

const leave = (change: Omit<DeckChange, "op" | "side">, note: string, conflict = false): DeckChange => ({
  ...change,
  ...{ op: "leave", side: "none", note, conflict, failed: !conflict },
});

/** Templates can only be created, on either side: a file that has no id gets that of the template of its name. */
export function planTemplates(
  root: string,
  { templates: files }: FolderState,
  { templates }: ServiceState,
  isWhole: boolean,
): TemplateChange[] {
  const changes: TemplateChange[] = [];
  const known = new Set(templates.map(({ id }) => id));
  for (const template of files) {
    const { path, id } = template;
    if (id !== undefined && known.has(id)) continue;
    const there = templates.find(({ name }) => name === template.document["name"]);
    if (there === undefined)
      changes.push({ thing: "template", op: "create", side: "service", path, template });
    else if (id === undefined)
      changes.push({ thing: "template", op: "record", side: "none", path, id: there.id, template });
  }
  const written = new Set(files.map(({ id }) => id));
  for (const template of isWhole ? templates : []) {
    const path = `${templatesFolder}/${templateFileName(template)}`;
    if (!written.has(template.id) && !existsSync(join(root, path)))
      changes.push({ thing: "template", op: "create", side: "folder", path, id: template.id, template });
  }
  return changes;
}
