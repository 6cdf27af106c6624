import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { UsageError } from "../../errors.ts";
import { readMatter } from "../front-matter.ts";
import { deckFile, markerName, templatesFolder } from "./markdown-files.ts";

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
