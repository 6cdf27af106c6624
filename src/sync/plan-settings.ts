import { deckSettings, settingsOf } from "../schema/today.ts";
import { deckKey } from "./scan-folder.ts";
import type { ServiceDeck } from "./scan-service.ts";
import type { DeckSettings, FolderDeck, Preference, SettingsChange } from "./types.ts";

/** The settings of decks in `deck.yaml` (the extension `deck-settings`), merged setting by setting. */

export const settingNames = Object.keys(deckSettings);

export const isSameSettings = (one: DeckSettings, other: DeckSettings): boolean =>
  settingNames.every((name) => one[name] === other[name]);

interface SettingsStates {
  readonly base: ReadonlyMap<string, DeckSettings>;
  readonly folders: ReadonlyMap<string, FolderDeck>;
  readonly decks: ReadonlyMap<string, ServiceDeck>;
  /** Whether the service has settings of decks. */
  readonly hasSettings: boolean;
  readonly prefer?: Preference | undefined;
}

export function planSettings({
  base,
  folders,
  decks,
  hasSettings,
  prefer,
}: SettingsStates): SettingsChange[] {
  const changes: SettingsChange[] = [];
  const written = new Set<string>();
  for (const { path, id, hash, problem, settings: ours = {}, ...folder } of folders.values()) {
    if (hash === undefined || problem !== undefined) continue;
    const deck = id === undefined ? undefined : decks.get(id);
    if (id !== undefined && (deck === undefined || deck.trashed)) continue;
    if (id !== undefined) written.add(id);
    const { settings: theirs = {} } = deck ?? {};
    const change = { thing: "settings", path, id, key: deckKey({ id, path }), ours, theirs } as const;
    if (!hasSettings) {
      const note = `${Object.keys(ours).join(", ")} in its deck.yaml is not synced: this service has no settings of decks`;
      if (!isSameSettings(ours, {})) changes.push({ ...change, op: "leave", side: "none", to: ours, note });
      continue;
    }
    const known = base.get(id ?? "") ?? {};
    const to = merged(known, ours, theirs, prefer);
    if (to === undefined) {
      const note = `${folder.name}: a setting of the deck was changed on both sides: choose one with --prefer folder or --prefer service`;
      changes.push({ ...change, op: "leave", side: "none", to: ours, note, conflict: true });
    } else if (!isSameSettings(to, ours) || !isSameSettings(to, theirs)) {
      const side = isSameSettings(to, ours) ? "service" : isSameSettings(to, theirs) ? "folder" : "both";
      changes.push({ ...change, op: "update", side, to });
    } else if (!isSameSettings(to, known)) changes.push({ ...change, op: "record", side: "none", to });
  }
  // Those that this sync writes into a new `deck.yaml`.
  for (const { id, name, trashed, settings: to = {} } of hasSettings ? decks.values() : [])
    if (!written.has(id) && !trashed && !isSameSettings(to, base.get(id) ?? {})) {
      const change = { thing: "settings", path: name, id, key: id, ours: to, theirs: to, to } as const;
      changes.push({ ...change, op: "record", side: "none" });
    }
  return changes;
}

/** Each setting as the side that changed it has it; undefined where both did, to different values. */
function merged(
  known: DeckSettings,
  ours: DeckSettings,
  theirs: DeckSettings,
  prefer: Preference | undefined,
): DeckSettings | undefined {
  const to: Record<string, unknown> = {};
  for (const name of settingNames) {
    const [base, here, there] = [known[name], ours[name], theirs[name]];
    if (here !== there && here !== base && there !== base && prefer === undefined) return undefined;
    const isHere = here !== base && (there === base || prefer === "folder");
    to[name] = isHere ? here : there;
  }
  return settingsOf(to);
}
