import { cardLinks } from "../../../cards/links.ts";
import { parseSide } from "../../../cards/parse.ts";
import { foldedName, safeFileName } from "../../../files/safe-names.ts";
import type { Collection, ExportedCard, ListedFile } from "../../export/collection.ts";
import type { ExportFolder } from "../../export/folder.ts";
import { hashOfFile } from "../../manifest.ts";
import { mediaLink, mediaNames, withTargets } from "../../media.ts";

const mediaFolder = "media";

/** The attachments of exported notes, each under its own name, by which an import names it again. */
export class NotesMedia {
  readonly #collection: Collection;
  readonly #folder: ExportFolder;
  /** By their names as file systems that ignore case compare them: the path of each file, by its name and its hash. */
  readonly #written = new Map<string, Map<string, string>>();

  constructor(collection: Collection, folder: ExportFolder) {
    this.#collection = collection;
    this.#folder = folder;
  }

  /** Writes the attachments that the sides of a card show or link to. @returns the sides with links to these files */
  async add({ card, files }: ExportedCard, sides: readonly string[]): Promise<readonly string[]> {
    if (files.length === 0) return sides;
    const links = new Map<string, string>();
    const named = namedFiles(sides);
    for (const file of files) {
      const name = file["file-name"].normalize("NFC");
      if (!named.has(name)) {
        this.#collection.losses.leaveOut("attachments that no side shows", 1);
        continue;
      }
      const path = await this.#write(file, card.id);
      if (path !== undefined) links.set(name, path.split("/").map(encoded).join("/"));
    }
    return sides.map((side) => withTargets(side, (name) => links.get(name)));
  }

  /** @returns the path of the file; undefined where it could not be fetched */
  async #write(file: ListedFile, card: string): Promise<string | undefined> {
    const fetched = await this.#collection.fetch(file);
    const name = safeFileName(file["file-name"]);
    const same = this.#written.get(foldedName(name)) ?? new Map<string, string>();
    this.#written.set(foldedName(name), same);
    // Another file of the name is in a folder of its own: an import goes by the name.
    const next = () => `${mediaFolder}${same.size === 0 ? "" : `-${same.size + 1}`}/${name}`;
    if (fetched.path === undefined) {
      // One of those that an earlier export wrote may be the last copy.
      while (await this.#folder.keep(next(), card)) same.set(`kept ${same.size}`, next());
      return undefined;
    }
    const key = `${name} ${await hashOfFile(fetched.path)}`;
    const there = same.get(key);
    if (there !== undefined) return there;
    const path = next();
    same.set(key, path);
    await this.#folder.copy(path, fetched.path, card);
    return path;
  }
}

function namedFiles(sides: readonly string[]): ReadonlySet<string> {
  const links = cardLinks(sides.map((source) => ({ source, blocks: parseSide(source) })));
  const shown = links.filter(({ kind }) => kind === "attachment").map(({ target }) => target);
  return new Set([...shown, ...sides.flatMap(mediaNames)].map((name) => name.normalize("NFC")));
}

const encoded = (name: string) => mediaLink(name).slice("@media/".length);
