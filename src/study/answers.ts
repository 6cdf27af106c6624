import { Readable } from "node:stream";
import type { WireAnswer } from "../schema/index.ts";

type Headers = WireAnswer["headers"];

export const answer = (
  status: number,
  headers: Headers = {},
  body: WireAnswer["body"] = null,
): WireAnswer => ({
  status,
  headers: {
    "x-content-type-options": "nosniff",
    // With less a browser would not say which page a form is on.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; connect-src 'self'",
    ...headers,
  },
  body,
});

/** Nothing runs but the page's one script, nothing is loaded from elsewhere, and no other page may frame it. */
const policy = (styles: string): string =>
  `default-src 'none'; script-src 'self'; style-src ${styles}; img-src 'self'; media-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

/** @param styles where styles may come from: the page of statistics has its own in it */
export function htmlAnswer(
  body: string,
  { status = 200, styles = "'self'", headers = {} as Headers } = {},
): WireAnswer {
  const type = { "content-type": "text/html; charset=utf-8", "content-security-policy": policy(styles) };
  return answer(status, { ...type, ...headers }, body);
}

export const jsonAnswer = (value: unknown, status = 200): WireAnswer =>
  answer(status, { "content-type": "application/json" }, JSON.stringify(value));

export const refusal = (status: number, message: string): WireAnswer =>
  jsonAnswer({ errors: [message] }, status);

/** @param to relative to the page that was asked for */
export const seeOther = (to: string, headers: Headers = {}): WireAnswer =>
  answer(303, { location: to, ...headers });

/** A file in answer to a request for a part of it: some browsers play no sound without. */
export function partOf(file: WireAnswer, range: string | undefined): WireAnswer {
  const { status, body } = file;
  const headers = { ...file.headers, "accept-ranges": "bytes", "cache-control": "private, max-age=600" };
  const last = Number(file.headers["content-length"]) - 1;
  const [, from = "", to = last] = /^bytes=(\d{1,15})-(\d{1,15})?$/.exec(range ?? "") ?? [];
  const [start, end] = [Number(from), Math.min(Number(to), last)];
  if (status !== 200 || from === "" || start > end || !(body instanceof Readable))
    return { status, headers, body };
  const part = {
    "content-length": String(end - start + 1),
    "content-range": `bytes ${start}-${end}/${last + 1}`,
  };
  const bytes = Readable.from(bytesBetween(body, start, end + 1)).once("close", () => body.destroy());
  return { status: 206, headers: { ...headers, ...part }, body: bytes };
}

async function* bytesBetween(body: Readable, start: number, end: number): AsyncGenerator<Buffer, void> {
  let at = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    const part = chunk.subarray(Math.max(0, start - at), Math.max(0, end - at));
    at += chunk.length;
    if (part.length > 0) yield part;
    if (at >= end) return;
  }
}
