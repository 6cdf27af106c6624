import { createReadStream } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { isMap } from "../../../schema/index.ts";
import { distinctNames, isFileName, mediaOf } from "../../media.ts";
import type { Skip, SourceAttachment } from "../../model.ts";

/** A card of a folder of markdown, and the folder. */
interface CardFile {
  readonly root: string;
  /** Relative to the root, with `/`. */
  readonly path: string;
  /** Whether the files of any card lie beside it: where none do, there is no folder to look for. */
  readonly hasFiles: boolean;
  /** As a path is named in messages. */
  place(path: string): string;
}

/**
 * The attachments of a card: those that its front matter lists and those that its texts name, from the folder beside it.
 *
 * @param listed what the front matter says of attachments
 * @param document the content and the fields
 */
export async function attachmentsOf(
  { root, path, hasFiles, place }: CardFile,
  listed: unknown,
  document: Readonly<Record<string, unknown>>,
  skip: Skip,
): Promise<SourceAttachment[]> {
  const folder = `${path.replace(/\.[^.]*$/, "")}.files`;
  const there = hasFiles ? await readdir(join(root, folder)).catch((): string[] => []) : [];
  const unused = new Set(there.filter((name) => !name.startsWith(".")));
  const entries = isMap(listed) ? listed : {};
  const attachments: SourceAttachment[] = [];
  for (const fileName of distinctNames([...Object.keys(entries), ...mediaOf(document)])) {
    const entry = entries[fileName];
    const file = isMap(entry) && typeof entry["file"] === "string" ? entry["file"] : fileName;
    const type = isMap(entry) ? entry["type"] : entry;
    const at = place(`${folder}/${file}`);
    const name = isFileName(fileName) && isFileName(file) ? nameOnDisk(there, file) : undefined;
    const full = name === undefined ? undefined : join(root, folder, name);
    const size = full === undefined ? undefined : await sizeOf(full, root);
    if (name !== undefined) unused.delete(name);
    if (full === undefined || size === undefined)
      skip({ place: at, what: "attachments", why: "they are not there" });
    else
      attachments.push({
        fileName,
        size,
        ...(typeof type === "string" ? { type } : {}),
        path: full,
        open: async () => createReadStream(full),
        place: at,
      });
  }
  for (const name of unused)
    skip({ place: place(`${folder}/${name}`), what: "files", why: "their card does not name them" });
  return attachments;
}

/** Disks of a Mac may write accents in another way than texts do. */
const nameOnDisk = (there: readonly string[], file: string): string | undefined =>
  there.includes(file) ? file : there.find((name) => name.normalize("NFC") === file.normalize("NFC"));

/** Undefined for what is no file inside the root: a link on the disk may lead anywhere. */
async function sizeOf(path: string, root: string): Promise<number | undefined> {
  const [real, inside] = await Promise.all([realpath(path), realpath(root)]).catch(() => ["", ""]);
  if (real === "" || !real?.startsWith(`${inside}${sep}`)) return undefined;
  const found = await stat(path);
  return found.isFile() ? found.size : undefined;
}
