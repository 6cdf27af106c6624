import { createReadStream, createWriteStream } from "node:fs";
import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { UsageError } from "../../errors.ts";
import { writeFileWith } from "../../files/atomic-write.ts";
import { fileProblem, isFileError } from "../../files/errors.ts";
import { makeTemporaryFolder, temporaryProblem } from "../../files/temporary.ts";

/**
 * Copies a stream to a temporary file, so that a slow program at the other end of a pipe does not hold the account, and
 * gets the whole file or nothing.
 *
 * @throws what the stream fails with; NotConfiguredError where there is no room for a temporary file
 */
export async function kept(stream: AsyncIterable<Uint8Array>) {
  const folder = await makeTemporaryFolder("deckhand-");
  const remove = () => rm(folder, { recursive: true, force: true });
  const path = join(folder, "attachment");
  try {
    await writeFile(path, stream, { mode: 0o600 });
    return { path, remove };
  } catch (error) {
    await remove();
    throw isFileError(error) ? temporaryProblem(error) : error;
  }
}

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
    if (found !== undefined && !options.replace)
      throw new UsageError(`${path} is there already`, {
        hint: "Name the file to write with --output-file.",
      });
    if (found === undefined || found.isFile())
      await writeFileWith(path, (file) => file.writeAll(body as AsyncIterable<Uint8Array>), options);
    else await writeInto(body, path);
  } catch (error) {
    body.destroy();
    if (!isFileError(error)) throw error;
    throw new UsageError(`could not write ${path}: ${fileProblem(error)}`, { cause: error });
  }
}

async function writeInto(body: Readable, path: string): Promise<void> {
  const content = await kept(body);
  try {
    await pipeline(createReadStream(content.path), createWriteStream(path));
  } finally {
    await content.remove();
  }
}
