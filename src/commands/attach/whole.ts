import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { isFileError } from "../../files/errors.ts";
import { makeTemporaryFolder, temporaryProblem } from "../../files/temporary.ts";

/** So many bytes wait in memory; what goes beyond them lies in a temporary file. */
const inMemory = 8 * 1024 * 1024;

/** All that a stream held. */
export interface Whole {
  /** In bytes. */
  readonly size: number;
  /** From the beginning, as often as it is asked for. */
  bytes(): AsyncGenerator<Uint8Array, void, undefined>;
  /** Nothing is left of it. */
  close(): Promise<void>;
}

/**
 * What a stream holds, when all of it is there. A transfer keeps the account busy until it ends: whoever takes time at
 * the other end of a pipe, as a pager does, would keep everyone else waiting, and run into the timeout in the end. Nor
 * does anyone get half of a file this way.
 *
 * @throws what the stream fails with; NotConfiguredError where there is no room for a temporary file
 */
export async function whole(stream: AsyncIterable<Uint8Array>): Promise<Whole> {
  const held: Uint8Array[] = [];
  let size = 0;
  let rest: TemporaryFile | undefined;
  const close = async () => rest?.close();
  try {
    for await (const chunk of stream) {
      size += chunk.length;
      if (size <= inMemory) held.push(chunk);
      else {
        rest ??= await openTemporary();
        await rest.handle.appendFile(chunk);
      }
    }
  } catch (error) {
    await close();
    throw isFileError(error) ? temporaryProblem(error) : error;
  }
  return {
    size,
    close,
    async *bytes() {
      yield* held;
      if (rest !== undefined) yield* rest.handle.createReadStream({ start: 0, autoClose: false });
    },
  };
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
