import type { Readable } from "node:stream";
import { codecNameOf, decodeUtf8, loadCodec } from "../codecs/index.ts";
import { jsonCodec } from "../codecs/json.ts";
import { type CodecName, errors, mediaTypes, type ObjectKind, type WireAnswer } from "../schema/index.ts";
import type { Problem } from "./errors.ts";

/** What a handler gives back: a document, bytes to stream, or nothing (204). */
export type Reply =
  | { readonly document: unknown }
  /** The same as it stands in JSON: what is kept as it is answered need not be read. */
  | { readonly json: string | Uint8Array }
  | { readonly bytes: Readable; readonly headers: Readonly<Record<string, string>> }
  | undefined;

/**
 * The codec of the answer (service-api.md, rule 2): transit where `Accept` prefers it, else JSON, for a header that is
 * missing or names neither, too.
 */
export function acceptedCodec(accept: string | undefined): CodecName {
  if (accept === undefined || !/transit/i.test(accept)) return "json";
  let best: CodecName = "json";
  let bestWeight = 0;
  for (const part of accept.split(",")) {
    const name = codecNameOf(part);
    const weight = Number(/;\s*q=([\d.]+)/i.exec(part)?.[1] ?? 1);
    // The one named first wins where both weigh the same.
    if (name !== undefined && weight > bestWeight) [best, bestWeight] = [name, weight];
  }
  return best;
}

/** The answer that carries a handler's reply: at once, unless a codec may have to be loaded for it. */
export function answerOf(
  reply: Reply,
  kind: ObjectKind | string,
  codec: CodecName,
): WireAnswer | Promise<WireAnswer> {
  if (reply === undefined) return { status: 204, headers: {}, body: null };
  if ("bytes" in reply) return { status: 200, headers: reply.headers, body: reply.bytes };
  if ("document" in reply) return documentAnswer(200, kind as ObjectKind, reply.document, codec);
  if (codec === "json") return textAnswer(200, reply.json, codec);
  const text = typeof reply.json === "string" ? reply.json : decodeUtf8(reply.json);
  return documentAnswer(200, kind as ObjectKind, jsonCodec.decode(kind as ObjectKind, text), codec);
}

/** The answer that tells a problem. */
export function problemAnswer(problem: Problem, codec: CodecName): Promise<WireAnswer> {
  return documentAnswer(problem.status, errors, { errors: problem.errors }, codec, problem.headers);
}

async function documentAnswer(
  status: number,
  kind: ObjectKind,
  document: unknown,
  codec: CodecName,
  headers: Readonly<Record<string, string>> = {},
): Promise<WireAnswer> {
  return textAnswer(status, (await loadCodec(codec)).encode(kind, document), codec, headers);
}

function textAnswer(
  status: number,
  body: string | Uint8Array,
  codec: CodecName,
  headers: Readonly<Record<string, string>> = {},
): WireAnswer {
  return { status, headers: { "content-type": mediaTypes[codec], ...headers }, body };
}
