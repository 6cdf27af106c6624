import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ReadStream } from "node:tty";
import { makeFolder } from "../../config/folders.ts";
import type { Context } from "../../context/context.ts";
import { makeTemporaryFolder } from "../../files/temporary.ts";
import { accountName } from "../shared/journal.ts";

interface Input {
  readonly path: string;
  /** Its journal: named by the content, so that the same input again is recognised. */
  readonly journal: string;
  remove(): Promise<void>;
}

/** What comes on standard input, as a file: an import reads its source more than once. */
export async function inputFile(context: Context): Promise<Input> {
  const folder = await makeTemporaryFolder("deckhand-import-");
  const path = join(folder, "standard input");
  const hash = createHash("sha256");
  const hashing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  try {
    await pipeline(linesOf(context), hashing, createWriteStream(path, { mode: 0o600 }), {
      signal: context.signal,
    });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw context.signal.aborted ? context.signal.reason : error;
  }
  const journals = join(context.folders.state, "journals");
  makeFolder(journals);
  const name = `${hash.digest("hex").slice(0, 12)}.${accountName(context)}.journal`;
  return { path, journal: join(journals, name), remove: () => rm(folder, { recursive: true, force: true }) };
}

/**
 * Standard input; on a terminal a second stream of it. Ctrl-D ends that one, so that the answer to the question that
 * follows can still be read from the first.
 */
function linesOf({ io, world }: Context): Readable {
  if (io.stdin.isTTY !== true) return io.stdin;
  const end = world.platform === "win32" ? "Ctrl-Z and Enter" : "Ctrl-D";
  io.note(`Paste or type what to import, and end it with ${end} on a line of its own.`);
  return io.stdin.fd === undefined ? io.stdin : new ReadStream(io.stdin.fd);
}
