import { createReadStream, type Stats } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { beforeEnding, freeName } from "../../files/safe-names.ts";
import { decodedName, isFileName, mediaLink } from "../media.ts";
import type { Skip, SourceAttachment } from "../model.ts";

/** Files that can be shown or played; what else a note embeds is a note. */
const media = /\.(?:png|jpe?g|gif|webp|svg|avif|bmp|mp3|ogg|oga|opus|wav|m4a|flac|mp4|webm|mov|pdf)$/i;

export const isMedia = (name: string): boolean => media.test(name);

/** What embeds a file: a link of Obsidian, or an image. */
export const embedded =
  /!\[\[([^[\]\n|#]{1,500})(?:[|#][^[\]\n]{0,200})?\]\]|!\[([^\]\n]{0,500})\]\((?:<([^<>\n]{1,1000})>|([^()\s]{1,1000}(?:\([^()\s]*\)[^()\s]*)?))(?:\s+"[^"\n]*")?\)/g;

/** Whether what a text embeds is a picture or sound on the disk, and neither an attachment nor an address. */
const isFile = (path: string): boolean =>
  media.test(path) && !/^(?:[a-z][a-z\d+.-]*:|@media\/|\/\/|#)/i.test(path);

/** The paths of the files that a text embeds: `![](cell.png)`, `![[cell.png]]`. */
export function embeddedFiles(text: string): string[] {
  if (!text.includes("![")) return [];
  return [...text.matchAll(embedded)]
    .map(([, wiki, , angled, plain]) => decodedName(wiki ?? angled ?? plain ?? "").trim())
    .filter(isFile);
}

interface WithFiles {
  /** With links to attachments in place of paths. */
  readonly text: string;
  readonly attachments: readonly SourceAttachment[];
}

/** The pictures and sounds beside a file of notes: those inside its folder, which nothing leads out of. */
export class FilesBeside {
  readonly #root: string;
  #byName: Promise<ReadonlyMap<string, string>> | undefined;

  /** The real paths of the files that were found. */
  readonly used = new Set<string>();

  /** @param root the folder that was imported, or that of the file */
  constructor(root: string) {
    this.#root = root;
  }

  /**
   * Finds the files that a text embeds, `![](cell.png)` or `![[cell.png]]`, and names them as attachments.
   *
   * @param folder that of the file, relative to the root
   * @param links where the files of `@media/` links are: "elsewhere" leaves these as they are
   */
  async take(
    text: string,
    folder: string,
    place: string,
    skip: Skip,
    links: "beside" | "elsewhere" = "elsewhere",
  ): Promise<WithFiles> {
    if (!text.includes("![")) return { text, attachments: [] };
    const attachments = new Map<string, SourceAttachment>();
    const missing = new Set<string>();
    let result = "";
    let end = 0;
    for (const match of text.matchAll(embedded)) {
      const [whole, wiki, alt = "", angled, plain] = match;
      const given = decodedName(wiki ?? angled ?? plain ?? "").trim();
      const path = links === "beside" ? given.replace(/^@media\//, "") : given;
      if (!isFile(path)) continue;
      const found = await this.#find(path, folder);
      if (found === undefined) {
        if (!missing.has(path))
          skip({ place: `${place}: ${path}`, what: "pictures and sounds", why: "no such file" });
        missing.add(path);
        continue;
      }
      this.used.add(found.path);
      const fileName = nameFor(basename(path), found.path, attachments);
      attachments.set(fileName, {
        fileName,
        size: found.stats.size,
        path: found.path,
        open: async () => createReadStream(found.path),
        place: found.path,
      });
      result += `${text.slice(end, match.index)}![${alt}](${mediaLink(fileName)})`;
      end = match.index + whole.length;
    }
    return { text: result + text.slice(end), attachments: [...attachments.values()] };
  }

  async #find(path: string, folder: string): Promise<{ path: string; stats: Stats } | undefined> {
    for (const candidate of [join(this.#root, folder, path), join(this.#root, path)]) {
      const found = await fileInside(this.#root, candidate);
      if (found !== undefined) return found;
    }
    // Obsidian finds a file by its name, wherever it is in the vault.
    this.#byName ??= filesByName(this.#root);
    const named = (await this.#byName).get(basename(path).normalize("NFC"));
    return named === undefined ? undefined : fileInside(this.#root, named);
  }
}

/** The file at a path; undefined if there is none, or if a link leads out of the root. */
export async function fileInside(
  root: string,
  path: string,
): Promise<{ path: string; stats: Stats } | undefined> {
  const [real, inside] = await Promise.all([realpath(path), realpath(root)]).catch(() => []);
  if (real === undefined || !real.startsWith(`${inside}${sep}`)) return undefined;
  const stats = await stat(real);
  return stats.isFile() ? { path: real, stats } : undefined;
}

async function filesByName(root: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
    // What cannot be read there may have nothing to do with the file.
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (entry.name.startsWith(".")) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory() && files.size < 100_000) folders.push(path);
      else if (entry.isFile() && media.test(entry.name)) files.set(entry.name.normalize("NFC"), path);
    }
  return files;
}

/** Two files of one name in a card get different ones. */
function nameFor(name: string, path: string, used: ReadonlyMap<string, SourceAttachment>): string {
  const valid = isFileName(name) ? name : `file${/\.[A-Za-z\d]{1,10}$/.exec(name)?.[0] ?? ""}`;
  const isTaken = (each: string) => used.has(each) && used.get(each)?.place !== path;
  return freeName(valid, isTaken, (number) => beforeEnding(valid, `-${number}`));
}
