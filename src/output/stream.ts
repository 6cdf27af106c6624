import type { Writable } from "node:stream";
import { DeckhandError } from "../errors.ts";

/**
 * Whoever read the output has gone (`| head`). Not a failure: `main` ends quietly with exit code 0.
 */
export class ClosedOutputError extends Error {
  override readonly name = "ClosedOutputError";
  constructor() {
    super("nobody reads the output any more");
  }
}

/** Where data goes. Waits while the reader is slow, so that memory stays constant. */
export interface Output {
  /** @throws ClosedOutputError if the reader has gone, DeckhandError if the system can't write */
  write(text: string): Promise<void>;
}

/** An `Output` on a stream. Several on one stream are fine. */
export function createOutput(stream: Writable): Output {
  let failure: Error | undefined;
  let wake: (() => void) | undefined;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    failure ??= isClosed(error)
      ? new ClosedOutputError()
      : new DeckhandError("internal", `could not write the output: ${error.message}`, { cause: error });
    wake?.();
  });
  return {
    async write(text) {
      if (failure === undefined && text !== "" && !stream.destroyed) {
        if (!stream.write(text))
          await new Promise<void>((resolve) => {
            wake = resolve;
            stream.once("drain", resolve);
            stream.once("close", resolve);
          });
      }
      if (failure !== undefined) throw failure;
      if (stream.destroyed) throw new ClosedOutputError();
    },
  };
}

const isClosed = (error: NodeJS.ErrnoException) =>
  error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED" || error.code === "EOF";
