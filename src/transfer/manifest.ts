import { appendFileSync, existsSync, lstatSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../errors.ts";
import { AtomicFile } from "../files/atomic-write.ts";
import { makeDurableFolder } from "../files/folders.ts";
import { readLines } from "../files/lines.ts";
import { privateFolder } from "../folder/layout.ts";
import { isMap } from "../schema/index.ts";

/**
 * What was written into a folder of markdown: a line of JSON for each file, below a line that says from where. Only what
 * it lists is ever removed (docs/design/cards.md, Manifest).
 */

const manifestFile = `${privateFolder}/manifest.ndjson`;

export interface ManifestEntry {
  /** Relative to the root of the folder, with `/`. */
  readonly path: string;
  /** Of the card, deck or template; of an attachment, that of its card. */
  readonly id?: string | undefined;
  /** SHA-256 of the bytes, in hex. */
  readonly hash: string;
  /** Of a card: `hashOfDocument` of the document that was written, to see later whether the service's changed. */
  readonly card?: string | undefined;
}

export interface ManifestHeader {
  readonly account: string;
  /** The id of the deck that was exported; undefined for everything. */
  readonly deck?: string | undefined;
}

/**
 * Reads the manifest of a folder. A line that cannot be read lists nothing.
 *
 * @param list receives each file that is listed; of two entries with one path the later one counts
 * @returns undefined where the folder has none
 * @throws UsageError where a link would lead out of the folder
 */
export async function readManifest(
  root: string,
  list: (entry: ManifestEntry) => void,
): Promise<ManifestHeader | undefined> {
  for (const path of [privateFolder, manifestFile])
    if (lstatSync(join(root, path), { throwIfNoEntry: false })?.isSymbolicLink())
      throw new UsageError(`${join(root, path)} is a link`, { hint: "Remove it, and run this again." });
  let header: ManifestHeader | undefined;
  for await (const line of linesOf(join(root, manifestFile))) {
    const { path, hash, id, card, account, deck } = line;
    if (typeof account === "string") header = { account, ...(typeof deck === "string" ? { deck } : {}) };
    if (typeof path !== "string" || typeof hash !== "string" || !isBelow(path)) continue;
    list({
      path,
      hash,
      ...(typeof id === "string" ? { id } : {}),
      ...(typeof card === "string" ? { card } : {}),
    });
  }
  return header;
}

/** Writes a manifest anew, entry by entry; until it is complete, the one that is there lists what is added. */
export class ManifestWriter {
  readonly #root: string;
  readonly #header: ManifestHeader;
  #file: AtomicFile | undefined;

  constructor(root: string, header: ManifestHeader) {
    this.#root = root;
    this.#header = header;
  }

  /** Before anything else is in the folder: what has files and no manifest is not an export. */
  async begin(): Promise<void> {
    await this.#open();
  }

  /** Adds a file to the manifest that is there before the file is written, so that it is listed if the run ends there. */
  announce(entry: ManifestEntry): void {
    appendFileSync(join(this.#root, manifestFile), lineOf(entry), { mode: 0o600 });
  }

  /** Adds a file to the new manifest. */
  async add(entry: ManifestEntry): Promise<void> {
    await (await this.#open()).write(lineOf(entry));
  }

  /** Puts the new manifest in the place of the one that is there. */
  async commit(): Promise<void> {
    await (await this.#open()).commit();
  }

  /** Discards the new manifest, if it is not committed. */
  async close(): Promise<void> {
    await this.#file?.discard();
  }

  async #open(): Promise<AtomicFile> {
    if (this.#file !== undefined) return this.#file;
    const folder = join(this.#root, privateFolder);
    makeDurableFolder(folder);
    const ignored = join(folder, ".gitignore");
    if (!existsSync(ignored)) writeFileSync(ignored, "*\n", { mode: 0o600 });
    this.#file = await AtomicFile.create(join(this.#root, manifestFile));
    await this.#file.write(lineOf({ manifest: "deckhand", version: 1, ...this.#header }));
    return this.#file;
  }
}

const lineOf = (value: object): string => `${JSON.stringify(value)}\n`;

/** Whether a path leads below the root, on any system: a manifest may come with a folder from elsewhere. */
const isBelow = (path: string): boolean =>
  !/^[/\\]|^[A-Za-z]:|[\0]/.test(path) &&
  !path.split(/[/\\]/).some((part) => part === ".." || part === "." || part === "");

async function* linesOf(path: string): AsyncGenerator<Readonly<Record<string, unknown>>> {
  if (!existsSync(path)) return;
  for await (const { bytes } of readLines(path)) {
    let value: unknown;
    try {
      value = JSON.parse(bytes.toString("utf8"));
    } catch {
      continue;
    }
    if (isMap(value)) yield value;
  }
}
