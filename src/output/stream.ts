import type { Writable } from "node:stream";
import { DeckhandError } from "../errors.ts";

/** Whoever read the output has gone (`| head`). Not a failure: `main` ends quietly with exit code 0. */
export class ClosedOutputError extends Error {
  override readonly name = "ClosedOutputError";
  constructor() {
    super("the output was closed");
  }
}

/** Where data goes. Waits while the reader is slow, so that memory stays constant. */
export interface Output {
  /** @throws ClosedOutputError if the reader has gone, DeckhandError if the system can't write */
  write(data: string | Uint8Array): Promise<void>;
}

/** An `Output` on a stream. Made once for a stream, at the start: it also keeps its errors from ending the process. */
export function createOutput(stream: Writable) {
  let failure: Error | undefined;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    failure ??= isClosed(error)
      ? new ClosedOutputError()
      : new DeckhandError("internal", `could not write the output: ${error.message}`, { cause: error });
  });
  return {
    async write(data: string | Uint8Array): Promise<void> {
      if (failure === undefined && data.length > 0 && !stream.destroyed && !stream.write(data))
        await untilTaken(stream);
      if (failure !== undefined) throw failure;
      if (stream.destroyed) throw new ClosedOutputError();
    },
    /** Waits until all is written, as far as the system tells: the last write may be the one that fails. @throws as write */
    async settled(): Promise<void> {
      await new Promise<void>((resolve) => {
        if (stream.destroyed || stream.writableLength === 0) setImmediate(resolve);
        else stream.write("", () => resolve());
      });
      if (failure !== undefined) throw failure;
    },
  };
}

/** Waits until the stream takes more, or never will. */
function untilTaken(stream: Writable): Promise<void> {
  if (!stream.writableNeedDrain) return Promise.resolve();
  const events = ["drain", "close", "error"] as const;
  return new Promise((resolve) => {
    const done = () => {
      for (const event of events) stream.off(event, done);
      resolve();
    };
    for (const event of events) stream.on(event, done);
  });
}

const isClosed = (error: NodeJS.ErrnoException) =>
  error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED" || error.code === "EOF";
