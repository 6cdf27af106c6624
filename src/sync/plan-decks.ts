import { existsSync } from "node:fs";
import { join } from "node:path";
import { foldedName, safeId } from "../files/safe-names.ts";
import { apartFolder, folderName, templatesFolder, withoutDeck } from "../folder/layout.ts";
import { deckSettings, settingsOf } from "../schema/today.ts";
import { templateFileName } from "../transfer/formats/markdown/write-files.ts";
import { deckKey, type FolderState } from "./scan-folder.ts";
import type { ServiceDeck, ServiceState } from "./scan-service.ts";
import type { State } from "./state.ts";
import type { BaseDeck, DeckChange, DeckSettings, FolderDeck, Preference, TemplateChange } from "./types.ts";

export const settingNames = Object.keys(deckSettings);

export const isSameSettings = (one: DeckSettings, other: DeckSettings): boolean =>
  settingNames.every((name) => one[name] === other[name]);

interface DeckStates {
  readonly state: State;
  readonly folders: ReadonlyMap<string, FolderDeck>;
  readonly service: Pick<ServiceState, "decks" | "hasSettings">;
  /** The deck that is synced: its own place in the tree is never changed. */
  readonly scope: string | undefined;
  /** The side whose name, place and settings a deck gets that was changed on both. */
  readonly prefer?: Preference | undefined;
  /** The decks of cards that will become files. */
  readonly needed: ReadonlySet<string>;
}

/** What is to be done so that folders and decks are the same, parents first. */
export function planDecks(states: DeckStates): DeckChange[] {
  const { state, folders, needed } = states;
  const { decks } = states.service;
  const changes = [...folders.values()].flatMap((folder) => planFolder(folder, states));
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
    const { id, name, parent: inDeck, settings = {} } = deck;
    const change = { thing: "deck", op: "create", side: "folder", path, id, name, parent: inDeck } as const;
    changes.push({ ...change, settings: { ours: settings, theirs: settings, to: settings } });
    return path;
  };
  for (const deck of decks.values())
    if (!paths.has(deck.id) && !deck.trashed && (needed.has(deck.id) || !state.decks.has(deck.id)))
      write(deck, new Set([deck.id]));
  return changes;
}

function planFolder(folder: FolderDeck, states: DeckStates): DeckChange[] {
  const { state, folders, scope, service } = states;
  const { decks } = service;
  const { path, id, name: given } = folder;
  const above = folder.parent === undefined ? undefined : folders.get(folder.parent);
  const parent = above === undefined ? (scope ?? null) : deckKey(above);
  const deck = id === undefined ? undefined : decks.get(id);
  const settings = settingsFor(folder, deck?.settings, states);
  const change = { thing: "deck", path, id, name: given, parent, folder, settings } as const;
  if (folder.problem !== undefined) return [leave(change, folder.problem)];
  if (id === undefined)
    return [{ ...change, op: "create", side: "service" }, ...leftSettings(change, states)];
  if (deck === undefined || deck.trashed) return [leave(change, deck === undefined ? deleted : inTrash)];
  const known = state.decks.get(id);
  const isAtTop = folder.parent === undefined && deck.parent !== null && !decks.has(deck.parent);
  const isApart = path.startsWith(`${apartFolder}/`) || id === scope || isAtTop;
  const place = isApart ? deck.parent : parent;
  if (folder.hash === undefined)
    return [{ ...change, op: "create", side: "folder", name: deck.name, parent: place }];
  const last = path.slice(path.lastIndexOf("/") + 1);
  const pending = state.renaming(id);
  const isOurs = known?.name === given || pending.includes(given);
  const isRenamed = known !== undefined && isOurs && !`/${known.path}`.endsWith(`/${last}`);
  const name = isRenamed ? last : given;
  const named = { ...change, name, parent: place };
  const isSame = known?.path === path && known.name === name && known.parent === place;
  const placed =
    name !== deck.name || place !== deck.parent
      ? planChanged(named, deck, known, states.prefer)
      : ({ ...named, op: "record", side: "none" } as const);
  const planned = withSettings(placed, isSame && pending.length === 0, state.settings.get(id));
  return [...(planned ? [planned] : []), ...leftSettings(change, states)];
}

