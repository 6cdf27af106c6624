import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { UsageError } from "../../errors.ts";
import { syncFile } from "../../files/atomic-write.ts";
import { syncFolder } from "../../files/folders.ts";
import { temporaryBeside } from "../../files/temporary.ts";
import { markerName, privateFolder } from "../../folder/layout.ts";
import { hashOfBytes, hashOfFile } from "../../folder/stat.ts";
import { isSynced } from "../formats/markdown/sync-marker.ts";
import { type ManifestEntry, type ManifestHeader, ManifestWriter, readManifest } from "../manifest.ts";

/** What a folder is an export of. */
export type FolderScope = ManifestHeader;

/** @throws UsageError for a folder that `sync` keeps: its files and its settings are not an export's to replace */
export function assertNotSynced(root: string): void {
  if (isSynced(root))
    throw new UsageError(`${root} is kept by \`deckhand sync\`: an export into it would stop that`, {
      hint: "A sync brings it up to date. For an export, name another folder.",
    });
}

/** How many files are synced together. */
const mostUnsynced = 1000;

/**
 * A folder that becomes an export, file by file. A file that is there and was not written by an export, or was edited
 * since, is moved to `.deckhand/trash` before another takes its place; only what the manifest lists is removed.
 */
export class ExportFolder {
  readonly root: string;
  /** What the folder was an export of, where that is something else. */
  readonly replaces: FolderScope | undefined;
  /** The paths of files that were moved to `.deckhand/trash`. */
  readonly setAside: string[] = [];
  readonly #manifest: ManifestWriter;
  /** The hashes of the files that the manifest lists and this export did not write yet, by their paths. */
  readonly #before: Map<string, string>;
  readonly #folders = new Set<string>();
  /** Files that were written and are not known to be on the disk yet. */
  #unsynced: string[] = [];

  private constructor(
    root: string,
    scope: FolderScope,
    { header, before }: { readonly header: FolderScope | undefined; readonly before: Map<string, string> },
  ) {
    this.root = root;
    this.#manifest = new ManifestWriter(root, scope);
    this.#before = before;
    const same = header === undefined || (header.account === scope.account && header.deck === scope.deck);
    this.replaces = same ? undefined : header;
  }

  /** @throws UsageError for a folder that has files and is not an export */
  static async open(root: string, scope: FolderScope): Promise<ExportFolder> {
    const names = existsSync(root) ? readdirSync(root) : [];
    const isExport = names.includes(markerName) || names.includes(privateFolder);
    if (!isExport && names.some((name) => !name.startsWith(".")))
      throw new UsageError(`${root} is not empty and holds no export`, {
        hint: "Give another folder, or an empty one.",
      });
    const before = new Map<string, string>();
    const header = await readManifest(root, ({ path, hash }) => before.set(path, hash));
    return new ExportFolder(root, scope, { header, before });
  }

