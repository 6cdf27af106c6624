import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  promises,
  readdirSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, posix } from "node:path";
import { UsageError } from "../errors.ts";
import { replaceFile } from "../files/atomic-write.ts";
import { systemCode } from "../files/errors.ts";
import { makeDurableFolder } from "../files/folders.ts";
import { freeName } from "../files/safe-names.ts";
import { privateFolder } from "./layout.ts";

/** `.deckhand` in a synced folder: temporary files and the trash. Paths are relative to the synced folder. */
export class PrivateFolder {
  readonly #root: string;
  readonly #owner: string;
  #count = 0;
  readonly #made = new Set<string>();

  /** @param owner names this machine and account among those that sync the folder */
  constructor(root: string, owner: string) {
    this.#root = root;
    this.#owner = owner;
  }

  /** Makes the folder itself. */
  make(): void {
    this.#make(".");
  }

  /** A path for a new temporary file. */
  temporary(ending: "new" | "old"): string {
    this.#make("tmp");
    const name = `${this.#owner}-${process.hrtime.bigint().toString(36)}-${++this.#count}.${ending}`;
    return `${privateFolder}/tmp/${name}`;
  }

  /** Writes a file of its own. */
  write(name: string, text: string): void {
    this.#make(".");
    replaceFile(join(this.#root, privateFolder, name), text, { synced: true });
  }

  /** A free path in the trash for a file of the folder. */
  freeTrash(path: string): string {
    const kept = `trash/${path}`;
    this.#make(dirname(kept));
    const isTaken = (each: string) =>
      lstatSync(join(this.#root, each), { throwIfNoEntry: false }) !== undefined;
    const free = `${privateFolder}/${kept}`;
    return freeName(free, isTaken, (number) => `${free}~${number}`);
  }

  /** Marks the folder while this machine syncs it. */
  beginRun(): void {
    this.#make("tmp");
    writeFileSync(this.#mark, "", { mode: 0o600 });
  }

  endRun(): void {
    removeFile(this.#mark);
  }

  /**
   * The path of the mark of another machine. Where it remains, that sync did not end: a file may be moved aside, or have a
   * card whose id is not in it yet, which only that machine knows.
   */
  foreignRun(): string | undefined {
    const tmp = join(this.#root, privateFolder, "tmp");
    const marks = existsSync(tmp) ? readdirSync(tmp).filter((name) => name.endsWith(".run")) : [];
    const other = marks.find((name) => name !== `${this.#owner}.run`);
    return other && `${privateFolder}/tmp/${other}`;
  }

  get #mark(): string {
    return join(this.#root, privateFolder, "tmp", `${this.#owner}.run`);
  }

  /** Removes temporary files that an earlier run of this machine left. Only while the folder is locked. */
  removeTemporary(): void {
    const path = join(this.#root, privateFolder, "tmp");
    if (!existsSync(path)) return;
    for (const name of readdirSync(path))
      if (name.startsWith(`${this.#owner}-`) && name.endsWith(".new")) removeFile(join(path, name));
  }

  #make(path: string): void {
    if (this.#made.has(path)) return;
    refuseLinks(this.#root, path);
    const ignore = join(this.#root, privateFolder, ".gitignore");
    if (lstatSync(ignore, { throwIfNoEntry: false }) === undefined) {
      makeDurableFolder(join(this.#root, privateFolder));
      writeFileSync(ignore, "*\n", { mode: 0o600 });
    }
    makeDurableFolder(join(this.#root, privateFolder, path));
    this.#made.add(path);
  }
}

/**
 * Refuses a folder in the private one that is, or is in, a symbolic link or a file: a synced folder may come from others,
 * and what is written to it must not get out of it.
 *
 * @param path in the private folder
 * @throws UsageError
 */
export function refuseLinks(root: string, path: string): void {
  let folder: string = privateFolder;
  for (const part of [".", ...path.split("/")]) {
    folder = posix.join(folder, part);
    const found = lstatSync(join(root, folder), { throwIfNoEntry: false });
    if (found === undefined) return;
    if (found.isSymbolicLink())
      throw new UsageError(`${folder} in the synced folder is a symbolic link`, {
        hint: "Nothing is written outside of the folder: remove the link.",
      });
    if (!found.isDirectory())
      throw new UsageError(`${folder} in the synced folder is not a folder`, {
        hint: "It holds the state of sync: move the file away.",
      });
  }
}

/** Removes a file, if it is there: in a third of the time that `rmSync` takes. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
}

/** Removes files, if they are there, together: a disk may take milliseconds for one, and much less for each of many. */
export async function removeFiles(paths: readonly string[]): Promise<void> {
  const unlessMissing = (error: unknown) => {
    if (systemCode(error) !== "ENOENT") throw error;
  };
  await Promise.all(paths.map((path) => promises.unlink(path).catch(unlessMissing)));
}

/** Gives a file a second name unless another file has it. Where there are no second names, it is copied. */
export function linkNew(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    const code = systemCode(error) ?? "";
    if (code === "EEXIST") return false;
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(code)) throw error;
  }
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}
