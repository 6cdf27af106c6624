import { createWriteStream } from "node:fs";
import { link, open, rename, rm, stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { UsageError } from "../../errors.ts";
import { fileProblem, isFileError } from "../../files/errors.ts";
import { removeLeftOver, temporaryBeside } from "../../files/temporary.ts";
import { whole } from "./whole.ts";

/**
 * Writes a stream to a file in one step: the path holds the old content or the whole new one, whatever happens. A
 * device or a named pipe is written to as it is.
 *
 * @param options.replace whether a file that is there may be replaced
 * @throws UsageError if the path cannot be written, or holds a file that must not be replaced
 */
export async function saveStream(
  body: Readable,
  path: string,
  options: { readonly replace: boolean },
): Promise<void> {
  // It may fail before anything reads it; whoever then reads it is told.
  body.on("error", () => {});
  try {
    const found = await stat(path).catch(() => undefined);
    if (found?.isDirectory()) throw new UsageError(`could not write ${path}: it is a folder`);
    if (found !== undefined && !options.replace) throw taken(path);
    if (found === undefined || found.isFile()) await saveFile(body, path, options.replace);
    else await writeInto(body, path);
  } catch (error) {
    body.destroy();
    throw isFileError(error) ? unwritable(path, error) : error;
  }
}

async function writeInto(body: Readable, path: string): Promise<void> {
  const content = await whole(body);
  try {
    await pipeline(content.bytes(), createWriteStream(path));
  } finally {
    await content.close();
  }
}

async function saveFile(body: Readable, path: string, replace: boolean): Promise<void> {
  removeLeftOver(path, Date.now());
  const temporary = temporaryBeside(path);
  const file = await open(temporary, "wx");
  try {
    // The file handle is closed by the stream, after what was written has reached the disk.
    await pipeline(body, file.createWriteStream({ flush: true }));
    if (replace) await rename(temporary, path);
    else await putNew(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Gives the file its name unless another took it meanwhile. */
async function putNew(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw taken(path);
    // Some file systems have no second names.
    await rename(temporary, path);
  }
}

const taken = (path: string) =>
  new UsageError(`${path} is there already`, { hint: "Name the file to write with --output-file." });

function unwritable(path: string, cause: unknown): UsageError {
  return new UsageError(`could not write ${path}: ${fileProblem(cause)}`, { cause });
}
