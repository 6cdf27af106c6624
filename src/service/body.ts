import { Buffer } from "node:buffer";
import type { Readable } from "node:stream";
import { CodecError, codecNameOf, decodeUtf8, loadCodec } from "../codecs/index.ts";
import { check, isMap, type Kind, type ObjectKind, type WireRequest } from "../schema/index.ts";
import { badRequest, tooLarge, unsupported } from "./errors.ts";

/** The domain value of a body, and what is wrong with it. */
export interface ReadBody {
  /** The fields that the kind names, or that it names for transit: the others are ignored. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly problems: Readonly<Record<string, string>> | undefined;
}

/**
 * Reads the body of a request, whichever codec it came in.
 *
 * @throws Problem 415 for another content type, 413 beyond `limit` bytes, 400 for what does not parse or is no map.
 */
export async function readBody(request: WireRequest, kind: ObjectKind, limit: number): Promise<ReadBody> {
  const { headers } = request;
  refuseTooLarge(headers, limit);
  if ((headers["content-encoding"] ?? "identity") !== "identity")
    throw unsupported("a compressed body is not understood");
  const name = codecNameOf(headers["content-type"]);
  if (name === undefined) {
    if (headers["content-type"] === undefined && (await bytesOf(request, limit)).length === 0)
      throw badRequest("a body is needed");
    throw unsupported("the body must be application/json or application/transit+json");
  }
  const bytes = await bytesOf(request, limit);
  const value = await decode(name, kind, bytes);
  if (!isMap(value)) throw badRequest("the body must be a map");
  return { body: knownFields(kind, value), problems: check(kind, value, "sent") };
}

/** Without the fields that the kind does not name, however deep they stand: they are ignored (service.md). */
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

/** Refuses a body that says itself that it is too large, before a byte of it is read. */
export function refuseTooLarge(headers: WireRequest["headers"], limit: number): void {
  if (Number(headers["content-length"]) > limit) throw tooLarge("the body", limit);
}

async function decode(name: "json" | "transit", kind: ObjectKind, bytes: Uint8Array): Promise<unknown> {
  const codec = await loadCodec(name);
  try {
    return codec.decode(kind, decodeUtf8(bytes), "kept");
  } catch (error) {
    if (error instanceof CodecError) throw badRequest(`the body does not parse: ${error.message}`);
    throw error;
  }
}

async function bytesOf({ body }: WireRequest, limit: number): Promise<Uint8Array> {
  if (body === undefined) return new Uint8Array();
  if (typeof body === "string" || body instanceof Uint8Array) {
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    if (bytes.length > limit) throw tooLarge("the body", limit);
    return bytes;
  }
  return read(body, limit);
}

async function read(body: Readable, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Not `for await`: leaving it early destroys the stream, and with it the connection that the answer goes out on.
  return new Promise((resolve, reject) => {
    body.on("data", (chunk: Uint8Array) => {
      length += chunk.length;
      if (length <= limit) chunks.push(chunk);
      else {
        body.removeAllListeners("data").pause();
        reject(tooLarge("the body", limit));
      }
    });
    body.on("end", () => resolve(Buffer.concat(chunks)));
    body.on("error", () => reject(badRequest("the body ended early")));
    body.on("close", () => reject(badRequest("the body ended early")));
  });
}
