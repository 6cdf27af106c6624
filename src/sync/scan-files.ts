import { filesFolder } from "../folder/layout.ts";
import { hashAt, isSameStat, statOf } from "../folder/stat.ts";
import type { State } from "./state.ts";
import { scannedEntries } from "./steady-scan.ts";
import type { BaseFile, Embed, FileCard, FolderFile } from "./types.ts";

/**
 * The files of a card, in the folder beside its file. Those that have not changed since the last sync are not read.
 *
 * @param known what the last sync recorded, by path
 */
export function scanFiles(
  root: string,
  folder: string,
  ignored: (path: string) => boolean,
  known: ReadonlyMap<string, BaseFile>,
): FolderFile[] {
  const files: FolderFile[] = [];
  for (const entry of scannedEntries(root, folder)) {
    const path = `${folder}/${entry.name}`;
    if (!entry.isFile() || entry.name.startsWith(".") || ignored(path)) continue;
    const stat = statOf(`${root}/${path}`);
    const before = known.get(path);
    const isSame = before !== undefined && isSameStat(before, stat);
    const hash = isSame ? before.hash : hashIfThere(`${root}/${path}`);
    if (hash !== undefined) files.push({ file: entry.name, hash, ...stat });
  }
  return files;
}

/** Undefined for a file that cannot be read: it is not synced. */
function hashIfThere(path: string): string | undefined {
  try {
    return hashAt(path);
  } catch {
    return undefined;
  }
}

/** The files of cards. */
export interface ScannedFiles {
  /** Those that are new or changed, or had to be read. */
  readonly others: readonly FileCard[];
  /** The ids of cards whose files are as at the last sync: what they are, the state has. */
  readonly unchanged: ReadonlySet<string>;
}

/**
 * Adds the pictures that notes embed; those of notes that were not read are as at the last sync.
 *
 * @param attachments the files of cards, by the paths of the cards' files
 * @param known what the last sync recorded, by path
 */
export function scanEmbeds(
  root: string,
  { others, unchanged }: ScannedFiles,
  state: State,
  attachments: Map<string, readonly FolderFile[]>,
  known: ReadonlyMap<string, BaseFile>,
): void {
  const add = (card: string, { name, path }: Embed) => {
    const stat = statOf(`${root}/${path}`);
    const before = known.get(path);
    const hash = before && isSameStat(before, stat) ? before.hash : hashIfThere(`${root}/${path}`);
    if (hash !== undefined)
      attachments.set(card, [...(attachments.get(card) ?? []), { file: name, path, hash, ...stat }]);
  };
  for (const { path, embeds = [] } of others) for (const embed of embeds) add(path, embed);
  for (const [id, files] of state.files) {
    const card = unchanged.has(id) ? state.card(id)?.path : undefined;
    if (card === undefined) continue;
    for (const [name, { path }] of files)
      if (!path.startsWith(`${filesFolder(card)}/`)) add(card, { name, path });
  }
}
