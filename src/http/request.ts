import { Buffer } from "node:buffer";
import { CodecError, loadCodec } from "../codecs/index.ts";
import { type RequestName, UsageError } from "../errors.ts";
import {
  check,
  formatQuery,
  hasControl,
  type Method,
  mediaTypes,
  type ObjectKind,
  type Operation,
  object,
  problemInPath,
} from "../schema/index.ts";
import { withoutKey } from "./failure.ts";
import type { CallInput, HttpSettings, RawRequest, Upload } from "./settings.ts";

/** A request that is ready to be sent, any number of times. */
export interface Prepared {
  /** For events and errors: its path does not show the key. */
  readonly name: RequestName;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly upload?: Upload | undefined;
  /** Whether carrying it out twice is the same as once. */
  readonly repeatable: boolean;
  readonly retries: number;
  readonly maxBytes?: number | undefined;
  /** The caller's and the settings' signals in one. */
  readonly signal: AbortSignal | undefined;
}

/** The headers that all requests have: `Basic base64(utf8(key + ":"))` (docs/design/wire.md, Requests). */
const commonHeaders = ({ userAgent, key }: HttpSettings) => ({
  "user-agent": userAgent,
  // Without it a proxy may choose any.
  "accept-encoding": "identity",
  ...(key === undefined ? {} : { authorization: `Basic ${Buffer.from(`${key}:`).toString("base64")}` }),
});

/**
 * The request of an operation, checked and encoded.
 *
 * @throws UsageError for a body that fails validation (all failing fields at once), or an id that cannot be in a path.
 */
export async function prepare(
  settings: HttpSettings,
  operation: Operation,
  input: CallInput,
): Promise<Prepared> {
  const { method, path, query } = plan(operation, input);
  const accept = mediaTypes[settings.codec];
  const body = isKind(operation.body) ? await encodeBody(settings, operation.body, input.body) : undefined;
  if (operation.body === "multipart" && !input.upload) throw new UsageError("there is no file to upload");
  return {
    name: { method, path: withoutKey(path, settings.key) },
    path,
    query,
    headers: {
      ...commonHeaders(settings),
      accept: operation.answer === "bytes" ? `${accept}, */*;q=0.9` : accept,
      ...(body === undefined ? {} : { "content-type": mediaTypes[settings.codec] }),
      ...(input.ifMatch === undefined ? {} : { "if-match": input.ifMatch }),
      ...(input.ifNew ? { "if-none-match": "*" } : {}),
    },
    body,
    upload: operation.body === "multipart" ? input.upload : undefined,
    repeatable: operation.repeatable,
    retries: Math.min(settings.retries, input.retries ?? settings.retries),
    maxBytes: input.maxBytes,
    signal: eitherSignal(settings.signal, input.signal),
  };
}

/** What is wrong with a body, all failing fields at once; undefined if nothing is. */
export function problemWith(kind: ObjectKind, body: unknown): UsageError | undefined {
  const fields = check(kind, body, "sent");
  if (fields === undefined) return undefined;
  const messages = Object.entries(fields).map(([field, text]) => (field ? `${field}: ${text}` : text));
  return new UsageError(messages.join("; "), { fields });
}

async function encodeBody(settings: HttpSettings, kind: ObjectKind, body: unknown): Promise<string> {
  const problem = problemWith(kind, body);
  if (problem !== undefined) throw problem;
  return encode(settings, kind, body);
}

