import {
  chmodSync,
  chownSync,
  linkSync,
  promises,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { systemCode } from "./errors.ts";
import { syncFile, syncFolder } from "./folders.ts";
import { removeLeftOver, temporaryBeside } from "./temporary.ts";

/**
 * The atomic writers (docs/design/files.md): `replaceFile` for a text, `AtomicFile` for what streams. Both write a
 * private temporary file beside the target, and give it the target's name when it is whole and on the disk: readers see
 * the old content or the new, whatever happens.
 */

interface ReplaceOptions {
  /** Whether the text is on the disk when this returns; without it, a power cut may leave an empty file. */
  readonly synced: boolean;
  /** Writes the text to a path where nothing is; Node's own way if absent. */
  readonly write?: (path: string, text: string) => void;
}

/**
 * Writes a text to a file; where the path is a link, to the file that it names. Libraries that do this take a short write for a whole one: on a full disk they replace the
 * old file by half of the new one, and report success. So what was written is read again first.
 *
 * @throws what the file system says; then nothing has changed
 */
export function replaceFile(path: string, text: string, options: ReplaceOptions): void {
  const { synced, write = writeNew } = options;
  const target = targetOf(path);
  removeLeftOver(target, Date.now());
  const temporary = temporaryBeside(target);
  try {
    write(temporary, text);
    if (readFileSync(temporary, "utf8") !== text) throw new Error("no space left on device");
    if (synced) syncFile(temporary);
    keepOwner(target, temporary);
    rename(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  if (synced) syncFolder(dirname(target));
}

/** A file that is written from its beginning to its end, in large pieces, and appears under its name when it is whole. */
export class AtomicFile {
  readonly #target: string;
  readonly #temporary: string;
  readonly #file: FileHandle;
  #parts: Uint8Array[] = [];
  #length = 0;

  private constructor(target: string, temporary: string, file: FileHandle) {
    this.#target = target;
    this.#temporary = temporary;
    this.#file = file;
  }

  /** A link is replaced by the file itself: what it names may lie outside of the folder that is written. */
  static async create(target: string): Promise<AtomicFile> {
    removeLeftOver(target, Date.now());
    const temporary = temporaryBeside(target);
    return new AtomicFile(target, temporary, await promises.open(temporary, "wx", 0o600));
  }

  /** Waits until it is written if there is much of it: bytes of more than 256 KiB may be changed afterwards. */
  async write(part: string | Uint8Array): Promise<void> {
    const bytes = typeof part === "string" ? Buffer.from(part) : part;
    this.#parts.push(bytes);
    this.#length += bytes.length;
    if (this.#length > 256 * 1024) await this.#flush();
  }

  async writeAll(parts: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>): Promise<void> {
    for await (const part of parts) await this.write(part);
  }

  /**
   * Waits until all is on the disk, and gives the file its name.
   *
   * @param options.replace whether a file with that name may be replaced; if not, EEXIST is thrown where there is one
   */
  async commit({ replace = true }: { readonly replace?: boolean } = {}): Promise<void> {
    await this.#flush();
    await this.#file.sync();
    await this.#file.close();
    if (replace) {
      keepMode(this.#target, this.#temporary);
      keepOwner(this.#target, this.#temporary);
      rename(this.#temporary, this.#target);
    } else linkNew(this.#temporary, this.#target);
    syncFolder(dirname(this.#target));
  }

  /** Removes what was written. */
  async discard(): Promise<void> {
    await this.#file.close().catch(() => {});
    rmSync(this.#temporary, { force: true });
  }

  async #flush(): Promise<void> {
    const [first = new Uint8Array(), ...more] = this.#parts;
    const bytes = more.length === 0 ? first : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#length = 0;
    for (let at = 0; at < bytes.length; ) at += (await this.#file.write(bytes, at)).bytesWritten;
  }
}

/** Writes a file with `fill`, which gives it its content. A failure leaves the old file. */
export async function writeFileWith(
  path: string,
  fill: (file: AtomicFile) => Promise<void>,
  options?: { readonly replace?: boolean },
): Promise<void> {
  const file = await AtomicFile.create(path);
  try {
    await fill(file);
    await file.commit(options);
  } catch (error) {
    await file.discard();
    throw error;
  }
}

const writeNew = (path: string, text: string) => writeFileSync(path, text, { mode: 0o600, flag: "wx" });

function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Who may read a file is for its owner to say: an export over one that all read stays so. */
function keepMode(target: string, temporary: string): void {
  const there = statSync(target, { throwIfNoEntry: false });
  if (there?.isFile()) chmodSync(temporary, there.mode & 0o777);
}

/** Root (sudo) leaves the file to its owner. */
function keepOwner(target: string, temporary: string): void {
  const there = statSync(target, { throwIfNoEntry: false });
  if (there === undefined || process.getuid?.() !== 0) return;
  try {
    chownSync(temporary, there.uid, there.gid);
  } catch {
    // Some file systems have no owners.
  }
}

/** Gives a file its name unless there is one with it. */
function linkNew(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (systemCode(error) === "EEXIST" || statSync(to, { throwIfNoEntry: false }) !== undefined) throw error;
    // Some file systems have no second names.
    rename(from, to);
    return;
  }
  rmSync(from, { force: true });
}

/** Windows refuses for a moment to replace a file that is open elsewhere, in a virus scanner for example. */
function rename(from: string, to: string): void {
  for (let attempt = 1; ; attempt++)
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      const busy = ["EPERM", "EACCES", "EBUSY"].includes(systemCode(error) ?? "");
      if (process.platform !== "win32" || !busy || attempt === 50) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
}
