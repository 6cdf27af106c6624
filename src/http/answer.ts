import { Buffer } from "node:buffer";
import { addAbortSignal, Readable } from "node:stream";
import { type Codec, CodecError, codecNameOf, decodeUtf8, loadCodec } from "../codecs/index.ts";
import { errors, type ObjectKind, type WireAnswer } from "../schema/index.ts";
import type { Attempt } from "./attempt.ts";
import { Failure, firstWords, notUnderstood, tooLarge } from "./failure.ts";
import { refused } from "./refusal.ts";

export type AnswerBody = string | Buffer;

export const succeeded = (answer: WireAnswer) => answer.status >= 200 && answer.status < 300;

/**
 * Reads the whole answer and gives the slot back.
 *
 * @returns the failure that a status other than 2xx means, with the messages in its body
 * @throws Failure
 */
export async function readAnswer(
  attempt: Attempt,
): Promise<{ readonly body: AnswerBody; readonly failure: Failure | undefined }> {
  const { answer, settings } = attempt;
  const isRefusal = !succeeded(answer);
  let body: AnswerBody = "";
  try {
    body = await readBody(answer, attempt.limit, attempt.signal);
    attempt.answered(body.length);
  } catch (error) {
    const failure = attempt.meaningOf(error);
    // A refusal needs no body: its status counts even if the connection breaks after the head.
    if (!isRefusal || !(failure instanceof Failure)) throw failure;
  }
  const pause = retryAfter(answer.headers, settings.clock.now());
  attempt.close(answer.status === 429 ? { kind: "limited", pause } : { kind: "answered" });
  if (!isRefusal) return { body, failure: undefined };
  const { status, headers } = answer;
  let decoded: unknown;
  try {
    decoded = (await codecOf(attempt))?.decode(errors, textOf(body));
  } catch {
    // The status says enough.
  }
  return { body, failure: refused({ status, headers, body: decoded, text: beginning(body), pause }) };
}

/** @throws Failure, or the error of the stream. */
export async function readBody(answer: WireAnswer, limit: number, signal: AbortSignal): Promise<AnswerBody> {
  const body = plainBody(answer);
  if (body === null) return Buffer.alloc(0);
  if (!(body instanceof Readable)) {
    if (body.length > limit) throw tooLarge(limit);
    // The local service answers short texts as they are.
    return typeof body === "string" ? body : bufferOf(body);
  }
  if (Number(answer.headers["content-length"]) > limit) {
    body.destroy();
    throw tooLarge(limit);
  }
  // One buffer that grows: a list of chunks takes gigabytes when a service sends one byte in each.
  let bytes: Buffer = Buffer.alloc(0);
  let length = 0;
  for await (const piece of addAbortSignal(signal, body) as AsyncIterable<string | Uint8Array>) {
    // The local service streams texts, and plain arrays of bytes.
    const chunk = typeof piece === "string" ? Buffer.from(piece) : bufferOf(piece);
    if (length + chunk.length > limit) throw tooLarge(limit);
    if (length === 0) bytes = chunk;
    else {
      if (length + chunk.length > bytes.length) bytes = grown(bytes, length, chunk.length);
      chunk.copy(bytes, length);
    }
    length += chunk.length;
  }
  return bytes.subarray(0, length);
}

function grown(bytes: Buffer, length: number, more: number): Buffer {
  const larger = Buffer.allocUnsafe(Math.max(2 * length, length + more));
  bytes.copy(larger, 0, 0, length);
  return larger;
}

/** The body, which has no content coding: none is asked for. @throws Failure where a proxy has applied one anyway */
export function plainBody({ headers, body }: WireAnswer): WireAnswer["body"] {
  const coding = headers["content-encoding"]?.trim().toLowerCase() ?? "";
  if (coding === "" || coding === "identity" || body === null) return body;
  if (body instanceof Readable) body.destroy();
  throw notUnderstood(`the answer is in the coding ${JSON.stringify(coding)}, which was not asked for`);
}

const bufferOf = (body: Uint8Array) => Buffer.from(body.buffer, body.byteOffset, body.byteLength);

/**
 * Decodes a body by the answer's own content type; without one, in the codec that was asked for.
 *
 * @throws Failure for another content type, or for a body that does not decode.
 */
export async function decode(attempt: Attempt, kind: ObjectKind, body: AnswerBody): Promise<unknown> {
  const { status, headers } = attempt.answer;
  const codec = await codecOf(attempt);
  if (codec === undefined) {
    const words = firstWords(beginning(body));
    const what = `the answer is ${headers["content-type"]}, not JSON or transit`;
    throw notUnderstood(words === "" ? what : `${what}: ${words}`, { status });
  }
  try {
    return codec.decode(kind, textOf(body));
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    // A connection that closed early can look like a complete answer; only decoding shows it. The error does not become
    // the cause: it quotes the answer, which may hold a key.
    throw notUnderstood(`the answer cannot be read: ${error.message}`, { status, again: "repeatable" });
  }
}

async function codecOf({ answer, settings }: Attempt): Promise<Codec | undefined> {
  const type = answer.headers["content-type"];
  const name = type === undefined ? settings.codec : codecNameOf(type);
  return name === undefined ? undefined : loadCodec(name);
}

const textOf = (body: AnswerBody) => (typeof body === "string" ? body : decodeUtf8(body));

/** The first words of a body. A word that was cut is dropped: half of a key would not be recognised and masked. */
function beginning(body: AnswerBody): string {
  const most = 4096;
  const text = typeof body === "string" ? body.slice(0, most) : body.toString("utf8", 0, most);
  return body.length > most ? text.replace(/(?<!\S)\S+$/, "") : text;
}

/**
 * The pause that a Retry-After header asks for, in milliseconds: digits are seconds, else it is an HTTP date, taken
 * against the answer's own Date so that wrong clocks do not matter. Undefined if there is none.
 */
export function retryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const value = headers["retry-after"]?.trim();
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const until = httpDate(value);
  if (until === undefined) return undefined;
  return Math.max(0, until - (httpDate(headers["date"]) ?? now));
}

/** Longer than any date: searching a header of 16 KB for one takes too long. */
const longestDate = 64;

/** Date.parse accepts almost anything; an HTTP date has the name of a month and a time. */
function httpDate(value: string | undefined): number | undefined {
  if (value === undefined || value.length > longestDate) return undefined;
  if (!/[a-z]{3}.*\d\d:\d\d:\d\d/i.test(value)) return undefined;
  const time = Date.parse(/(?:GMT|UTC|[+-]\d{4})\s*$/i.test(value) ? value : `${value} GMT`);
  return Number.isNaN(time) ? undefined : time;
}
