import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { safeId } from "../../files/safe-names.ts";
import { isMap } from "../../schema/index.ts";
import { readMatter, readYaml } from "../formats/markdown/front-matter.ts";
import { deckFile, markerName, templatesFolder } from "../formats/markdown/write-files.ts";

/** A file that an export put into a folder of markdown. */
export interface OurFile {
  /** Relative to the root of the folder, with `/`. */
  readonly path: string;
  readonly kind: "marker" | "deck" | "template" | "card" | "attachment";
  /** Of the deck, the template or the card; of an attachment, that of its card. */
  readonly id: string | undefined;
}

/** Which of the files an export wrote. Those are read of which the name alone does not tell. */
export function ourFiles(root: string, paths: Iterable<string>): OurFile[] {
  const cards = new Map<string, CardFiles>();
  const cardWith = (stem: string, name: string): string | undefined => {
    let card = cards.get(stem);
    if (card === undefined) {
      card = cardFiles(root, `${stem}.md`);
      cards.set(stem, card);
    }
    return card.names.has(name.normalize("NFC")) ? card.id : undefined;
  };
  const found: OurFile[] = [];
  for (const path of paths) {
    const [, stem, name] = /^(.*)\.files\/([^/]+)$/.exec(path) ?? [];
    if (stem !== undefined && name !== undefined) {
      const id = cardWith(stem, name);
      if (id !== undefined) found.push({ path, kind: "attachment", id });
      continue;
    }
    const kind = kindOf(path);
    const id = kind === undefined || kind === "marker" ? undefined : idOf(root, path, kind);
    if (kind === "marker" || (kind !== undefined && id !== undefined)) found.push({ path, kind, id });
  }
  return found;
}

/** The files below a folder, relative to it; hidden ones and links are left out. */
export async function filesUnder(root: string, path = ""): Promise<string[]> {
  const files: string[] = [];
  for (const entry of await readdir(join(root, path), { withFileTypes: true })) {
    if (entry.name.startsWith(".")) continue;
    const below = path === "" ? entry.name : `${path}/${entry.name}`;
    if (entry.isDirectory()) files.push(...(await filesUnder(root, below)));
    else if (entry.isFile()) files.push(below);
  }
  return files;
}

/** What a file would be if it is ours. */
function kindOf(path: string): Exclude<OurFile["kind"], "attachment"> | undefined {
  if (path === markerName) return "marker";
  if (path.endsWith(`/${deckFile}`)) return "deck";
  if (!path.endsWith(".md")) return undefined;
  return path.startsWith(`${templatesFolder}/`) ? "template" : "card";
}

/** The id that a file holds; undefined if it is none that an export names so: then somebody else wrote it. */
function idOf(root: string, path: string, kind: OurFile["kind"]): string | undefined {
  const id = matterOf(root, path)["id"];
  if (typeof id !== "string") return undefined;
  return kind === "deck" || isNamedAfter(basename(path, ".md"), id) ? id : undefined;
}

interface CardFiles {
  readonly id: string | undefined;
  /** As they are named in the folder of the card. */
  readonly names: ReadonlySet<string>;
}

/** The attachments of a card; none of what is no card of ours. */
function cardFiles(root: string, path: string): CardFiles {
  const names = new Set<string>();
  const id = idOf(root, path, "card");
  if (id === undefined) return { id, names };
  const listed = matterOf(root, path)["attachments"];
  for (const [name, entry] of Object.entries(isMap(listed) ? listed : {})) names.add(storedName(name, entry));
  return { id, names };
}

/** The name of an attachment on the disk, by its own and what is listed with it. */
export const storedName = (name: string, listed: unknown): string =>
  String((isMap(listed) && listed["file"]) || name).normalize("NFC");

/** What stands in the front matter, or in the whole of a `.yaml`; empty for what can't be read. */
export function matterOf(root: string, path: string): Readonly<Record<string, unknown>> {
  try {
    const text = readFileSync(join(root, path), "utf8");
    return path.endsWith(".md") ? (readMatter(text, path).matter ?? {}) : readYaml(text, path);
  } catch {
    return {};
  }
}

/** Whether a name ends as those that cards and templates get, whatever the card was called; `~2` is the second of a name. */
function isNamedAfter(stem: string, id: string): boolean {
  const end = safeId(id).normalize("NFC");
  const name = stem.normalize("NFC");
  return [name, name.replace(/~\d+$/, "")].some((each) => each === end || each.endsWith(`-${end}`));
}
