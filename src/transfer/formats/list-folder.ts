import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileProblem } from "../../files/errors.ts";
import { broken } from "../place.ts";

/**
 * What is in a folder of a source, in no order.
 *
 * @param place the folder in messages
 * @throws UsageError for one that cannot be read: the cards in it would be left out
 */
export const listFolder = (path: string, place: string): Promise<Dirent[]> =>
  readdir(path, { withFileTypes: true }).catch((error: unknown) => {
    throw broken(place, fileProblem(error), undefined, error);
  });

/** The files in a folder and below it, in the order of their names; hidden ones, links and installed packages are left out. */
export async function* filesBelow(root: string, folder = ""): AsyncGenerator<string> {
  const entries = await listFolder(join(root, folder), join(root, folder));
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(root, path);
    else if (entry.isFile()) yield path;
  }
}
