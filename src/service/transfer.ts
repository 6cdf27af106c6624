import { Buffer } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Duplex, Readable } from "node:stream";
import type { Answered } from "./pipeline.ts";

export interface TransferLimits {
  /** How long a connection may be silent in both directions, in milliseconds. */
  readonly idleTimeout: number;
  /** How long the body of a request may make no progress, in milliseconds: the account's turn is held for it. */
  readonly stallTimeout: number;
}

// How long the rest of a refused body is read and dropped, in milliseconds: closing at once would lose the answer.
const drainTime = 5_000;

/** Whether the headers of a request announce a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

/** Watches the body of a request; one that makes no progress ends the connection. */
export function watchUpload(incoming: IncomingMessage, { stallTimeout, idleTimeout }: TransferLimits): void {
  if (!hasBody(incoming)) return;
  const { socket } = incoming;
  socket.setTimeout(Math.min(stallTimeout, idleTimeout));
  incoming.once("end", () => socket.setTimeout(idleTimeout));
}

/** Writes an answer, and destroys its stream whatever happens to the connection. */
export async function sendAnswer(
  { answer, release }: Answered,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { status, headers, body } = answer;
  const isStream = body instanceof Readable;
  // Before the client has the answer: it may send the next request to another server as soon as it does.
  if (outgoing.closed || !isStream) await release();
  else outgoing.once("close", () => void release());
  if (!incoming.complete) outgoing.once("finish", () => drain(incoming));
  if (outgoing.destroyed) {
    if (isStream) body.destroy();
    return;
  }
  if (!isStream) {
    const length = body === null ? {} : { "content-length": Buffer.byteLength(body) };
    outgoing.writeHead(status, { ...length, ...headers });
    outgoing.end(body ?? undefined);
    return;
  }
  outgoing.writeHead(status, headers);
  outgoing.once("close", () => body.destroy());
  body.once("error", () => outgoing.destroy());
  body.pipe(outgoing);
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
