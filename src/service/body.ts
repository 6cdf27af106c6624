import { Buffer } from "node:buffer";
import { finished, Readable } from "node:stream";
import { CodecError, codecNameOf, decodeUtf8, loadCodec } from "../codecs/index.ts";
import { check, isMap, type Kind, type ObjectKind, type WireRequest } from "../schema/index.ts";
import { badRequest, Problem, tooLarge, unsupported } from "./errors.ts";

/** The fields of a body that are valid on their own, and what is wrong with the others. */
interface ReadBody {
  readonly values: Readonly<Record<string, unknown>>;
  readonly problems: Readonly<Record<string, string>> | undefined;
}

/**
 * Reads and checks the body of a request in either codec. Fields that the kind does not name are ignored.
 *
 * @throws Problem 415 for another content type, 413 over `limit` bytes, 400 for a body that does not parse or is not a
 * map.
 */
export async function readBody(
  request: WireRequest,
  kind: ObjectKind,
  limit: number,
  mostValues = mostValuesAlone,
): Promise<ReadBody> {
  const { headers } = request;
  refuseTooLarge(headers, limit);
  if ((headers["content-encoding"] ?? "identity") !== "identity")
    throw unsupported("compressed bodies are not supported");
  const codec = codecNameOf(headers["content-type"]);
  if (codec === undefined) {
    if (headers["content-type"] === undefined && (await bytesOf(request, limit)).length === 0)
      throw badRequest("a body is needed");
    throw unsupported("the body must be application/json or application/transit+json");
  }
  const bytes = await bytesOf(request, limit);
  refuseTooMany(bytes, mostValues);
  const { decode } = await loadCodec(codec);
  let value: unknown;
  try {
    value = decode(kind, decodeUtf8(bytes));
  } catch (error) {
    if (error instanceof CodecError) throw badRequest(`the body does not parse: ${error.message}`);
    throw error;
  }
  if (!isMap(value)) throw badRequest("the body must be a map");
  return checked(kind, value);
}

/** The fields of a decoded map, checked. */
export function checked(kind: ObjectKind, value: Readonly<Record<string, unknown>>): ReadBody {
  const values = knownFields(kind, value);
  const problems = check(kind, value, "sent");
  for (const name of Object.keys(values))
    if (problems?.[name] ?? problems?.[kind.transitKeys?.[name] ?? name]) delete values[name];
  return { values, problems };
}

/** Without the fields that the kind does not name, at any depth. */
function known(kind: Kind, value: unknown): unknown {
  if (!isMap(value)) return value;
  if (kind.kind === "object") return knownFields(kind, value);
  if (kind.kind !== "record") return value;
  const entries: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value)) entries[key] = known(kind.of, value[key]);
  return entries;
}

function knownFields(kind: ObjectKind, value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(kind.fields)) {
    const given = own(value, name) ?? own(value, kind.transitKeys?.[name] ?? name);
    if (given !== undefined) fields[name] = known(field, given);
  }
  return fields;
}

const own = (map: Readonly<Record<string, unknown>>, name: string) =>
  Object.hasOwn(map, name) ? map[name] : undefined;

/** Refuses a body whose declared length is too large, before any of it is read. */
export function refuseTooLarge(headers: WireRequest["headers"], limit: number): void {
  if (Number(headers["content-length"]) > limit) throw tooLarge("the body", limit);
}

// Far more than a card has fields; the check of a body takes a few milliseconds then.
const mostValuesAlone = 10_000;
const [quote, backslash] = [0x22, 0x5c];
const [comma, colon, bracket, brace, closingBracket, closingBrace] = [0x2c, 0x3a, 0x5b, 0x7b, 0x5d, 0x7d];
// The codecs allow 200 levels of values, and each may have a tag around it.
const deepest = 1_000;

/** Refuses a body with so many values, or so many levels, that parsing it would hold up others. Both codecs are JSON text. */
function refuseTooMany(bytes: Uint8Array, mostValues: number): void {
  let marks = 0;
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at);
    else if (byte === comma || byte === colon) marks++;
    else if (byte === bracket || byte === brace) {
      marks++;
      depth++;
    } else if (byte === closingBracket || byte === closingBrace) depth--;
    if (depth > deepest) throw badRequest("the body does not parse: it is nested too deep");
    // A value in a map has a colon and a comma.
    if (marks > 2 * mostValues) throw new Problem(413, [`the body may have at most ${mostValues} values`]);
  }
}

/** The place of the closing quote of the string that begins at a place. Long strings are searched, not read. */
function endOfString(bytes: Uint8Array, start: number): number {
  let end = bytes.indexOf(quote, start + 1);
  while (end !== -1 && isEscaped(bytes, end)) end = bytes.indexOf(quote, end + 1);
  return end === -1 ? bytes.length : end;
}

function isEscaped(bytes: Uint8Array, at: number): boolean {
  let before = at - 1;
  while (bytes[before] === backslash) before--;
  return (at - before) % 2 === 0;
}

async function bytesOf({ body }: WireRequest, limit: number): Promise<Uint8Array> {
  if (body instanceof Readable) return read(body, limit);
  const bytes = typeof body === "string" ? Buffer.from(body) : (body ?? new Uint8Array());
  if (bytes.length > limit) throw tooLarge("the body", limit);
  return bytes;
}

/** Not `for await`: leaving that early destroys the stream, and with it the connection that the answer needs. */
function read(body: Readable, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    // Also reports a stream that broke off before this point.
    finished(body, { writable: false }, (error) => {
      if (error) reject(badRequest("the body ended early"));
      else resolve(Buffer.concat(chunks));
    });
    body.on("data", (chunk: Uint8Array) => {
      length += chunk.length;
      if (length <= limit) chunks.push(chunk);
      else {
        body.removeAllListeners("data").pause();
        reject(tooLarge("the body", limit));
      }
    });
  });
}
