import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { UsageError } from "../errors.ts";
import { syncFolder } from "../files/atomic-write.ts";
import { systemCode } from "../files/errors.ts";
import type { Intent } from "./base.ts";
import { isPrivate, privateFolder } from "./layout.ts";
import { linkNew } from "./link-new.ts";
import type { CardDoc } from "./types.ts";

/** A file as it is now. */
export interface DiskFile {
  readonly bytes: Buffer;
  /** SHA-256 of the bytes. */
  readonly hash: string;
  readonly mtime: number;
  readonly size: number;
}

export type WrittenFile = Omit<DiskFile, "bytes">;

export interface DiskOptions {
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
  readonly doc: CardDoc;
  /** @param written undefined if the file was changed meanwhile, and was not written */
  record(path: string, written: WrittenFile | undefined): void;
}

const writtenOf = (text: string, agreed: Agreed | undefined) =>
  agreed && { id: agreed.id, doc: agreed.doc, hash: hashOf(Buffer.from(text)) };

export const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/**
 * Changes files of a synced folder, each only if it is still what was scanned. The old file is moved aside and checked
 * there, and the new one is linked in, which fails if somebody has created one meanwhile: so no edit is overwritten. A
 * run that ends in between leaves an intent, and `recover` puts the old file back.
 */
export class SyncedFolder {
  readonly root: string;
  readonly #options: DiskOptions;
  #count = 0;

  constructor(root: string, options: DiskOptions) {
    this.root = root;
    this.#options = options;
  }

  /** Undefined if there is none, or it is not a file below the folder without links. */
  read(path: string): DiskFile | undefined {
    if (!this.#isInside(path)) return undefined;
    const full = join(this.root, path);
    const found = lstatSync(full, { throwIfNoEntry: false });
    if (!found?.isFile()) return undefined;
    const bytes = readFileSync(full);
    return { bytes, hash: hashOf(bytes), mtime: found.mtimeMs, size: found.size };
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

  /** Renames a file or folder, with the folder of a card's files. @returns false if the name is taken, or nothing is there */
  move(from: string, to: string): boolean {
    if (this.exists(to) || !this.#isInside(from)) return false;
    this.#makeFolder(dirname(to));
    try {
      renameSync(join(this.root, from), join(this.root, to));
    } catch (error) {
      if (systemCode(error) === "ENOENT") return false;
      throw error;
    }
    const files = [from, to].map((path) => path.replace(/\.md$/i, ".files")) as [string, string];
    if (files[0] !== from && this.exists(files[0]) && !this.exists(files[1]))
      renameSync(join(this.root, files[0]), join(this.root, files[1]));
    return true;
  }

  /** Creates a file with its folders. @returns undefined if there is one already */
  async create(path: string, text: string, agreed?: Agreed): Promise<WrittenFile | undefined> {
    this.#makeFolder(dirname(path));
    const temporary = this.#temporary(text);
    const intent = this.#options.begin({
      op: "create",
      path,
      temporary,
      written: writtenOf(text, agreed),
    });
    await this.#options.step(`create ${path}`);
    const written = this.#link(temporary, path, text);
    if (written !== undefined) {
      await this.#options.step(`record ${path}`);
      agreed?.record(path, written);
    }
    this.#options.end(intent);
    return written;
  }

  /** Replaces a file that has that hash. @returns undefined if it was changed meanwhile, and then nothing has changed */
  async replace(
    path: string,
    expected: string,
    text: string,
    agreed?: Agreed,
  ): Promise<WrittenFile | undefined> {
    const found = lstatSync(join(this.root, path), { throwIfNoEntry: false });
    if (!found?.isFile() || !this.#isInside(path)) return undefined;
    if ((found.mode & 0o200) === 0) throw new UsageError(`${path} is read-only`);
    const temporary = this.#temporary(text);
    chmodSync(join(this.root, temporary), found.mode & 0o777);
    const aside = this.#freeName("old");
    const intent = this.#options.begin({
      op: "replace",
      path,
      aside,
      temporary,
      expected,
      written: writtenOf(text, agreed),
    });
    await this.#options.step(`move ${path} aside`);
    const moved = this.#moveIf(path, aside, expected);
    if (moved) await this.#options.step(`replace ${path}`);
    const written = moved ? this.#link(temporary, path, text) : undefined;
    if (written !== undefined) await this.#options.step(`remove the old ${path}`);
    rmSync(join(this.root, aside), { force: true });
    rmSync(join(this.root, temporary), { force: true });
    if (written !== undefined) {
      await this.#options.step(`record ${path}`);
      agreed?.record(path, written);
    }
    this.#options.end(intent);
    return written;
  }

