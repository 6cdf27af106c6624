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
import { markerName } from "../formats/markdown/write-files.ts";
import {
  hashOfBytes,
  hashOfFile,
  Manifest,
  type ManifestEntry,
  type ManifestHeader,
  privateFolder,
} from "../manifest.ts";

/** What a folder is an export of. */
export type FolderScope = ManifestHeader;

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
  readonly #scope: FolderScope;
  readonly #manifest: Manifest;
  /** What the manifest listed before. */
  readonly #before: ReadonlyMap<string, ManifestEntry>;
  readonly #written = new Map<string, ManifestEntry>();
  readonly #folders = new Set<string>();
  /** Files that were written and are not known to be on the disk yet. */
  readonly #unsynced: string[] = [];

  private constructor(root: string, scope: FolderScope, manifest: Manifest) {
    this.root = root;
    this.#scope = scope;
    this.#manifest = manifest;
    this.#before = new Map(manifest.entries);
    const { header } = manifest;
    const same = header === undefined || (header.account === scope.account && header.deck === scope.deck);
    this.replaces = same ? undefined : header;
  }

  /** @throws UsageError for a folder that has files and is not an export */
  static open(root: string, scope: FolderScope): ExportFolder {
    const names = existsSync(root) ? readdirSync(root) : [];
    const isExport = names.includes(markerName) || names.includes(privateFolder);
    if (!isExport && names.some((name) => !name.startsWith(".")))
      throw new UsageError(`${root} is not empty and holds no export`, {
        hint: "Give another folder, or an empty one.",
      });
    return new ExportFolder(root, scope, Manifest.read(root));
  }

  /** Writes a file, if it is not there with these bytes. */
  async write(path: string, text: string, about: Pick<ManifestEntry, "id" | "card"> = {}): Promise<void> {
    await this.#put({ path, hash: hashOfBytes(text), ...about }, (to) =>
      writeFileSync(to, text, { mode: 0o600, flag: "wx" }),
    );
  }

  async copy(path: string, from: string, id: string): Promise<void> {
    await this.#put({ path, hash: await hashOfFile(from), id }, (to) => copyFileSync(from, to));
  }

  /** Keeps a file that an earlier export wrote, and this one could not fetch. */
  keep(path: string): void {
    const entry = this.#before.get(path);
    if (entry !== undefined) this.#written.set(path, entry);
  }

  /** Removes what an earlier export wrote and this one did not. */
  async finish(): Promise<void> {
    for (const [path, entry] of this.#before) {
      const there = this.#written.has(path) ? undefined : this.#fileAt(path);
      if (there === undefined || this.#isWritten(there)) continue;
      if (there.isFile() && (await hashOfFile(join(this.root, path))) === entry.hash)
        rmSync(join(this.root, path));
      else this.#moveAside(path);
      this.#removeEmptyFolders(dirname(path));
    }
    this.#sync();
    this.#manifest.replace(this.#scope, this.#written.values());
  }

  async #put(entry: ManifestEntry, create: (path: string) => void): Promise<void> {
    const { path, hash } = entry;
    this.#manifest.begin();
    this.#makeFolder(dirname(path));
    this.#written.set(path, entry);
    const full = join(this.root, path);
    const there = lstatSync(full, { throwIfNoEntry: false });
    if (there !== undefined) {
      const current = there.isFile() ? await hashOfFile(full) : undefined;
      if (current === hash) return;
      if (current === undefined || current !== this.#before.get(path)?.hash) this.#moveAside(path);
    }
    this.#manifest.add(entry);
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
  }

  /** Waits until all is on the disk. At the end: a file system writes many files together faster than one by one. */
  #sync(): void {
    for (const file of this.#unsynced) syncFile(file);
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
  #isWritten(there: Stats): boolean {
    if (process.platform === "linux") return false;
    return [...this.#written.keys()].some((path) => {
      const written = lstatSync(join(this.root, path), { throwIfNoEntry: false });
      return written?.ino === there.ino && written.dev === there.dev;
    });
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
