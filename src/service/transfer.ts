import { Buffer } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Duplex, Readable } from "node:stream";
import type { Answered } from "./pipeline.ts";
import type { Release } from "./slots.ts";

export interface TransferLimits {
  /** How long a connection may be silent in both directions, in milliseconds. */
  readonly idleTimeout: number;
  /** How long a body may make no progress while the account's turn is held for it, in milliseconds. */
  readonly stallTimeout: number;
  /** The least number of bytes a second, on average since the start of a body; 0 for no limit. */
  readonly minRate: number;
  /** How long a body may be slower than that, in milliseconds. */
  readonly ratePatience: number;
}

// How long the rest of a refused body is read and dropped, in milliseconds: closing at once would lose the answer.
const drainTime = 5_000;
// Large answers are written in pieces, so that their progress can be seen.
const pieceLength = 256 * 1024;

/** Whether the headers of a request announce a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

/**
 * Receives and sends bodies, and frees the account's turn where they make no progress. An upload is cut then: it would
 * need the turn again. A download goes on without the turn until the connection is idle for too long: a client that
 * reads slowly looks like one that is lost, since the buffers of the system take megabytes at a time.
 */
export class Transfers {
  readonly limits: TransferLimits;

  constructor(limits: TransferLimits) {
    this.limits = limits;
  }

  /** Watches the body of a request; one that makes no progress ends the connection. */
  receive(incoming: IncomingMessage): void {
    if (!hasBody(incoming)) return;
    const { socket } = incoming;
    socket.setTimeout(Math.min(this.limits.stallTimeout, this.limits.idleTimeout));
    const stop = this.#watchRate(
      () => socket.bytesRead,
      () => socket.destroy(),
    );
    incoming.once("end", () => socket.setTimeout(this.limits.idleTimeout));
    incoming.once("close", stop);
  }

  /**
   * Writes an answer, and destroys its stream whatever happens to the connection.
   *
   * @param release frees the turn of the account: when the answer was sent, or makes no progress
   */
  async send(
    { answer, release }: Answered,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<void> {
    const { status, headers, body } = answer;
    const stream = body instanceof Readable ? body : inPieces(body);
    // Before the client has the answer: it may send the next request to another server as soon as it does.
    if (outgoing.closed || stream === undefined) await release();
    else outgoing.once("close", () => void release());
    if (!incoming.complete) outgoing.once("finish", () => drain(incoming));
    if (outgoing.destroyed) {
      stream?.destroy();
      return;
    }
    const length =
      body === null || body instanceof Readable ? {} : { "content-length": Buffer.byteLength(body) };
    outgoing.writeHead(status, { ...length, ...headers });
    if (stream === undefined) {
      outgoing.end(body ?? undefined);
      return;
    }
    const stop = this.#watchDownload(outgoing, release);
    outgoing.once("close", () => {
      stop();
      stream.destroy();
    });
    stream.once("error", () => outgoing.destroy());
    stream.pipe(outgoing);
  }

  /** @returns ends the watch */
  #watchDownload(outgoing: ServerResponse, release: Release): () => void {
    const { stallTimeout, idleTimeout } = this.limits;
    const { socket } = outgoing.req;
    let stalled = stallTimeout >= idleTimeout;
    socket.setTimeout(Math.min(stallTimeout, idleTimeout));
    outgoing.on("timeout", () => {
      if (stalled) return socket.destroy();
      stalled = true;
      void release();
      return socket.setTimeout(idleTimeout - stallTimeout);
    });
    return this.#watchRate(
      () => socket.bytesWritten - socket.writableLength,
      () => void release(),
    );
  }

  #watchRate(count: () => number, slow: () => void): () => void {
    const [began, before] = [performance.now(), count()];
    const watch = setInterval(() => {
      const seconds = (performance.now() - began) / 1000;
      if (count() - before < seconds * this.limits.minRate) slow();
    }, this.limits.ratePatience);
    watch.unref();
    return () => clearInterval(watch);
  }
}

/** A stream of a large body; undefined for one that is written at once. */
function inPieces(body: string | Uint8Array | null): Readable | undefined {
  if (body === null || body.length <= pieceLength) return undefined;
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  let at = 0;
  return new Readable({
    read() {
      this.push(at < bytes.length ? bytes.subarray(at, at + pieceLength) : null);
      at += pieceLength;
    },
  });
}

/** Reads and drops the rest of a body that was answered early, for a while. */
function drain(incoming: IncomingMessage): void {
  const late = setTimeout(() => incoming.socket.destroy(), drainTime);
  late.unref();
  incoming.once("close", () => clearTimeout(late));
  incoming.resume();
}

const clientErrors: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

/** Answers data that is not HTTP, or a head that takes too long. */
export function writeClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const status = clientErrors[error.code ?? ""] ?? "400 Bad Request";
  const body = JSON.stringify({ errors: [status.slice(4).toLowerCase()] });
  socket.end(
    `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
}