  /** Writes a file, if it is not there with these bytes. */
  async write(path: string, text: string, about: Pick<ManifestEntry, "id" | "card"> = {}): Promise<void> {
    await this.#put({ path, hash: hashOfBytes(text), ...about }, (to) =>
      writeFileSync(to, text, { mode: 0o600, flag: "wx" }),
    );
  }

  /** Writes a file with the bytes of another. @param id of the card, of an attachment */
  async copy(path: string, from: string, id?: string): Promise<void> {
    await this.#put({ path, hash: await hashOfFile(from), id }, (to) => copyFileSync(from, to));
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
    for (const [path, hash] of this.#before) {
      const there = this.#fileAt(path);
      if (there === undefined || (await this.#isWritten(there))) continue;
      if (there.isFile() && (await hashOfFile(join(this.root, path))) === hash) rmSync(join(this.root, path));
      else this.#moveAside(path);
      this.#removeEmptyFolders(dirname(path));
    }
    this.#syncFiles();
    this.#syncFolders();
    await this.#manifest.commit();
  }

  /** Ends the export, whether it is finished or not. */
  async close(): Promise<void> {
    await this.#manifest.close();
  }

  async #put(entry: ManifestEntry, create: (path: string) => void): Promise<void> {
    const { path, hash } = entry;
    await this.#manifest.begin();
    this.#makeFolder(dirname(path));
    const full = join(this.root, path);
    const there = lstatSync(full, { throwIfNoEntry: false });
    const before = this.#before.get(path);
    const current = there?.isFile() ? await hashOfFile(full) : undefined;
    await this.#list(entry);
    if (current === hash) return;
    if (there !== undefined && (current === undefined || current !== before)) this.#moveAside(path);
    this.#manifest.announce(entry);
    const temporary = temporaryBeside(full);
    try {
      create(temporary);
      // What is there already must not be replaced by a file that a power failure may leave empty.
      if (there === undefined) this.#unsynced.push(full);
      else syncFile(temporary);
      renameSync(temporary, full);
    } finally {
      rmSync(temporary, { force: true });
    }
    if (this.#unsynced.length >= mostUnsynced) this.#syncFiles();
  }

  async #list(entry: ManifestEntry): Promise<void> {
    this.#before.delete(entry.path);
    await this.#manifest.add(entry);
  }

  /** Waits until files are on the disk. Not one by one: a file system writes many files together faster. */
  #syncFiles(): void {
    for (const file of this.#unsynced) syncFile(file);
    this.#unsynced = [];
  }

  #syncFolders(): void {
    const above = [...this.#folders].map((folder) => dirname(join(this.root, folder)));
    const folders = [...this.#folders].map((folder) => join(this.root, folder));
    for (const folder of new Set([...folders, ...above])) syncFolder(folder);
  }

  /** @throws UsageError where a link on the disk would lead elsewhere */
  #makeFolder(path: string): void {
    if (this.#folders.has(path)) return;
    if (path !== ".") this.#makeFolder(dirname(path));
    const full = join(this.root, path);
    // The root itself may be a link: it is what was asked for.
    const there = path === "." ? undefined : lstatSync(full, { throwIfNoEntry: false });
    if (there !== undefined && !there.isDirectory())
      throw new UsageError(
        `${full} is ${there.isSymbolicLink() ? "a link" : "not a folder"}: an export writes only below its own folder`,
        {
          hint: "Move it away, and export again.",
        },
      );
    mkdirSync(full, { recursive: true, mode: 0o700 });
    this.#folders.add(path);
  }

  /** Undefined for what is not there, or lies behind a link. */
  #fileAt(path: string): Stats | undefined {
    for (let folder = dirname(path); folder !== "."; folder = dirname(folder))
      if (!lstatSync(join(this.root, folder), { throwIfNoEntry: false })?.isDirectory()) return undefined;
    return lstatSync(join(this.root, path), { throwIfNoEntry: false });
  }

  /** Whether a file is one that was written, under a name that differs only by case: where file systems ignore it. */
  async #isWritten(there: Stats): Promise<boolean> {
    if (process.platform === "linux") return false;
    let isWritten = false;
    await readManifest(this.root, ({ path }) => {
      if (isWritten || this.#before.has(path)) return;
      const written = lstatSync(join(this.root, path), { throwIfNoEntry: false });
      isWritten = written?.ino === there.ino && written.dev === there.dev;
    });
    return isWritten;
  }

  #moveAside(path: string): void {
    const kept = `${privateFolder}/trash/${path}`;
    this.#makeFolder(dirname(kept));
    let free = kept;
    for (let number = 2; existsSync(join(this.root, free)); number++) free = `${kept}~${number}`;
    renameSync(join(this.root, path), join(this.root, free));
    this.setAside.push(path);
  }

  #removeEmptyFolders(path: string): void {
    for (let folder = path; folder !== "."; folder = dirname(folder))
      try {
        rmdirSync(join(this.root, folder));
        this.#folders.delete(folder);
      } catch {
        return; // It is not empty.
      }
  }
}
