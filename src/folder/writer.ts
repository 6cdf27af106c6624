import {
  closeSync,
  existsSync,
  fchmodSync,
  fsync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { UsageError } from "../errors.ts";
import { systemCode } from "../files/errors.ts";
import { makeDurableFolder, syncFolder } from "../files/folders.ts";
import type { DiskFile, FileChange, Prepared, Ready, Write, WriterOptions, WrittenFile } from "./changes.ts";
import { filesFolder, isMarkdown, isPrivate } from "./layout.ts";
import { linkNew, PrivateFolder, removeFile, removeFiles } from "./private.ts";
import { hashAt, hashOfBytes, neverUnchanged, type Stat, statFrom, statOf } from "./stat.ts";

/** Longer texts are written at once, so that few of them are held. */
const mostHeld = 64 * 1024;

/**
 * Changes files of a folder, each only if it is still what was expected. The old file is moved aside and checked there, and
 * the new one is linked in, which fails if somebody has created one meanwhile: so no edit is overwritten. A run that ends in
 * between leaves a recorded change, and `recover` puts the old file back.
 */
export class FolderWriter<About = unknown> {
  readonly root: string;
  readonly private: PrivateFolder;
  readonly #options: WriterOptions<About>;

  constructor(root: string, options: WriterOptions<About>) {
    this.root = root;
    this.private = new PrivateFolder(root, options.owner);
    this.#options = options;
  }

  /** Undefined if there is none, or it is not a file below the folder without links. */
  read(path: string): DiskFile | undefined {
    const found = this.#fileAt(path);
    if (found === undefined) return undefined;
    const bytes = readFileSync(join(this.root, path));
    return { bytes, hash: hashOfBytes(bytes), ...statFrom(found) };
  }

  /** The hash of a file below the folder; undefined for what is none. */
  hashOf(path: string): string | undefined {
    return this.#fileAt(path) && hashAt(join(this.root, path));
  }

  exists(path: string): boolean {
    return lstatSync(join(this.root, path), { throwIfNoEntry: false }) !== undefined;
  }

  /** Renames a card's file, with its attachments, or a deck's folder. @returns false if a name is taken, or nothing is there */
  move(from: string, to: string): boolean {
    const [files, target] = [filesFolder(from), filesFolder(to)];
    const hasFiles = isMarkdown(from) && this.exists(files);
    if (this.exists(to) || (hasFiles && this.exists(target)) || !this.#isInside(from)) return false;
    this.#makeFolder(dirname(to));
    if (!this.#renamed(from, to)) return false;
    if (hasFiles) this.#moveTo(files, target);
    this.#syncFoldersOf(from, to);
    return true;
  }

  /**
   * Looks at the place of a write, which `commit` carries out.
   *
   * @returns undefined if the file that it replaces is missing
   * @throws UsageError for a place that leads out of the folder, and for a read-only file
   */
  prepare({ path, content, expected, kept = false, about, record }: Write<About>): Ready<About> | undefined {
    const found = expected === undefined ? undefined : this.#fileAt(path);
    if (expected === undefined) this.#makeFolder(dirname(path));
    else if (found === undefined) return undefined;
    else if ((found.mode & 0o200) === 0) throw new UsageError(`${path} is read-only`);
    const isShort = typeof content === "string" && content.length <= mostHeld;
    const { path: temporary, hash } = isShort
      ? { path: this.private.temporary("new"), hash: hashOfBytes(content) }
      : this.prepared(content);
    const written = about === undefined ? undefined : { hash, about };
    const ready = { record, hash, mode: found && found.mode & 0o777, content: isShort ? content : undefined };
    if (expected === undefined) return { change: { op: "create", path, temporary, written }, ...ready };
    const aside = kept ? this.private.freeTrash(path) : this.private.temporary("old");
    return { change: { op: "replace", path, aside, temporary, expected, kept, written }, ...ready };
  }

  /**
   * Writes files and puts them into their places. Many at once: a file system syncs them together in the time of a few.
   *
   * @returns for each what was written; undefined if it was changed meanwhile, and then it is as it was
   */
  async commit(ready: readonly Ready<About>[]): Promise<readonly (WrittenFile | undefined)[]> {
    if (ready.length === 0) return [];
    const { step } = this.#options;
    const times = await Promise.all(ready.map((each) => this.#written(each)));
    this.#syncFoldersOf(...ready.map(({ change }) => change.temporary ?? ""));
    const numbers = this.#options.begin(ready.map(({ change }) => change));
    const placed: boolean[] = [];
    for (const { change } of ready) placed.push(await this.#place(change));
    // While a change is recorded, its temporary file is missing only if the file has been at its path, on the disk.
    this.#syncFoldersOf(...ready.flatMap(({ change }) => [change.path, change.aside ?? change.path]));
    const old: string[] = [];
    for (const [index, { change }] of ready.entries()) {
      const { path, temporary = "", aside, kept } = change;
      if (placed[index] && aside !== undefined) await step(`remove the old ${path}`);
      if (placed[index]) removeFile(join(this.root, temporary));
      if (aside !== undefined && !kept) old.push(join(this.root, aside));
    }
    // After the temporary files: without the old file, only one that is missing says for sure that the new one was placed.
    await removeFiles(old);
    const files: (WrittenFile | undefined)[] = [];
    for (const [index, { change, hash }] of ready.entries()) {
      if (placed[index]) await step(`record ${change.path}`);
      const [now, then] = [statOf(join(this.root, change.path)), times[index]];
      // An edit that was made since must not be taken for what was written.
      const isOwn = now.mtime === then?.mtime && now.size === then.size;
      files.push(placed[index] ? { ...(isOwn ? now : neverUnchanged), hash } : undefined);
    }
    this.#options.end(numbers, () => {
      for (const [index, file] of files.entries()) if (file !== undefined) ready[index]?.record?.(file);
    });
    // Those that were not placed: not before, since a temporary file that is missing says that the file was.
    for (const [index, { change }] of ready.entries())
      if (!placed[index]) removeFile(join(this.root, change.temporary ?? ""));
    return files;
  }

  /** Writes one file. @returns undefined if it was changed meanwhile, and then nothing has changed */
  async write(write: Write<About>): Promise<WrittenFile | undefined> {
    const ready = this.prepare(write);
    return ready && (await this.commit([ready]))[0];
  }

  /**
   * Moves a file that has that hash to the trash, with the folder of attachments beside it.
   *
   * @param isSame whether that folder is, at this path, what was scanned
   * @returns whether it did; else nothing has changed
   */
  async trash(path: string, expected: string, isSame: (folder: string) => boolean): Promise<boolean> {
    const aside = this.private.freeTrash(path);
    const numbers = this.#options.begin([{ op: "trash", path, aside, expected }]);
    await this.#options.step(`trash ${path}`);
    const moved = this.#isInside(path) && this.#moveIf(path, aside, expected);
    const whole = moved && this.trashFiles(filesFolder(path), isSame);
    if (moved && !whole) this.#putBack(aside, path);
    this.#syncFoldersOf(path, aside);
    await this.#options.step(`record that ${path} is in the trash`);
    this.#options.end(numbers, () => {});
    return whole;
  }

  /** Moves whatever is at a path to the trash. @returns false if there is nothing below the folder */
  setAside(path: string): boolean {
    return this.#isInside(path) && this.exists(path) && this.trashFiles(path, () => true);
  }

  /** Moves a folder of attachments to the trash if it is, there, what is expected. @returns whether it is gone */
  trashFiles(path: string, isSame: (at: string) => boolean): boolean {
    if (!this.exists(path)) return true;
    const aside = this.private.freeTrash(path);
    if (!this.#renamed(path, aside)) return true;
    const same = isSame(aside);
    if (!same) this.#moveTo(aside, path);
    this.#syncFoldersOf(path, aside);
    return same;
  }

  /** Keeps a text, or a prepared file, in the trash of the folder, under the name of a file. */
  keep(path: string, content: string | Prepared): void {
    const kept = this.private.freeTrash(path);
    this.#moveTo(this.prepared(content).path, kept);
    this.#syncFoldersOf(kept);
  }

  /** A text as a temporary file in the private folder. */
  prepared(content: string | Prepared): Prepared {
    if (typeof content !== "string") return content;
    const path = this.private.temporary("new");
    writeFileSync(join(this.root, path), content, { mode: 0o600, flag: "wx" });
    return { path, hash: hashOfBytes(content) };
  }

  /**
   * Whether the new file of an open change has been at its path: its temporary file is gone or has a second name. Somebody may
   * have moved or removed it since.
   */
  wasPlaced({ temporary = "" }: FileChange<About>): boolean {
    const found = lstatSync(join(this.root, temporary), { throwIfNoEntry: false });
    return found === undefined || found.nlink > 1;
  }

  /** Completes or undoes a change that an earlier run left open. */
  recover(change: FileChange<About>): void {
    const { op, path, aside, expected, kept } = change;
    const full = join(this.root, aside ?? "");
    if (aside === undefined || !existsSync(full)) return;
    const isOld = hashAt(full) === expected;
    // Trashed as intended, and it stays so.
    if (op === "trash" && isOld) return;
    const replaced = op === "replace" && isOld && this.wasPlaced(change);
    if (!replaced && this.#isInside(path) && !this.exists(path)) this.#putBack(aside, path);
    else if (op === "replace" && kept) return;
    else if (isOld) removeFile(full);
    else this.#moveTo(aside, this.private.freeTrash(path));
  }

  /** The temporary file of a write, on the disk. @returns its times and size */
  async #written({ change: { temporary = "" }, content, mode }: Ready<About>): Promise<Stat> {
    const path = join(this.root, temporary);
    const file = openSync(path, content === undefined ? "r+" : "wx", 0o600);
    try {
      // Only syncing waits for the disk, and does so for all files at once.
      if (content !== undefined) writeFileSync(file, content);
      if (mode !== undefined) fchmodSync(file, mode);
      await promisify(fsync)(file);
      return statOf(path);
    } finally {
      closeSync(file);
    }
  }

  async #place({ path, temporary = "", aside, expected }: FileChange<About>): Promise<boolean> {
    const { step } = this.#options;
    if (aside === undefined) await step(`create ${path}`);
    else {
      await step(`move ${path} aside`);
      if (!this.#moveIf(path, aside, expected ?? "")) return false;
      await step(`replace ${path}`);
    }
    // Its folder may have been removed since.
    this.#makeFolder(dirname(path));
    return linkNew(join(this.root, temporary), join(this.root, path));
  }

  /** Moves a file away if its hash is that one; else it stays, or is put back. */
  #moveIf(path: string, aside: string, expected: string): boolean {
    if (!this.#renamed(path, aside)) return false;
    if (hashAt(join(this.root, aside)) === expected) return true;
    this.#putBack(aside, path);
    return false;
  }

  /** Gives a file its name back, in its folder that may be gone; if another has it by now, moves it to the trash. */
  #putBack(aside: string, path: string): void {
    this.#makeFolder(dirname(path));
    if (linkNew(join(this.root, aside), join(this.root, path))) removeFile(join(this.root, aside));
    else this.#moveTo(aside, this.private.freeTrash(path));
  }

  /** Before a move is recorded: where the power fails, the file must not be back under its old name. */
  #syncFoldersOf(...paths: readonly string[]): void {
    for (const folder of new Set(paths.map(dirname))) syncFolder(join(this.root, folder));
  }

  /** @returns false if there is no such file or folder */
  #renamed(from: string, to: string): boolean {
    try {
      this.#moveTo(from, to);
      return true;
    } catch (error) {
      if (systemCode(error) === "ENOENT") return false;
      throw error;
    }
  }

  #moveTo(from: string, to: string): void {
    renameSync(join(this.root, from), join(this.root, to));
  }

  #makeFolder(path: string): void {
    if (path === ".") return;
    if (!this.#isInside(`${path}/file`))
      throw new UsageError(
        `${join(this.root, path)} is a link, or is in one: nothing is written outside of the folder`,
      );
    if (!existsSync(join(this.root, path))) makeDurableFolder(join(this.root, path));
  }

  #fileAt(path: string): Stats | undefined {
    const found = lstatSync(join(this.root, path), { throwIfNoEntry: false });
    return found?.isFile() && this.#isInside(path) ? found : undefined;
  }

  /** Whether no part of the path above its end is a link. */
  #isInside(path: string): boolean {
    if (isPrivate(path)) return false;
    for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
      const found = lstatSync(join(this.root, folder), { throwIfNoEntry: false });
      if (found !== undefined && !found.isDirectory()) return false;
    }
    return true;
  }
}
