import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isMap } from "../../../schema/index.ts";
import { distinctNames, isFileName, mediaOf } from "../../media.ts";
import type { Skip, SourceAttachment } from "../../model.ts";
import { fileInside } from "../beside.ts";

/** A card of a folder of markdown, and the folder. */
interface CardFile {
  readonly root: string;
  /** Relative to the root, with `/`. */
  readonly path: string;
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
  { root, path, place }: CardFile,
  listed: unknown,
  document: Readonly<Record<string, unknown>>,
  skip: Skip,
): Promise<SourceAttachment[]> {
  const folder = `${path.replace(/\.[^.]*$/, "")}.files`;
  const there = await readdir(join(root, folder)).catch((): string[] => []);
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
    const found = full === undefined ? undefined : await fileInside(root, full);
    if (name !== undefined) unused.delete(name);
    if (full === undefined || found === undefined)
      skip({ place: at, what: "attachments", why: "they are not there" });
    else
      attachments.push({
        fileName,
        size: found.stats.size,
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
