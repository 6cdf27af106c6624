import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ReadStream } from "node:tty";
import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import { makeTemporaryFolder } from "../../files/temporary.ts";

interface Input {
  readonly path: string;
  remove(): Promise<void>;
}

/** What comes on standard input, as a file: what a source is, is found out before it is read. */
export async function inputFile(context: Context): Promise<Input> {
  const folder = await makeTemporaryFolder("deckhand-import-");
  const path = join(folder, "standard input");
  try {
    const limit = lineLimit(context);
    const whole = (chunks: AsyncIterable<Buffer>) =>
      limit === undefined ? chunks : wholeLines(chunks, limit);
    await pipeline(linesOf(context), whole, createWriteStream(path, { mode: 0o600 }), {
      signal: context.signal,
    });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw context.signal.aborted ? context.signal.reason : error;
  }
  return { path, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** How many bytes a terminal keeps of a line, without its end; it drops the others. Undefined where it keeps all. */
function lineLimit({ io, world }: Context): number | undefined {
  if (io.stdin.isTTY !== true) return undefined;
  return { linux: 4095, darwin: 1023 }[world.platform as string];
}

/**
 * What a terminal gives, refused at its end where a line may be cut: what is left of a paste would be commands for the
 * shell.
 */
async function* wholeLines(chunks: AsyncIterable<Buffer>, limit: number): AsyncGenerator<Buffer> {
  let line = 1;
  let length = 0;
  let cut: number | undefined;
  for await (const chunk of chunks) {
    for (const byte of chunk) {
      const ends = byte === 0x0a;
      length = ends ? 0 : length + 1;
      if (ends) line++;
      else if (length === limit) cut ??= line;
    }
    yield chunk;
  }
  if (cut !== undefined)
    throw new UsageError(`line ${cut} is too long for a terminal, which cuts it after ${limit} bytes`, {
      hint: "Save the text in a file, and import that.",
    });
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
