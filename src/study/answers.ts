import { Readable } from "node:stream";
import type { WireAnswer } from "../schema/index.ts";

/** Nothing runs but the page's one script, nothing is loaded from elsewhere, and no other page may frame it. */
const policy = (styles: string): string =>
  `default-src 'none'; script-src 'self'; style-src ${styles}; img-src 'self'; media-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

const common = {
  "x-content-type-options": "nosniff",
  // With less a browser would not say which page a form is on.
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cache-control": "no-store",
};

/** @param styles where styles may come from: the page of statistics has its own in it */
export const htmlAnswer = (
  body: string,
  { status = 200, styles = "'self'", headers = {} }: Partial<HtmlOptions> = {},
): WireAnswer => ({
  status,
  headers: {
    ...common,
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy(styles),
    ...headers,
  },
  body,
});

interface HtmlOptions {
  readonly status: number;
  readonly styles: string;
  readonly headers: WireAnswer["headers"];
}

export const jsonAnswer = (value: unknown, status = 200): WireAnswer => ({
  status,
  headers: { ...common, "content-type": "application/json" },
  body: JSON.stringify(value),
});

export const refusal = (status: number, message: string): WireAnswer =>
  jsonAnswer({ errors: [message] }, status);

export const empty = (): WireAnswer => ({ status: 204, headers: common, body: null });

/** @param to relative to the page that was asked for */
export const seeOther = (to: string, headers: WireAnswer["headers"] = {}): WireAnswer => ({
  status: 303,
  headers: { ...common, location: to, ...headers },
  body: null,
});

/** A file in answer to a request for a part of it: some browsers play no sound without. */
export function partOf(answer: WireAnswer, range: string | undefined): WireAnswer {
  const size = Number(answer.headers["content-length"]);
  const [, from = "", to = ""] = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(range ?? "") ?? [];
  const headers = { ...answer.headers, "accept-ranges": "bytes", "cache-control": "private, max-age=600" };
  const { body } = answer;
  if (answer.status !== 200 || from === "" || Number(from) >= size || !(body instanceof Readable))
    return { ...answer, headers };
  const start = Number(from);
  const end = Math.min(to === "" ? size - 1 : Number(to), size - 1);
  return {
    status: 206,
    headers: {
      ...headers,
      "content-length": String(Math.max(0, end - start + 1)),
      "content-range": `bytes ${start}-${end}/${size}`,
    },
    body: Readable.from(bytesBetween(body, start, end + 1)).once("close", () => body.destroy()),
  };
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