async function encode(settings: HttpSettings, kind: ObjectKind, value: unknown): Promise<string> {
  const codec = await loadCodec(settings.codec);
  try {
    return codec.encode(kind, value);
  } catch (error) {
    if (error instanceof CodecError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

const isKind = (body: Operation["body"]): body is ObjectKind => typeof body === "object";

function eitherSignal(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return one && other ? AbortSignal.any([one, other]) : (one ?? other);
}

const anything = object({});

/** The kind of a body of `deckhand api`, which the schema need not know. */
export const kindOf = (known: Operation["body"] | Operation["answer"]): ObjectKind =>
  typeof known === "object" ? known : anything;

/**
 * The request of `deckhand api`.
 *
 * @throws UsageError for a method or path that is not allowed.
 */
export async function prepareRaw(settings: HttpSettings, raw: RawRequest): Promise<Prepared> {
  const method = raw.method.toUpperCase();
  if (!/^[A-Z]{1,20}$/.test(method) || method === "CONNECT")
    throw new UsageError(`${JSON.stringify(raw.method)} is not an HTTP method`);
  const { path, query } = rawTarget(raw.path, raw.query ?? []);
  const body =
    raw.body === undefined || typeof raw.body === "string"
      ? raw.body
      : await encode(settings, kindOf(raw.operation?.body), raw.body);
  const type = mediaTypes[settings.codec];
  return {
    name: { method, path: withoutKey(path, settings.key) },
    path,
    query,
    headers: {
      ...commonHeaders(settings),
      accept: `${type}, */*;q=0.9`,
      ...(body === undefined ? {} : { "content-type": type }),
    },
    body,
    repeatable: raw.operation?.repeatable ?? method !== "POST",
    retries: settings.retries,
    signal: settings.signal,
  };
}

/** What a call would send, before it is encoded. A dry run prints it. */
interface Plan {
  readonly method: Method;
  /** Percent-encoded, relative to the base URL. */
  readonly path: string;
  /** Encoded, without the `?`; "" for none. */
  readonly query: string;
  /** The domain value, or the name of the file that would be uploaded. */
  readonly body: unknown;
}

/**
 * The request of an operation with its input.
 *
 * @throws UsageError if an id or a file name cannot be in a path.
 */
export function plan(operation: Operation, input: CallInput): Plan {
  return {
    method: operation.method,
    path: fillPath(operation.path, input.params ?? {}),
    query: operation.query === undefined ? "" : formatQuery(operation.query, input.query ?? {}),
    body: input.upload === undefined ? input.body : { file: input.upload.fileName },
  };
}

/** The path with `:name` replaced by the percent-encoded parameter. */
function fillPath(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/:([a-z-]+)/g, (_, name: string) => pathSegment(name, params[name] ?? ""));
}

/**
 * One segment of a path, percent-encoded; file names in NFC, ids as they are.
 *
 * @throws UsageError
 */
function pathSegment(name: string, value: string): string {
  const text = name === "file-name" ? value.normalize("NFC") : value;
  const problem = problemInPath(name.replace("-", " "), text);
  if (problem !== undefined) throw new UsageError(problem);
  return encodeURIComponent(text);
}

/**
 * The path and query of a raw request.
 *
 * @throws UsageError unless the path begins with one `/` and stays below the base URL.
 */
export function rawTarget(
  path: string,
  pairs: readonly (readonly [string, string])[],
): { readonly path: string; readonly query: string } {
  const [given = "", ...rest] = path.split("?");
  if (!given.startsWith("/") || given.startsWith("//") || /[\\#]/.test(path))
    throw new UsageError(`${JSON.stringify(path)} is not a path below the base URL`, {
      hint: "A path begins with one slash: /cards",
    });
  const segments = given.split("/").map(decoded);
  if (hasControl(path) || segments.some(hasControl))
    throw new UsageError("a path cannot hold control characters");
  if (segments.some((each) => each === "." || each === ".."))
    throw new UsageError("a path cannot hold . or ..");
  const query = [encodeRaw(rest.join("?")), ...pairs.map(queryPair)];
  return { path: encodeRaw(given), query: query.filter((part) => part !== "").join("&") };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new UsageError(`${JSON.stringify(segment)} is not percent-encoded correctly`);
  }
}

/** Encodes what a URL cannot contain, and leaves what is encoded already. */
function encodeRaw(text: string): string {
  try {
    return encodeURI(text).replace(/%25(?=[0-9a-f]{2})/gi, "%");
  } catch {
    throw new UsageError("the path is not valid Unicode");
  }
}

const queryPair = ([name, value]: readonly [string, string]) =>
  `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
