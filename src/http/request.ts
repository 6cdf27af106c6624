import { CodecError, loadCodec } from "../codecs/index.ts";
import { UsageError } from "../errors.ts";
import { check, mediaTypes, type ObjectKind, type Operation, object } from "../schema/index.ts";
import { basicAuth } from "./base-url.ts";
import { plan, rawTarget } from "./plan.ts";
import type { CallInput, HttpSettings, RawRequest, Upload } from "./settings.ts";

/** A request that is ready to be sent, any number of times. */
export interface Prepared {
  readonly name: { readonly method: string; readonly path: string };
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly upload?: Upload | undefined;
  /** Whether carrying it out twice is the same as once. */
  readonly repeatable: boolean;
  readonly retries: number;
  /** The most bytes of a whole answer; 64 MiB if absent. */
  readonly maxBytes?: number | undefined;
  /** The caller's and the settings' signals in one. */
  readonly signal: AbortSignal | undefined;
}

/** The settings, and the headers that all requests have. */
export interface Core {
  readonly settings: HttpSettings;
  readonly headers: Readonly<Record<string, string>>;
}

export function coreOf(settings: HttpSettings): Core {
  const { userAgent, key } = settings;
  const authorization = key === undefined ? {} : { authorization: basicAuth(key) };
  return { settings, headers: { "user-agent": userAgent, ...authorization } };
}

/**
 * The request of an operation, checked and encoded.
 *
 * @throws UsageError for a body that fails validation (all failing fields at once), or an id that cannot be in a path.
 */
export async function prepare(
  { settings, headers }: Core,
  operation: Operation,
  input: CallInput,
): Promise<Prepared> {
  const { method, path, query } = plan(operation, input);
  const accept = mediaTypes[settings.codec];
  const body = isKind(operation.body) ? await encodeBody(settings, operation.body, input.body) : undefined;
  if (operation.body === "multipart" && !input.upload) throw new UsageError("there is no file to upload");
  return {
    name: { method, path },
    query,
    headers: {
      ...headers,
      accept: operation.answer === "bytes" ? `${accept}, */*;q=0.9` : accept,
      ...(body === undefined ? {} : { "content-type": mediaTypes[settings.codec] }),
      ...(input.ifMatch === undefined ? {} : { "if-match": input.ifMatch }),
    },
    body,
    upload: operation.body === "multipart" ? input.upload : undefined,
    repeatable: operation.repeatable,
    retries: Math.min(settings.retries, input.retries ?? settings.retries),
    maxBytes: input.maxBytes,
    signal: eitherSignal(settings.signal, input.signal),
  };
}

async function encodeBody(settings: HttpSettings, kind: ObjectKind, body: unknown): Promise<string> {
  const problems = check(kind, body, "sent");
  if (problems !== undefined) {
    const messages = Object.entries(problems).map(([field, text]) => (field ? `${field}: ${text}` : text));
    throw new UsageError(messages.join("; "), { fields: problems });
  }
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

/** The kind of a body that the schema does not know. */
export const anything = object({});

/**
 * The request of `deckhand api`.
 *
 * @throws UsageError for a method, path or header that is not allowed.
 */
export async function prepareRaw({ settings, headers }: Core, raw: RawRequest): Promise<Prepared> {
  const method = raw.method.toUpperCase();
  if (!/^[A-Z]{1,20}$/.test(method) || method === "CONNECT")
    throw new UsageError(`${JSON.stringify(raw.method)} is not an HTTP method`);
  const { path, query } = rawTarget(raw.path, raw.query ?? []);
  const body =
    raw.body === undefined || typeof raw.body === "string"
      ? raw.body
      : await encode(settings, raw.bodyKind ?? anything, raw.body);
  const type = mediaTypes[settings.codec];
  return {
    name: { method, path },
    query,
    headers: {
      ...headers,
      accept: `${type}, */*;q=0.9`,
      ...(body === undefined ? {} : { "content-type": type }),
      ...userHeaders(raw.headers ?? {}),
    },
    body,
    repeatable: raw.repeatable ?? method !== "POST",
    retries: settings.retries,
    signal: eitherSignal(settings.signal, raw.signal),
  };
}

/** These frame the request or say where it goes. */
const reserved = [
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
  "upgrade",
  "expect",
  "keep-alive",
];

/** The user's headers with lower-case names, so that each replaces the default one. */
function userHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const own: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(lower))
      throw new UsageError(`${JSON.stringify(name)} is not a header`);
    if (reserved.includes(lower)) throw new UsageError(`the header ${lower} cannot be set`);
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new UsageError(`the header ${lower} has no valid value`);
    own[lower] = value;
  }
  return own;
}
