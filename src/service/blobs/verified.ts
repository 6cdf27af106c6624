import type { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { Readable } from "node:stream";

/** A stored content that is not the one that was stored. */
export class DamagedError extends Error {
  override readonly name = "DamagedError";
}

/**
 * A stream of pieces that fails before the last one where they do not have the hash.
 *
 * @param pieces throws DamagedError where it knows by itself that the content is damaged
 * @returns undefined if that turned out before the first piece could be given out
 */
export async function verifiedStream(
  pieces: AsyncGenerator<Buffer, void>,
  hash: string,
): Promise<Readable | undefined> {
  const verified = verify(pieces, hash);
  try {
    const first = await verified.next();
    const all = async function* () {
      if (!first.done) yield first.value;
      yield* verified;
    };
    const stream = Readable.from(all(), { objectMode: false });
    // Closes the source, also where nothing was read.
    return stream.once("close", () => void verified.return());
  } catch (error) {
    if (error instanceof DamagedError) return undefined;
    throw error;
  }
}

/** Each piece is given out when the next one has been read, the last one when the hash fits. */
async function* verify(pieces: AsyncGenerator<Buffer, void>, hash: string): AsyncGenerator<Buffer, void> {
  const content = createHash("sha256");
  let held: Buffer | undefined;
  for await (const piece of pieces) {
    if (held !== undefined) yield held;
    held = piece;
    content.update(piece);
  }
  if (content.digest("hex") !== hash) throw new DamagedError("the content has another hash");
  if (held !== undefined) yield held;
}