  /** Moves a file that has that hash to the trash of the folder. @returns whether it did */
  async trash(path: string, expected: string): Promise<boolean> {
    const aside = this.#freeTrash(path);
    const intent = this.#options.begin({ op: "trash", path, aside, expected });
    await this.#options.step(`trash ${path}`);
    const moved = this.#isInside(path) && this.#moveIf(path, aside, expected);
    await this.#options.step(`record that ${path} is in the trash`);
    this.#options.end(intent);
    return moved;
  }

  /** Keeps a text in the trash of the folder, under the name of a file. */
  keep(path: string, text: string | Uint8Array): void {
    writeFileSync(join(this.root, this.#freeTrash(path)), text, { mode: 0o600, flag: "wx" });
  }

  /** Removes temporary files that an earlier run of this machine left. Only while the folder is locked. */
  removeTemporary(): void {
    const path = `${privateFolder}/tmp`;
    const isOurs = (name: string) => name.startsWith(`${this.#options.owner}-`) && name.endsWith(".new");
    for (const name of this.names(path).filter(isOurs)) rmSync(join(this.root, path, name), { force: true });
  }

  /** Completes or undoes a change that an earlier run left open. */
  recover(intent: Extract<Intent, { readonly op: "replace" | "trash" }>): void {
    const { op, path, aside, expected } = intent;
    const full = join(this.root, aside);
    if (!existsSync(full)) return;
    const isOld = hashOf(readFileSync(full)) === expected;
    // Trashed as intended, and it stays so.
    if (op === "trash" && isOld) return;
    // The new file is linked in and the temporary one is removed: whoever moved it since has the new one.
    const replaced = op === "replace" && isOld && !this.exists(intent.temporary);
    if (!replaced && this.#isInside(path) && !this.exists(path)) this.#putBack(aside, path);
    else if (isOld) rmSync(full);
    else this.#moveTo(aside, this.#freeTrash(path));
  }

  /** Moves a file away if its hash is that one; else it stays, or is put back. */
  #moveIf(path: string, aside: string, expected: string): boolean {
    try {
      renameSync(join(this.root, path), join(this.root, aside));
    } catch (error) {
      if (systemCode(error) === "ENOENT") return false;
      throw error;
    }
    if (hashOf(readFileSync(join(this.root, aside))) === expected) return true;
    this.#putBack(aside, path);
    return false;
  }

  /** Gives a file its name back, or, if another has it by now, moves it to the trash. */
  #putBack(aside: string, path: string): void {
    if (linkNew(join(this.root, aside), join(this.root, path))) rmSync(join(this.root, aside));
    else this.#moveTo(aside, this.#freeTrash(path));
  }

  #moveTo(from: string, to: string): void {
    renameSync(join(this.root, from), join(this.root, to));
  }

  #link(temporary: string, path: string, text: string | Uint8Array): WrittenFile | undefined {
    const full = join(this.root, path);
    const linked = linkNew(join(this.root, temporary), full);
    rmSync(join(this.root, temporary), { force: true });
    if (!linked) return undefined;
    syncFolder(dirname(full));
    const found = lstatSync(full, { throwIfNoEntry: false });
    const bytes = Buffer.from(text);
    return { hash: hashOf(bytes), mtime: found?.mtimeMs ?? 0, size: bytes.length };
  }

  /** Writes a text to a temporary file in the private folder. */
  #temporary(text: string | Uint8Array): string {
    const path = this.#freeName("new");
    const file = openSync(join(this.root, path), "wx", 0o600);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    return path;
  }

  #freeName(kind: string): string {
    this.#makePrivate("tmp");
    const name = `${this.#options.owner}-${process.hrtime.bigint().toString(36)}-${++this.#count}.${kind}`;
    return `${privateFolder}/tmp/${name}`;
  }

  #freeTrash(path: string): string {
    const kept = `trash/${path}`;
    this.#makePrivate(dirname(kept));
    let free = `${privateFolder}/${kept}`;
    for (let number = 2; this.exists(free); number++) free = `${privateFolder}/${kept}~${number}`;
    return free;
  }

  #makePrivate(path: string): void {
    const ignore = join(this.root, privateFolder, ".gitignore");
    if (!existsSync(ignore)) {
      mkdirSync(join(this.root, privateFolder), { recursive: true, mode: 0o700 });
      writeFileSync(ignore, "*\n", { mode: 0o600 });
    }
    mkdirSync(join(this.root, privateFolder, path), { recursive: true, mode: 0o700 });
  }

  #makeFolder(path: string): void {
    if (path === ".") return;
    if (!this.#isInside(`${path}/file`))
      throw new UsageError(`${path} leads out of the folder through a link`);
    mkdirSync(join(this.root, path), { recursive: true, mode: 0o700 });
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
