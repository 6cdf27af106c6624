import { appendFileSync, copyFileSync, existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { UsageError } from "../../../errors.ts";
import { AtomicFile } from "../../../files/atomic-write.ts";
import { syncFolder } from "../../../files/folders.ts";
import { foldedName } from "../../../files/safe-names.ts";
import type { Prepared, Ready } from "../../../folder/changes.ts";
import { markerName, privateFolder } from "../../../folder/layout.ts";
import { hashAt, hashOfBytes } from "../../../folder/stat.ts";
import { FolderWriter } from "../../../folder/writer.ts";
import {
  type ManifestEntry,
  type ManifestHeader,
  manifestLine,
  manifestName,
  readManifest,
} from "../../manifest.ts";
import { isSynced } from "./sync-marker.ts";

/** @throws UsageError for a folder that `sync` keeps: its files and its settings are not an export's to replace */
export function assertNotSynced(root: string): void {
  if (isSynced(root))
    throw new UsageError(`${root} is kept by \`deckhand sync\`: an export into it would stop that`, {
      hint: "A sync brings it up to date. For an export, name another folder.",
    });
}

/** How many files are written together. */
const mostReady = 200;

/**
 * A folder that becomes an export, file by file. A file that is there and was not written by an export, or was edited
 * since, is moved to `.deckhand/trash` before another takes its place; only what the manifest lists is removed.
 */
export class ExportFolder {
  readonly root: string;
  /** The paths of files that were moved to `.deckhand/trash`. */
  readonly setAside: string[] = [];
  readonly #scope: ManifestHeader;
  /** The new manifest; until it is complete, the one that is there lists what is added. */
  #manifest: AtomicFile | undefined;
  /** The paths of what was written, on systems whose disks mostly ignore case. */
  readonly #written = new Set<string>();
  readonly #writer: FolderWriter;
  /** The hashes of the files that the manifest lists and this export did not write yet, by their paths. */
  readonly #before: Map<string, string>;
  #ready: Ready<unknown>[] = [];

  private constructor(root: string, scope: ManifestHeader, before: Map<string, string>) {
    this.root = root;
    this.#scope = scope;
    // An export that was stopped starts again.
    this.#writer = new FolderWriter(root, {
      owner: "export",
      step: async () => {},
      begin: () => [],
      end: () => {},
    });
    this.#before = before;
  }

  /** @throws UsageError for a folder that has files and is not an export, or one of something else */
  static async open(root: string, scope: ManifestHeader): Promise<ExportFolder> {
    const names = existsSync(root) ? readdirSync(root) : [];
    const isExport = names.includes(markerName) || names.includes(privateFolder);
    if (!isExport && names.some((name) => !name.startsWith(".")))
      throw new UsageError(`${root} is not empty and holds no export`, {
        hint: "Give another folder, or an empty one.",
      });
    const before = new Map<string, string>();
    const header = await readManifest(root, ({ path, hash }) => before.set(path, hash));
    if (header !== undefined && (header.account !== scope.account || header.deck !== scope.deck)) {
      const what = header.account === scope.account ? "something else" : "another account";
      throw new UsageError(`${root} is an export of ${what}, whose files would be removed`, {
        hint: "Name another folder; or remove the files of that export, and .deckhand/manifest.ndjson, which lists them.",
      });
    }
    return new ExportFolder(root, scope, before);
  }

  /** Writes a file, if it is not there with these bytes. */
  async write(path: string, text: string, about: Pick<ManifestEntry, "id" | "card"> = {}): Promise<void> {
    await this.#put({ path, hash: hashOfBytes(text), ...about }, () => text);
  }

  /** Writes a file with the bytes of another. @param id of the card, of an attachment */
  async copy(path: string, from: string, id?: string): Promise<void> {
    const hash = hashAt(from);
    await this.#put({ path, hash, id }, () => {
      const temporary = this.#writer.private.temporary("new");
      copyFileSync(from, join(this.root, temporary));
      return { path: temporary, hash };
    });
  }

  /**
   * Keeps a file of a card that an earlier export wrote, and this one could not fetch.
   *
   * @returns whether there is one
   */
  async keep(path: string, id: string): Promise<boolean> {
    const hash = this.#before.get(path);
    if (hash !== undefined) await this.#list({ path, hash, id });
    return hash !== undefined;
  }

  /** Removes what an earlier export wrote and this one did not. */
  async finish(): Promise<void> {
    await this.#flush();
    for (const [path, hash] of this.#before) {
      const there = this.#writer.hashOf(path);
      if (there === undefined || this.#isWritten(path)) continue;
      if (there === hash) rmSync(join(this.root, path));
      else if (this.#writer.setAside(path)) this.setAside.push(path);
      this.#removeEmptyFolders(dirname(path));
    }
    // What is not listed any more must not come back after a power failure.
    for (const folder of new Set([...this.#before.keys()].flatMap(foldersAbove)))
      syncFolder(join(this.root, folder));
    await (await this.#begin()).commit();
  }

  /** Ends the export, whether it is finished or not. */
  async close(): Promise<void> {
    this.#writer.private.removeTemporary();
    this.#removeEmptyFolders(`${privateFolder}/tmp`);
    await this.#manifest?.discard();
  }

  async #put(entry: ManifestEntry, content: () => string | Prepared): Promise<void> {
    const { path, hash } = entry;
    await this.#begin();
    const before = this.#before.get(path);
    const current = this.#writer.hashOf(path);
    await this.#list(entry);
    if (current === hash) return;
    // A folder or a link is in the place of the file.
    if (current === undefined && this.#writer.setAside(path)) this.setAside.push(path);
    const kept = current !== undefined && current !== before;
    appendFileSync(this.#listed, manifestLine(entry), { mode: 0o600 });
    const ready = this.#writer.prepare({ path, content: content(), expected: current, kept });
    if (kept) this.setAside.push(path);
    if (ready !== undefined) this.#ready.push(ready);
    if (this.#ready.length >= mostReady) await this.#flush();
  }

  async #flush(): Promise<void> {
    const ready = this.#ready.splice(0);
    const files = await this.#writer.commit(ready);
    const changed = ready.find((_, index) => files[index] === undefined)?.change.path;
    if (changed !== undefined)
      throw new UsageError(`${join(this.root, changed)} was changed while it was exported`, {
        hint: "Export again when nothing else writes to the folder.",
      });
  }

  async #list(entry: ManifestEntry): Promise<void> {
    this.#before.delete(entry.path);
    if (process.platform !== "linux") this.#written.add(foldedName(entry.path));
    await (await this.#begin()).write(manifestLine(entry));
  }

  /** Begins the manifests, before anything else is in the folder: what has files and none is not an export. */
  async #begin(): Promise<AtomicFile> {
    if (this.#manifest !== undefined) return this.#manifest;
    this.#writer.private.make();
    this.#manifest = await AtomicFile.create(this.#listed);
    await this.#manifest.write(manifestLine(this.#scope));
    return this.#manifest;
  }

  get #listed(): string {
    return join(this.root, privateFolder, manifestName);
  }

  /** Whether a file is one that was written, under a name that differs only by case. */
  #isWritten(path: string): boolean {
    return this.#written.has(foldedName(path));
  }

  #removeEmptyFolders(path: string): void {
    for (let folder = path; folder !== "."; folder = dirname(folder))
      try {
        rmdirSync(join(this.root, folder));
      } catch {
        return; // It is not empty.
      }
  }
}

function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === "." ? [above] : [above, ...foldersAbove(above)];
}
