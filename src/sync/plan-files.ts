import { foldedName, safeFileName } from "../files/safe-names.ts";
import { filesFolder } from "../folder/layout.ts";
import { isSameStat } from "../folder/stat.ts";
import type { ScannedFiles } from "./scan-files.ts";
import { isLive, type ScannedCards } from "./scan-service.ts";
import type { ServiceFiles } from "./scan-service-files.ts";
import type { State as Base } from "./state.ts";
import type { BaseFile, FileCard, FolderFile, Item, Preference, ServiceFile } from "./types.ts";

/**
 * - `upload`: the service gets the file of the folder. `download`: the folder gets that of the service.
 * - `adopt-file`: both sides have the same one and only the base changes; `refresh-file` if only its times do.
 * - `forget-file`: neither side has it. `left-file`: nothing is done, for the reason in `note`.
 * - `unfetched`: only the service has it, and does not let it be downloaded.
 */
export interface FileItem {
  readonly kind:
    | "upload"
    | "download"
    | "adopt-file"
    | "refresh-file"
    | "forget-file"
    | "left-file"
    | "unfetched";
  /** The id of its card; undefined for a card that is yet to be created. */
  readonly card: string | undefined;
  /** The file of its card as it was scanned; undefined for one that is yet to be written. */
  readonly cardPath: string | undefined;
  /** The name of the attachment. */
  readonly name: string;
  /** Its path in the folder, where that is known; else its name. */
  readonly path: string;
  /** The name of its file: as it is, or as it will be. */
  readonly target: string;
  readonly file?: FolderFile | undefined;
  readonly there?: ServiceFile | undefined;
  readonly known?: BaseFile | undefined;
  readonly note?: string;
  readonly conflict?: boolean;
}

interface FileStates {
  /** The plan for cards. */
  readonly items: readonly Item[];
  /** The file of each card, without unchanged files, but for those whose ids other files have, too. */
  readonly changed: ReadonlyMap<string, FileCard>;
  readonly files: ScannedFiles;
  readonly cards: ScannedCards;
  readonly base: Base;
  /** The files beside cards, by the paths of the cards' files. */
  readonly folder: ReadonlyMap<string, readonly FolderFile[]>;
  readonly service: ServiceFiles;
  readonly prefer?: Preference | undefined;
}

const withoutFiles: ReadonlySet<Item["kind"]> = new Set(["trash-card", "trash-file", "forget", "create"]);

/**
 * What is to be done so that cards have the same attachments on both sides: each is added where it is missing, or
 * replaced where only the other side was changed, and never removed.
 */
export function planFiles(states: FileStates): FileItem[] {
  const { items, changed, files, cards, base, folder, service } = states;
  const planned: FileItem[] = [];
  const kinds = new Map<string, Item["kind"]>();
  for (const { id, kind } of items) if (id !== undefined) kinds.set(id, kind);
  const ids = new Set([...service.byCard.keys(), ...base.files.keys()]);
  for (const [id, { path }] of changed) if (folder.has(path)) ids.add(id);
  for (const path of folder.keys()) {
    for (const { id } of base.cardsAt(path)) if (files.unchanged.has(id)) ids.add(id);
  }
  for (const id of ids) {
    const [kind, cardPath] = [
      kinds.get(id),
      (changed.get(id) ?? (files.unchanged.has(id) ? base.card(id) : undefined))?.path,
    ];
    const isThere = isLive(cards, id) || kind === "restore";
    if (!isThere || (kind !== undefined && withoutFiles.has(kind))) continue;
    if (cardPath !== undefined || kind === "write") planned.push(...planCardFiles(id, cardPath, states));
  }
  for (const { kind, file } of items)
    if (kind === "create" && file !== undefined && folder.has(file.path))
      planned.push(...planCardFiles(undefined, file.path, states));
  return planned;
}

