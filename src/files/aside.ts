import { copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { AppendLog } from "./append-log.ts";
import { writeFileWith } from "./atomic-write.ts";
import { systemCode } from "./errors.ts";
import { makeDurableFolder, syncFolder } from "./folders.ts";
import { freeName } from "./safe-names.ts";

/** A folder for what a repair takes out of use; it is created when something is put into it. */
export class Aside {
  readonly folder: string;
  readonly #notes: AppendLog;
  #used = false;

  constructor(folder: string) {
    this.folder = folder;
    this.#notes = new AppendLog(join(folder, "damaged.ndjson"));
  }

  /** Whether anything is in it. */
  get used(): boolean {
    return this.#used;
  }

  /** Appends what is going to be changed to `damaged.ndjson`, synced to the disk. */
  note(what: object): void {
    this.#begin();
    this.#notes.append(what);
    this.#notes.sync();
  }

  /** Moves a file into the folder. @returns its new path */
  move(path: string): string {
    this.#begin();
    const target = this.#freePath(basename(path));
    try {
      renameSync(path, target);
    } catch (error) {
      if (systemCode(error) !== "EXDEV") throw error;
      copyFileSync(path, target);
      rmSync(path);
    }
    syncFolder(this.folder);
    syncFolder(dirname(path));
    return target;
  }

  /** Writes a file into the folder, for what is in no file. @returns its path */
  async keep(name: string, parts: AsyncIterable<Uint8Array>): Promise<string> {
    this.#begin();
    const target = this.#freePath(name);
    await writeFileWith(target, (file) => file.writeAll(parts));
    return target;
  }

  close(): void {
    this.#notes.close();
  }

  #begin(): void {
    if (!this.#used) makeDurableFolder(this.folder);
    this.#used = true;
  }

  #freePath(name: string): string {
    const isTaken = (each: string) => existsSync(join(this.folder, each));
    return join(
      this.folder,
      freeName(name, isTaken, (number) => `${number}-${name}`),
    );
  }
}
