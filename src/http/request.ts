import { CodecError, loadCodec } from "../codecs/index.ts";
import { UsageError } from "../errors.ts";
import { check, mediaTypes, type ObjectKind, type Operation } from "../schema/index.ts";
import type { Prepared } from "./attempt.ts";
import { basicAuth } from "./base-url.ts";
import { eitherSignal } from "./deadline.ts";
import { plan } from "./plan.ts";
import type { CallInput, HttpSettings } from "./settings.ts";

/**
 * The request of an operation, checked and encoded: nothing can go wrong on this side any more.
 *
 * @throws UsageError for a body that fails validation (all failing fields at once), or an id that fits in no path.
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
    },
    body,
    upload: operation.body === "multipart" ? input.upload : undefined,
    repeatable: operation.repeatable,
    retries: Math.min(settings.retries, input.retries ?? settings.retries),
    signal: eitherSignal(settings.signal, input.signal),
  };
}

/** The settings, and the headers that every request of theirs has. */
export interface Core {
  readonly settings: HttpSettings;
  readonly headers: Readonly<Record<string, string>>;
}

export function coreOf(settings: HttpSettings): Core {
  const { userAgent, key } = settings;
  const authorization = key === undefined ? {} : { authorization: basicAuth(key) };
  return { settings, headers: { "user-agent": userAgent, ...authorization } };
}

async function encodeBody(settings: HttpSettings, kind: ObjectKind, body: unknown): Promise<string> {
  const problems = check(kind, body, "sent");
  if (problems !== undefined) {
    const told = Object.entries(problems).map(([field, text]) => (field ? `${field}: ${text}` : text));
    throw new UsageError(told.join("; "), { fields: problems });
  }
  return encode(settings, kind, body);
}

/** The wire text of a value in the codec of the settings. */
export async function encode(settings: HttpSettings, kind: ObjectKind, value: unknown): Promise<string> {
  const codec = await loadCodec(settings.codec);
  try {
    return codec.encode(kind, value);
  } catch (error) {
    if (error instanceof CodecError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

const isKind = (body: Operation["body"]): body is ObjectKind => typeof body === "object";
