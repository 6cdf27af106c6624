import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { isFileError } from "../../file-errors.ts";
import { makeTemporaryFolder, temporaryProblem } from "../../temporary-folder.ts";

/** So many bytes wait in memory; what goes beyond them lies in a temporary file. */
const inMemory = 8 * 1024 * 1024;

/**
 * What a stream holds, when all of it is there. A download keeps the account busy until it is read: a reader
 * who takes time, as a pager does, would keep everyone else waiting, and run into the timeout in the end. Nor does
 * anyone get half of a file this way.
 *
 * @throws what the stream fails with; NotConfiguredError where there is no room for a temporary file
 */
export async function whole(body: Readable): Promise<AsyncGenerator<Uint8Array, void, undefined>> {
  const held: Uint8Array[] = [];
  let bytes = 0;
  let rest: TemporaryFile | undefined;
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes <= inMemory) held.push(chunk);
      else {
        rest ??= await openTemporary();
        await rest.handle.appendFile(chunk);
      }
    }
    return givenOut(held, rest);
  } catch (error) {
    await rest?.close();
    throw isFileError(error) ? temporaryProblem(error) : error;
  }
}

async function* givenOut(
  held: readonly Uint8Array[],
  rest: TemporaryFile | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* held;
    if (rest !== undefined) yield* rest.handle.createReadStream({ start: 0, autoClose: false });
  } finally {
    await rest?.close();
  }
}

type TemporaryFile = Awaited<ReturnType<typeof openTemporary>>;

/** A file that is gone when it is closed, and where the system lets it be even before: nothing is left by who is killed. */
async function openTemporary() {
  const folder = await makeTemporaryFolder("deckhand-");
  const remove = () => rm(folder, { recursive: true, force: true }).catch(() => {});
  try {
    const handle = await open(join(folder, "attachment"), "wx+", 0o600);
    await remove();
    return { handle, close: () => handle.close().then(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
}
