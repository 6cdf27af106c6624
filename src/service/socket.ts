import { Buffer } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { Readable } from "node:stream";
import type { WireAnswer } from "../schema/index.ts";

// A body has to come at this pace on the average, once it has taken longer than the patience.
const bytesPerSecond = 1024;
const patience = 30_000;
// What is left of a body nobody wants is read away for so long: an answer is lost if the connection is cut at once.
const drainTime = 5_000;

/** Whether a request says that a body follows. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

/** Cuts a connection whose body drips: each byte would be in time for every timeout, and the body never end. */
export function watchBody(incoming: IncomingMessage): void {
  const { socket } = incoming;
  const [began, before] = [performance.now(), socket.bytesRead];
  const watch = setInterval(() => {
    const elapsed = performance.now() - began;
    if (socket.bytesRead - before < (elapsed / 1000) * bytesPerSecond) socket.destroy();
  }, patience);
  watch.unref();
  const stop = () => clearInterval(watch);
  incoming.once("end", stop);
  incoming.once("close", stop);
}

/** Writes an answer, and lets go of its stream whatever becomes of the connection. */
export function writeAnswer({ status, headers, body }: WireAnswer, outgoing: ServerResponse): void {
  if (body instanceof Readable) {
    if (outgoing.destroyed) body.destroy();
    outgoing.once("close", () => body.destroy());
    body.once("error", () => outgoing.destroy());
    outgoing.writeHead(status, headers);
    body.pipe(outgoing);
    return;
  }
  const told = body === null || "content-length" in headers;
  outgoing.writeHead(status, told ? headers : { ...headers, "content-length": Buffer.byteLength(body) });
  // A string leaves with the head in one write, bytes in another.
  outgoing.end(body ?? undefined);
}

/** After an answer that came before the whole body: reads the rest away, for a while. */
export function drain(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (incoming.complete) return;
  outgoing.once("finish", () => {
    const late = setTimeout(() => incoming.socket.destroy(), drainTime);
    late.unref();
    const stop = () => clearTimeout(late);
    incoming.once("end", stop);
    incoming.once("close", stop);
    incoming.resume();
  });
}

const clientErrors: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

/** Answers what is no HTTP, or comes too slowly to be some. */
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
