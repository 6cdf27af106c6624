import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CardDocument } from "../cards/document.ts";
import { UsageError } from "../errors.ts";
import { writeNewFile } from "../files/atomic-write.ts";
import { systemCode } from "../files/errors.ts";
import { makeDurableFolder, syncFolder } from "../files/folders.ts";
import { hashAt, statOf } from "../folder/stat.ts";
import { hashOfBytes } from "../transfer/manifest.ts";
import { filesFolder, isMarkdown, isPrivate } from "./layout.ts";
import { linkNew } from "./link-new.ts";
import { PrivateFolder } from "./private-folder.ts";
import type { Intent } from "./types.ts";

/** A file as it is now. */
export interface DiskFile {
  readonly bytes: Buffer;
  /** SHA-256 of the bytes. */
  readonly hash: string;
  readonly mtime: number;
  readonly ctime: number;
  readonly size: number;
}

export type WrittenFile = Omit<DiskFile, "bytes">;

interface DiskOptions {
  /** Names this machine and account among those that sync the folder. */
  readonly owner: string;
  /** Called before each effect; tests end the run or edit a file there. */
  readonly step: (effect: string) => Promise<void>;
  /** Records what is about to happen, and that it has. */
  begin(intent: Intent): number;
  end(number: number): void;
}

/** What both sides agree on when a card's file is written, and how to record that. */
export interface Agreed {
  readonly id: string;
  readonly doc: CardDocument;
  /** @param written undefined if the file was changed meanwhile, and was not written */
  record(path: string, written: WrittenFile | undefined): void;
}

const writtenOf = ({ hash }: Prepared, agreed: Agreed | undefined) =>
  agreed && { id: agreed.id, doc: agreed.doc, hash };

/** A temporary file of the private folder that is whole and on the disk. */
export interface Prepared {
  readonly path: string;
  /** SHA-256 of the bytes. */
  readonly hash: string;
  readonly size: number;
}

/**
 * Changes files of a synced folder, each only if it is still what was scanned. The old file is moved aside and checked
 * there, and the new one is linked in, which fails if somebody has created one meanwhile: so no edit is overwritten. A
 * run that ends in between leaves an intent, and `recover` puts the old file back.
 */
export class SyncedFolder {
  readonly root: string;
  readonly private: PrivateFolder;
  readonly #options: DiskOptions;

  constructor(root: string, options: DiskOptions) {
    this.root = root;
    this.private = new PrivateFolder(root, options.owner);
    this.#options = options;
  }

  /** Undefined if there is none, or it is not a file below the folder without links. */
  read(path: string): DiskFile | undefined {
    if (!this.#isInside(path)) return undefined;
    const full = join(this.root, path);
    const found = lstatSync(full, { throwIfNoEntry: false });
    if (!found?.isFile()) return undefined;
    const bytes = readFileSync(full);
    return { bytes, hash: hashOfBytes(bytes), ...statOf(full) };
  }

  exists(path: string): boolean {
    return lstatSync(join(this.root, path), { throwIfNoEntry: false }) !== undefined;
  }

  /** The names in a folder; none if there is no such folder. */
  names(path: string): string[] {
    try {
      return readdirSync(join(this.root, path));
    } catch {
      return [];
    }
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

  /** Creates a file with its folders. @returns undefined if there is one already */
  async create(path: string, content: string | Prepared, agreed?: Agreed): Promise<WrittenFile | undefined> {
    const prepared = this.#prepared(content);
    const { path: temporary } = prepared;
    const intent = this.#options.begin({
      op: "create",
      path,
      temporary,
      written: writtenOf(prepared, agreed),
    });
    await this.#options.step(`create ${path}`);
    const written = this.#link(prepared, path);
    if (written !== undefined) {
      await this.#options.step(`record ${path}`);
      agreed?.record(path, written);
    }
    this.#options.end(intent);
    rmSync(join(this.root, temporary), { force: true });
    return written;
  }