const deleted =
  "its deck was deleted in the collection: delete the folder, or its deck.yaml to create the deck again";
const inTrash =
  "its deck is in the trash of the collection: restore it with `deckhand decks restore`, or delete the folder";

const leave = (change: Omit<DeckChange, "op" | "side">, note: string, conflict = false): DeckChange => ({
  ...change,
  ...{ op: "leave", side: "none", note, conflict, failed: !conflict },
});

/** A change of a deck with that of its settings; undefined where both sides are as they were. */
function withSettings(change: DeckChange, isSame: boolean, known: DeckSettings = {}): DeckChange | undefined {
  const { settings } = change;
  if (settings === undefined || change.op === "leave")
    return change.op === "record" && isSame ? undefined : change;
  const { ours, theirs, to } = settings;
  const [inFolder, inService] = [!isSameSettings(to, ours), !isSameSettings(to, theirs)];
  const side = inFolder ? (inService ? "both" : "folder") : inService ? "service" : undefined;
  if (side === undefined)
    return change.op === "record" && isSame && isSameSettings(to, known) ? undefined : change;
  if (change.op === "record") return { ...change, thing: "settings", op: "update", side };
  return { ...change, side: change.side === side ? side : "both" };
}

/**
 * The settings of a deck in both places, and what they become: each as the side that changed it has it. Undefined where the
 * service has none, and where both sides changed one to different values.
 */
function settingsFor(
  { id = "", settings: ours = {} }: FolderDeck,
  theirs: DeckSettings = {},
  { state, service, prefer }: DeckStates,
): DeckChange["settings"] {
  const known = state.settings.get(id) ?? {};
  const to: Record<string, unknown> = {};
  for (const name of settingNames) {
    const [base, here, there] = [known[name], ours[name], theirs[name]];
    if (here !== there && here !== base && there !== base && prefer === undefined) return undefined;
    to[name] = here !== base && (there === base || prefer === "folder") ? here : there;
  }
  return service.hasSettings ? { ours, theirs, to: settingsOf(to) } : undefined;
}

/** Says which settings are not synced. */
function leftSettings(change: Omit<DeckChange, "op" | "side">, { service }: DeckStates): DeckChange[] {
  const { folder, settings } = change;
  const names = Object.keys(folder?.settings ?? {});
  if (settings !== undefined || (!service.hasSettings && names.length === 0)) return [];
  const note = service.hasSettings
    ? `${change.name}: a setting of the deck was changed on both sides: choose one with --prefer folder or --prefer service`
    : `${names.join(", ")} in its deck.yaml is not synced: this service has no settings of decks`;
  return [{ ...leave(change, note, service.hasSettings), thing: "settings", failed: false }];
}

/** The plan for a deck whose name or place differs. */
function planChanged(
  change: Omit<DeckChange, "op" | "side">,
  deck: ServiceDeck,
  known: BaseDeck | undefined,
  prefer: Preference | undefined,
): DeckChange {
  const { name, parent } = change;
  const inFolder = known === undefined || name !== known.name || parent !== known.parent;
  const inService = known === undefined || deck.name !== known.name || deck.parent !== known.parent;
  const chosen = known === undefined && parent !== deck.parent && prefer === "service" ? undefined : prefer;
  const side = inFolder && inService ? chosen : inFolder ? "folder" : "service";
  const isRenamed = name !== deck.name;
  if (side === undefined) {
    const there = isRenamed ? `is called ${deck.name}` : "is elsewhere";
    const both = known ? ", and was renamed or moved here, too" : "";
    const note = `its deck ${there} in the collection${both}: choose a side with --prefer folder or --prefer service, or rename or move one of them`;
    return leave(change, note, true);
  }
  if (side === "folder")
    return { ...change, op: "update", side: "service", renamed: isRenamed ? deck.name : undefined };
  const place = { name: deck.name, parent: deck.parent };
  return { ...change, op: "update", side: "folder", ...place, renamed: isRenamed ? name : undefined };
}

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