/** The attachments of one card. */
function planCardFiles(
  card: string | undefined,
  cardPath: string | undefined,
  { base, folder, service, prefer }: FileStates,
): FileItem[] {
  const there = new Map((service.byCard.get(card ?? "") ?? []).map((each) => [each.name, each]));
  const known = base.files.get(card ?? "") ?? new Map<string, BaseFile>();
  const disk = cardPath === undefined ? [] : (folder.get(cardPath) ?? []);
  const matched = matchFiles([...new Set([...there.keys(), ...known.keys()])].sort(), known, disk);
  // Without a list, the attachments of a card are known if a sync of this folder has created it.
  const isKnown = service.lists || service.names || card === undefined || base.card(card)?.created === true;
  const items: FileItem[] = [];
  for (const [name, { file, target }] of matched) {
    const beside = cardPath === undefined ? name : `${filesFolder(cardPath)}/${target}`;
    const place = file?.path ?? beside;
    const state = { file, there: there.get(name), known: known.get(name) };
    const decided = service.lists
      ? decide(state, { fetches: service.fetches, prefer, place })
      : decideUnlisted(state, { isKnown, prefer });
    if (decided !== undefined)
      items.push({ card, cardPath, name, path: place, target, ...state, ...decided });
  }
  return items;
}

type State = Pick<FileItem, "file" | "there" | "known">;
type Decided = Pick<FileItem, "kind" | "note" | "conflict">;

const left = (note: string, conflict = false): Decided => ({ kind: "left-file", note, conflict });

function decide(
  { file, there, known }: State,
  { fetches, prefer, place }: { fetches: boolean; prefer: Preference | undefined; place: string },
): Decided | undefined {
  if (there === undefined) return { kind: file === undefined ? "forget-file" : "upload" };
  if (file === undefined) return { kind: fetches ? "download" : "unfetched" };
  if (file.hash === there.hash) {
    if (known?.hash !== file.hash || known.path !== place) return { kind: "adopt-file" };
    return isSameStat(known, file) ? undefined : { kind: "refresh-file" };
  }
  // What is replaced is kept, so it has to be downloaded first.
  if (!fetches) return left("the service does not let attachments be downloaded");
  // A file in another place may be a new one, whose author has not seen the one that the card has.
  if (known !== undefined && known.hash === there.hash && known.path === place) return { kind: "upload" };
  if (known?.hash === file.hash) return { kind: "download" };
  if (prefer !== undefined) return { kind: prefer === "folder" ? "upload" : "download" };
  return left("both sides changed it: choose a side with --prefer folder or --prefer service", true);
}

/** For a service that does not list attachments: what it has cannot be compared, nor kept. */
function decideUnlisted(
  { file, there, known }: State,
  { isKnown, prefer }: { isKnown: boolean; prefer: Preference | undefined },
): Decided | undefined {
  if (file === undefined) return there && { kind: "unfetched" };
  if (known?.hash === file.hash) return undefined;
  if (prefer === "folder" || (known === undefined && there === undefined && isKnown))
    return { kind: "upload" };
  return left(
    known === undefined
      ? "the service may have another of this name; --prefer folder replaces it"
      : "the service does not let the one that it has be kept; --prefer folder replaces it",
  );
}

interface Matched {
  readonly file: FolderFile | undefined;
  readonly target: string;
}

/** The file of each attachment by its name; the files that are left are attachments of their names. */
function matchFiles(
  names: readonly string[],
  known: ReadonlyMap<string, BaseFile>,
  disk: readonly FolderFile[],
): ReadonlyMap<string, Matched> {
  const free = new Map(disk.map((file) => [file.file.normalize("NFC"), file]));
  const matched = new Map<string, Matched>();
  const match = (name: string, file: string | undefined) => {
    const found = matched.has(name) ? undefined : free.get(file?.normalize("NFC") ?? "");
    if (found === undefined || file === undefined) return;
    free.delete(file.normalize("NFC"));
    matched.set(name, { file: found, target: found.file });
  };
  for (const name of names) match(name, name);
  for (const name of names) match(name, known.get(name)?.path.split("/").at(-1));
  // Names differ in more than case on the disk.
  const used = new Set([...matched.values()].map(({ target }) => foldedName(target)));
  for (const name of names) {
    if (matched.has(name)) continue;
    const safe = safeFileName(name);
    let target = safe;
    for (let number = 2; used.has(foldedName(target)); number++)
      target = safe.replace(/(?=\.[A-Za-z\d]{1,10}$|$)/, `-${number}`);
    used.add(foldedName(target));
    match(name, target);
    if (!matched.has(name)) matched.set(name, { file: undefined, target });
  }
  for (const [name, file] of free) matched.set(name, { file, target: file.file });
  return matched;
}
