import { Buffer } from "node:buffer";
import { Readable } from "node:stream";
import { codecNameOf, loadCodec } from "../codecs/index.ts";
import { jsonCodec } from "../codecs/json.ts";
import { type CodecName, errors, mediaTypes, type ObjectKind, type WireAnswer } from "../schema/index.ts";
import type { Problem } from "./errors.ts";
import type { ListItem, ListReply, Reply } from "./route.ts";

/**
 * The codec of the answer (service-api.md, rule 2): transit where `Accept` prefers it, else JSON, also for a header that
 * is missing or names neither.
 */
export function acceptedCodec(accept: string | undefined): CodecName {
  let best: CodecName = "json";
  let bestWeight = 0;
  for (const part of accept?.split(",") ?? []) {
    const name = codecNameOf(part);
    const weight = Number(/;\s*q=([\d.]+)/i.exec(part)?.[1] ?? 1);
    // The first one wins where both weigh the same.
    if (name !== undefined && weight > bestWeight) [best, bestWeight] = [name, weight];
  }
  return best;
}

/** The answer that carries a handler's reply. */
export async function answerOf(
  reply: Reply,
  kind: ObjectKind | string,
  codec: CodecName,
): Promise<WireAnswer> {
  if (reply === undefined) return { status: 204, headers: {}, body: null };
  if ("bytes" in reply) return { status: 200, headers: reply.headers, body: reply.bytes };
  if (typeof kind === "string") throw new Error(`a ${kind} answer carries no document`);
  if ("items" in reply) return listAnswer(reply, kind, codec);
  if ("document" in reply) return documentAnswer(200, kind, reply.document, codec, reply.headers?.());
  const json = answeredForm(reply.json);
  const headers = reply.headers?.();
  if (codec === "json") return textAnswer(200, json, codec, headers);
  return documentAnswer(200, kind, jsonCodec.decode(kind, json), codec, headers);
}

/**
 * A stored document as it is answered. `trashed?` is left out where it is null, and an instant otherwise (service.md, Which
 * fields a card has): collections of earlier commits hold its text. No string in JSON can look like that.
 */
const answeredForm = (json: string) =>
  json.replace(/,"trashed\?":(?:null|("[^"]*"))/, (_, text?: string) =>
    text === undefined ? "" : `,"trashed?":{"date":${text}}`,
  );

/** The answer to HEAD: the headers of GET. */
export function withoutBody({ status, headers, body }: WireAnswer): WireAnswer {
  if (body === null) return { status, headers, body };
  if (typeof body === "string" || body instanceof Uint8Array)
    return { status, headers: { ...headers, "content-length": String(Buffer.byteLength(body)) }, body: null };
  body.destroy();
  return { status, headers, body: null };
}

// In characters: a list up to this length is answered at once, with its length.
const longestWhole = 256 * 1024;

/** A list is streamed if it is long, so that it is never in memory as a whole. */
async function listAnswer(list: ListReply, kind: ObjectKind, codec: CodecName): Promise<WireAnswer> {
  const parts = partsOf(list, kind, codec);
  let start = "";
  while (start.length <= longestWhole) {
    const { value, done } = await parts.next();
    if (done) return textAnswer(200, start, codec, undefined);
    start += value;
  }
  const all = async function* () {
    yield start;
    yield* parts;
  };
  const body = Readable.from(all(), { highWaterMark: 1 });
  return { status: 200, headers: { "content-type": mediaTypes[codec] }, body };
}

async function* partsOf(
  { key, items, bookmark }: ListReply,
  kind: ObjectKind,
  codec: CodecName,
): AsyncGenerator<string, void> {
  const of = kind.fields[key];
  if (of?.kind !== "array" || of.of.kind !== "object") throw new Error(`the answer has no list ${key}`);
  const [item, prefix] = [of.of, codec === "transit" ? "~:" : ""];
  const { encode } = await loadCodec(codec);
  yield `{"${prefix}${key}":[`;
  let comma = "";
  const textOf = (each: ListItem) => {
    if ("document" in each) return encode(item, each.document);
    const json = answeredForm(each.json);
    return codec === "json" ? json : encode(item, jsonCodec.decode(item, json));
  };
  for await (const some of items) {
    yield comma + some.map(textOf).join(",");
    comma = ",";
  }
  const last = bookmark();
  yield last === undefined ? "]}" : `],"${prefix}bookmark":${JSON.stringify(last)}}`;
}

/** The answer that reports a problem. */
export function problemAnswer(problem: Problem, codec: CodecName): Promise<WireAnswer> {
  return documentAnswer(problem.status, errors, { errors: problem.errors }, codec, problem.headers);
}

async function documentAnswer(
  status: number,
  kind: ObjectKind,
  document: unknown,
  codec: CodecName,
  headers: WireAnswer["headers"] | undefined,
): Promise<WireAnswer> {
  return textAnswer(status, (await loadCodec(codec)).encode(kind, document), codec, headers);
}

function textAnswer(
  status: number,
  body: string,
  codec: CodecName,
  headers: WireAnswer["headers"] | undefined,
): WireAnswer {
  return { status, headers: { "content-type": mediaTypes[codec], ...headers }, body };
}
