import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { UsageError } from "../../errors.ts";
import type { Spool, SpooledFile } from "../export/spool.ts";
import { readMatter } from "../front-matter.ts";
import { foldedName } from "../safe-names.ts";
import { deckFolders } from "./deck-folders.ts";
import {
  attachmentFiles,
  cardStem,
  cardText,
  deckFile,
  deckText,
  markerName,
  markerText,
  templateFileName,
  templatesFolder,
  templateText,
} from "./markdown-files.ts";

/** Writes the collection as a folder of files into an empty folder. */
export async function writeMarkdown(spool: Spool, root: string): Promise<void> {
  const made = new Set<string>();
  const put = (path: string, text: string) => {
    const folder = dirname(path);
    if (!made.has(folder)) mkdirSync(join(root, folder), { recursive: true });
    made.add(folder);
    writeFileSync(join(root, path), text);
  };
  put(markerName, markerText);
  const decks = await spool.decks();
  const folders = deckFolders(decks);
  for (const deck of decks) {
    const folder = folders.get(deck.id);
    if (folder) put([...folder.path, deckFile].join("/"), deckText(deck, !folder.inTree));
  }
  const names = new Map<string, string | undefined>();
  for (const template of await spool.templates()) {
    const name = template.name ?? "";
    names.set(template.id, name);
    put(`${templatesFolder}/${templateFileName(template)}`, templateText(template));
  }
  const counts = new Map<string, number>();
  for (const name of names.values()) counts.set(name ?? "", (counts.get(name ?? "") ?? 0) + 1);
  const templateName = (id: string) => {
    const name = names.get(id);
    return name !== undefined && counts.get(name) === 1 ? name : id;
  };
  const attachments = await spool.attachmentsByCard();
  const taken = new Map<string, Set<string>>();
  for await (const card of spool.cards()) {
    const deck = folders.get(card["deck-id"] ?? "");
    const folder = deck?.path.join("/") ?? `_without-deck`;
    const stem = freeStem(cardStem(card), folder, taken);
    const files = attachments.get(card.id) ?? [];
    const stored = attachmentFiles(
      files.filter(({ file }) => file !== undefined).map((each) => each["file-name"]),
    );
    const described = files.map((each) => ({
      fileName: each["file-name"],
      type: each.type,
      missing: each.file === undefined,
    }));
    const template = card["template-id"] ? templateName(card["template-id"]) : undefined;
    put(`${folder}/${stem}.md`, await cardText(card, template, described, stored));
    copyFiles(files, stored, spool, join(root, folder, `${stem}.files`));
  }
}

/** No two cards of a folder in one file, on file systems that ignore case either. */
function freeStem(stem: string, folder: string, taken: Map<string, Set<string>>): string {
  let names = taken.get(folder);
  if (names === undefined) {
    names = new Set();
    taken.set(folder, names);
  }
  let free = stem;
  for (let number = 2; names.has(foldedName(free)); number++) free = `${stem}~${number}`;
  names.add(foldedName(free));
  return free;
}

function copyFiles(
  files: readonly SpooledFile[],
  stored: ReadonlyMap<string, string>,
  spool: Spool,
  folder: string,
): void {
  for (const { file, "file-name": name } of files) {
    if (file === undefined) continue;
    mkdirSync(folder, { recursive: true });
    copyFileSync(spool.filePath(file), join(folder, stored.get(name) ?? name));
  }
}

/**
 * Makes a folder that holds an older export the new one: files that changed are replaced, those of ours that are no more
 * are removed, all else (`.git`, notes of one's own) stays.
 *
 * @throws UsageError, before anything is changed, for a folder that is not empty and no export
 */
export async function replaceFolder(fresh: string, target: string): Promise<void> {
  if (!existsSync(target)) {
    renameSync(fresh, target);
    return;
  }
  await assertOurs(target);
  const now = new Set(await filesUnder(fresh, ""));
  const before = await filesUnder(target, "");
  for (const path of now) {
    const [from, to] = [join(fresh, path), join(target, path)];
    if (existsSync(to) && readFileSync(from).equals(readFileSync(to))) continue;
    mkdirSync(dirname(to), { recursive: true });
    renameSync(from, to);
  }
  for (const path of before) {
    if (now.has(path) || !isOurs(target, path)) continue;
    rmSync(join(target, path));
    await removeEmpty(target, dirname(path));
  }
  await rm(fresh, { recursive: true, force: true });
}

/** @throws UsageError for a folder with something in it that no export put there */
export async function assertOurs(target: string): Promise<void> {
  const names = await readdir(target);
  if (names.includes(markerName) || names.every((name) => name.startsWith("."))) return;
  throw new UsageError(`${target} is not empty and holds no export`, {
    hint: "Give another folder, or an empty one.",
  });
}

/** Files that an export writes: cards have an id in their front matter, everything else has its own name and place. */
function isOurs(root: string, path: string): boolean {
  if (path === markerName || path.endsWith(`/${deckFile}`) || path.startsWith(`${templatesFolder}/`))
    return true;
  const inFiles = /^(.*)\.files\/[^/]+$/.exec(path);
  if (inFiles) return /-?[\w~-]+$/.test(inFiles[1] ?? "");
  if (!path.endsWith(".md")) return false;
  try {
    return readMatter(readFileSync(join(root, path), "utf8"), path).matter?.["id"] !== undefined;
  } catch {
    return false;
  }
}

/** The files below a folder, relative to the root; hidden ones and links are left out. */
async function filesUnder(root: string, path: string): Promise<string[]> {
  const files: string[] = [];
  for (const entry of await readdir(join(root, path), { withFileTypes: true })) {
    if (entry.name.startsWith(".")) continue;
    const below = path === "" ? entry.name : `${path}/${entry.name}`;
    if (entry.isDirectory()) files.push(...(await filesUnder(root, below)));
    else if (entry.isFile()) files.push(below);
  }
  return files;
}

async function removeEmpty(root: string, path: string): Promise<void> {
  for (let each = path; each !== "." && each !== ""; each = dirname(each)) {
    if ((await readdir(join(root, each))).length > 0) return;
    rmSync(join(root, each), { recursive: true });
  }
}
