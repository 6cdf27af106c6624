import { createHash } from "node:crypto";
import {
  appendFileSync,
  createReadStream,
  existsSync,
  lstatSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { UsageError } from "../errors.ts";
import { replaceFile } from "../files/atomic-write.ts";
import { makeDurableFolder } from "../files/folders.ts";
import { isMap } from "../schema/index.ts";

/**
 * What was written into a folder of markdown: a line of JSON for each file, below a line that says from where. Only what
 * it lists is ever removed (docs/design/cards.md, Manifest).
 */

/** Of ours inside a folder of markdown: the manifest, and what was replaced or removed there. */
export const privateFolder = ".deckhand";
const manifestFile = `${privateFolder}/manifest.ndjson`;

export interface ManifestEntry {
  /** Relative to the root of the folder, with `/`. */
  readonly path: string;
  /** Of the card, deck or template; of an attachment, that of its card. */
  readonly id?: string | undefined;
  /** SHA-256 of the bytes, in hex. */
  readonly hash: string;
  /** Of a card: `cardHash` of the document that was written, to see later whether the service's changed. */
  readonly card?: string | undefined;
}

export interface ManifestHeader {
  readonly account: string;
  /** The id of the deck that was exported; undefined for everything. */
  readonly deck?: string | undefined;
}

export class Manifest {
  readonly root: string;
  readonly header: ManifestHeader | undefined;
  readonly entries: Map<string, ManifestEntry>;
  #ready = false;

  private constructor(root: string, header: ManifestHeader | undefined, entries: Map<string, ManifestEntry>) {
    this.root = root;
    this.header = header;
    this.entries = entries;
  }

  /**
   * The manifest of a folder; without a header where the folder has none. A line that cannot be read lists nothing.
   *
   * @throws UsageError where a link would lead out of the folder
   */
  static read(root: string): Manifest {
    for (const path of [privateFolder, manifestFile])
      if (lstatSync(join(root, path), { throwIfNoEntry: false })?.isSymbolicLink())
        throw new UsageError(`${join(root, path)} is a link`, { hint: "Remove it, and run this again." });
    const entries = new Map<string, ManifestEntry>();
    let header: ManifestHeader | undefined;
    for (const line of linesOf(join(root, manifestFile))) {
      const { path, hash, id, card, account, deck } = line;
      if (typeof account === "string") header = { account, ...(typeof deck === "string" ? { deck } : {}) };
      if (typeof path !== "string" || typeof hash !== "string" || !isBelow(path)) continue;
      entries.set(path, {
        path,
        hash,
        ...(typeof id === "string" ? { id } : {}),
        ...(typeof card === "string" ? { card } : {}),
      });
    }
    return new Manifest(root, header, entries);
  }

  /** Lists a file before it is written, so that it is listed if the run ends there. */
  add(entry: ManifestEntry): void {
    this.#makeFolder();
    this.entries.set(entry.path, entry);
    appendFileSync(join(this.root, manifestFile), `${JSON.stringify(entry)}\n`, { mode: 0o600 });
  }

  /** Writes the manifest anew, with these entries. */
  replace(header: ManifestHeader, entries: Iterable<ManifestEntry>): void {
    this.#makeFolder();
    const lines = [{ manifest: "deckhand", version: 1, ...header }, ...entries].map((each) =>
      JSON.stringify(each),
    );
    replaceFile(join(this.root, manifestFile), `${lines.join("\n")}\n`, { synced: true });
  }

  /** Before anything else is in the folder: what has files and no manifest is no export. */
  begin(): void {
    this.#makeFolder();
  }

  #makeFolder(): void {
    if (this.#ready) return;
    this.#ready = true;
    const folder = join(this.root, privateFolder);
    makeDurableFolder(folder);
    const ignored = join(folder, ".gitignore");
    if (!existsSync(ignored)) writeFileSync(ignored, "*\n", { mode: 0o600 });
  }
}

/** SHA-256 of a file, in hex. */
export async function hashOfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

export const hashOfBytes = (bytes: string | Uint8Array): string =>
  createHash("sha256").update(bytes).digest("hex");

/** Whether a path leads below the root, on any system: a manifest may come with a folder from elsewhere. */
const isBelow = (path: string): boolean =>
  !/^[/\\]|^[A-Za-z]:|[\0]/.test(path) &&
  !path.split(/[/\\]/).some((part) => part === ".." || part === "." || part === "");

function* linesOf(path: string): Generator<Readonly<Record<string, unknown>>> {
  if (!existsSync(path)) return;
  for (const line of readFileSync(path, "utf8").split("\n")) {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      continue;
    }
    if (isMap(value)) yield value;
  }
}
