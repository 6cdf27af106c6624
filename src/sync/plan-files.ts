import { beforeEnding, foldedName, freeName, safeFileName } from "../files/safe-names.ts";
import { filesFolder } from "../folder/layout.ts";
import { isSameStat } from "../folder/stat.ts";
import type { ScannedFiles } from "./scan-files.ts";
import { isLive, type ScannedCards, type ServiceFiles } from "./scan-service.ts";
import type { State as Base } from "./state.ts";
import type { AttachmentChange, BaseFile, CardChange, FileCard, FolderFile, Preference } from "./types.ts";

interface FileStates {
  /** The plan for cards. */
  readonly changes: readonly CardChange[];
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

/** Whether a card has its attachments on both sides after a change. */
const hasFiles = ({ op, side }: CardChange) =>
  op !== "remove" && op !== "forget" && !(op === "create" && side === "service");

/**
 * What is to be done so that cards have the same attachments on both sides: each is added where it is missing, or
 * replaced where only the other side was changed, and never removed.
 */
export function planFiles(states: FileStates): AttachmentChange[] {
  const { changes, changed, files, cards, base, folder, service } = states;
  const planned: AttachmentChange[] = [];
  const byId = new Map(changes.flatMap((each) => (each.id === undefined ? [] : [[each.id, each] as const])));
  const ids = new Set([...service.byCard.keys(), ...base.files.keys()]);
  for (const [id, { path }] of changed) if (folder.has(path)) ids.add(id);
  for (const path of folder.keys())
    for (const { id } of base.cardsAt(path)) if (files.unchanged.has(id)) ids.add(id);
  for (const id of ids) {
    const change = byId.get(id);
    const cardPath = (changed.get(id) ?? (files.unchanged.has(id) ? base.card(id) : undefined))?.path;
    const isThere = isLive(cards, id) || change?.op === "restore";
    if (!isThere || (change !== undefined && !hasFiles(change))) continue;
    if (cardPath !== undefined || change?.op === "create")
      planned.push(...planCardFiles(id, cardPath, states));
  }
  for (const { op, side, file } of changes)
    if (op === "create" && side === "service" && file !== undefined && folder.has(file.path))
      planned.push(...planCardFiles(undefined, file.path, states));
  return planned;
}

/** The attachments of one card. */
function planCardFiles(
  card: string | undefined,
  cardPath: string | undefined,
  { base, folder, service, prefer }: FileStates,
): AttachmentChange[] {
  const there = new Map((service.byCard.get(card ?? "") ?? []).map((each) => [each.name, each]));
  const known = base.files.get(card ?? "") ?? new Map<string, BaseFile>();
  const disk = cardPath === undefined ? [] : (folder.get(cardPath) ?? []);
  const matched = matchFiles([...new Set([...there.keys(), ...known.keys()])].sort(), known, disk);
  // Without a list, the attachments of a card are known if a sync of this folder has created it.
  const isKnown = service.lists || service.names || card === undefined || base.card(card)?.created === true;
  const changes: AttachmentChange[] = [];
  for (const [name, { file, target }] of matched) {
    const beside = cardPath === undefined ? name : `${filesFolder(cardPath)}/${target}`;
    const place = file?.path ?? beside;
    const state = { file, there: there.get(name), known: known.get(name) };
    const decided = service.lists
      ? decide(state, { prefer, place })
      : decideUnlisted(state, { isKnown, prefer });
    const change = { thing: "attachment", path: place, id: card, cardPath, name, target, ...state } as const;
    if (decided !== undefined) changes.push({ ...change, ...decided });
  }
  return changes;
}

type State = Pick<AttachmentChange, "file" | "there" | "known">;
type Decided = Pick<AttachmentChange, "op" | "side" | "note" | "conflict" | "failed">;

const upload: Decided = { op: "update", side: "service" };
const download: Decided = { op: "update", side: "folder" };
const skip: Decided = { op: "skip", side: "none" };
const leave = (note: string, conflict = false): Decided => ({
  ...{ op: "leave", side: "none", note, conflict, failed: !conflict },
});

function decide(
  { file, there, known }: State,
  { prefer, place }: { prefer: Preference | undefined; place: string },
): Decided | undefined {
  if (there === undefined) return file === undefined ? { op: "forget", side: "none" } : upload;
  if (file === undefined) return download;
  if (file.hash === there.hash) {
    const isKnown = known?.hash === file.hash && known.path === place && isSameStat(known, file);
    return isKnown ? undefined : { op: "record", side: "none" };
  }
  // A file in another place may be a new one, whose author has not seen the one that the card has.
  if (known !== undefined && known.hash === there.hash && known.path === place) return upload;
  if (known?.hash === file.hash) return download;
  if (prefer !== undefined) return prefer === "folder" ? upload : download;
  return leave("both sides changed it: choose a side with --prefer folder or --prefer service", true);
}

/** For a service that does not list attachments: what it has cannot be compared, nor kept. */
function decideUnlisted(
  { file, there, known }: State,
  { isKnown, prefer }: { isKnown: boolean; prefer: Preference | undefined },
): Decided | undefined {
  if (file === undefined) return there && skip;
  if (known?.hash === file.hash) return undefined;
  if (prefer === "folder" || (known === undefined && there === undefined && isKnown)) return upload;
  return leave(
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
    const isUsed = (each: string) => used.has(foldedName(each));
    const target = freeName(safe, isUsed, (number) => beforeEnding(safe, `-${number}`));
    used.add(foldedName(target));
    match(name, target);
    if (!matched.has(name)) matched.set(name, { file: undefined, target });
  }
  for (const [name, file] of free) matched.set(name, { file, target: file.file });
  return matched;
}