  /**
   * Replaces a file that has that hash. One that is replaced by a prepared file, not a text, is kept in the trash.
   *
   * @returns undefined if it was changed meanwhile, and then nothing has changed
   */
  async replace(
    path: string,
    expected: string,
    content: string | Prepared,
    agreed?: Agreed,
  ): Promise<WrittenFile | undefined> {
    const found = lstatSync(join(this.root, path), { throwIfNoEntry: false });
    if (!found?.isFile() || !this.#isInside(path)) return undefined;
    if ((found.mode & 0o200) === 0) throw new UsageError(`${path} is read-only`);
    const prepared = this.#prepared(content);
    const { path: temporary } = prepared;
    chmodSync(join(this.root, temporary), found.mode & 0o777);
    const kept = typeof content !== "string";
    const aside = kept ? this.private.freeTrash(path) : this.private.temporary("old");
    const intent = this.#options.begin({
      op: "replace",
      path,
      aside,
      temporary,
      expected,
      kept,
      written: writtenOf(prepared, agreed),
    });
    await this.#options.step(`move ${path} aside`);
    const moved = this.#moveIf(path, aside, expected);
    if (moved) await this.#options.step(`replace ${path}`);
    const written = moved ? this.#link(prepared, path) : undefined;
    if (written !== undefined) await this.#options.step(`remove the old ${path}`);
    if (!kept) rmSync(join(this.root, aside), { force: true });
    if (written !== undefined) {
      await this.#options.step(`record ${path}`);
      agreed?.record(path, written);
    }
    this.#options.end(intent);
    rmSync(join(this.root, temporary), { force: true });
    return written;
  }

  /**
   * Moves a file that has that hash to the trash, with the folder of attachments beside it.
   *
   * @param isSame whether that folder is, at this path, what was scanned
   * @returns whether it did; else nothing has changed
   */
  async trash(path: string, expected: string, isSame: (folder: string) => boolean): Promise<boolean> {
    const aside = this.private.freeTrash(path);
    const intent = this.#options.begin({ op: "trash", path, aside, expected });
    await this.#options.step(`trash ${path}`);
    const moved = this.#isInside(path) && this.#moveIf(path, aside, expected);
    const whole = moved && this.trashFiles(filesFolder(path), isSame);
    if (moved && !whole) this.#putBack(aside, path);
    this.#syncFoldersOf(path, aside);
    await this.#options.step(`record that ${path} is in the trash`);
    this.#options.end(intent);
    return whole;
  }

  /** Keeps a text, or a prepared file, in the trash of the folder, under the name of a file. */
  keep(path: string, content: string | Prepared): void {
    const { path: temporary } = this.#prepared(content);
    const kept = this.private.freeTrash(path);
    this.#moveTo(temporary, kept);
    this.#syncFoldersOf(kept);
  }

  /** Completes or undoes a change that an earlier run left open. */
  recover(intent: Extract<Intent, { readonly op: "replace" | "trash" }>): void {
    const { op, path, aside, expected } = intent;
    const full = join(this.root, aside);
    if (!existsSync(full)) return;
    const isOld = hashAt(full) === expected;
    // Trashed as intended, and it stays so.
    if (op === "trash" && isOld) return;
    // The new file is linked in and the temporary one is removed: whoever moved it since has the new one.
    const replaced = op === "replace" && isOld && !this.exists(intent.temporary);
    if (!replaced && this.#isInside(path) && !this.exists(path)) this.#putBack(aside, path);
    else if (op === "replace" && intent.kept) return;
    else if (isOld) rmSync(full);
    else this.#moveTo(aside, this.private.freeTrash(path));
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

  /** Moves a file away if its hash is that one; else it stays, or is put back. */
  #moveIf(path: string, aside: string, expected: string): boolean {
    if (!this.#renamed(path, aside)) return false;
    if (hashAt(join(this.root, aside)) === expected) return true;
    this.#putBack(aside, path);
    return false;
  }

  /** Gives a file its name back, or, if another has it by now, moves it to the trash. */
  #putBack(aside: string, path: string): void {
    // Its folder may have been removed since.
    this.#makeFolder(dirname(path));
    if (linkNew(join(this.root, aside), join(this.root, path))) rmSync(join(this.root, aside));
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

  /** While an intent is open, its temporary file is missing only if the file has been at its path, on the disk. */
  #link({ path: temporary, hash, size }: Prepared, path: string): WrittenFile | undefined {
    const full = join(this.root, path);
    // It may have been removed since.
    this.#makeFolder(dirname(path));
    if (!linkNew(join(this.root, temporary), full)) return undefined;
    syncFolder(dirname(full));
    rmSync(join(this.root, temporary), { force: true });
    return { hash, ...statOf(full), size };
  }

  /** A text as a temporary file in the private folder. */
  #prepared(content: string | Prepared): Prepared {
    if (typeof content !== "string") return content;
    const path = this.private.temporary("new");
    const bytes = Buffer.from(content);
    writeNewFile(join(this.root, path), bytes);
    this.#syncFoldersOf(path);
    return { path, hash: hashOfBytes(bytes), size: bytes.length };
  }

  #makeFolder(path: string): void {
    if (path === ".") return;
    if (!this.#isInside(`${path}/file`))
      throw new UsageError(`${path} leads out of the folder through a link`);
    makeDurableFolder(join(this.root, path));
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
