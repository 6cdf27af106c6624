import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
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
    await pipeline(context.io.stdin, hashing, createWriteStream(path, { mode: 0o600 }), {
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
