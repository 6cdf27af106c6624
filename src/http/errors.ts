import { Buffer } from "node:buffer";
import {
  AnswerTooLargeError,
  BadResponseError,
  type ErrorCode,
  NetworkError,
  type RequestName,
  ServiceError,
  TimeoutError,
} from "../errors.ts";
import { isMap } from "../schema/index.ts";
import { Failure, TransportError } from "./failure.ts";
import { longestPause } from "./pace.ts";

/** The facts about a request that its errors depend on. */
export interface Asked {
  readonly name: RequestName;
  readonly repeatable: boolean;
  readonly key: string | undefined;
  /** Which attempt this is, from 1. */
  readonly attempt: number;
}

/** An answer with a status other than 2xx. */
interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The decoded body; undefined if it is neither JSON nor transit. */
  readonly body: unknown;
  /** The beginning of the body. */
  readonly text: string;
  /** Milliseconds that the service asks to wait. */
  readonly pause: number | undefined;
}

const checkFirst = "Check the service before you send it again: it may be there already.";

/** The error of a refusal that came inside another answer. @param body as a refusal alone has it */
export function refusalOf(name: RequestName, status: number, body: unknown): Error {
  const asked = { name, repeatable: true, key: undefined, attempt: 1 };
  return refused(asked, { status, headers: {}, body, text: "", pause: undefined }).error;
}

/** The failure that a status other than 2xx means. */
export function refused(asked: Asked, refusal: Refusal): Failure {
  const { status } = refusal;
  const maybeDone = mayHaveBeenDone(status);
  const uncertain = maybeDone && !asked.repeatable;
  if (status >= 300 && status < 400) return redirected(asked, refusal);
  const fault = status >= 500;
  const said = messagesOf(refusal.body);
  const details = {
    status,
    request: asked.name,
    fields: said.fields && redactFields(said.fields, asked.key),
    hint: uncertain ? checkFirst : hintFor(status, refusal.pause),
    uncertain,
  };
  // Services explain a 401 by how keys are sent, which is not the user's concern.
  const ours = status === 401 ? wordsFor(status) : undefined;
  const text = clean(ours ?? said.text ?? (fault ? firstWords(refusal.text) : ""), asked.key);
  const message = said.fields ? text : describe(asked, text || wordsFor(status), uncertain);
  const error = new ServiceError(codeOf(status), message, details);
  const again = status === 429 ? "limited" : fault ? "repeatable" : "never";
  return new Failure(error, { again, uncertain: maybeDone, wait: refusal.pause, reason: String(status) });
}

/**
 * Whether a request with that answer may have been carried out. A proxy may answer 3xx, 408 and 499 after it passed the
 * request on. 507 says that there is no room for it.
 */
const mayHaveBeenDone = (status: number) =>
  (status >= 300 && status < 400) || status === 408 || status === 499 || (status >= 500 && status !== 507);

function codeOf(status: number): ErrorCode {
  if (status >= 500) return "server";
  switch (status) {
    case 401:
      return "unauthorized";
    case 403:
      return "forbidden";
    case 404:
      return "not-found";
    case 422:
      return "validation";
    case 429:
      return "rate-limited";
    default:
      return "refused";
  }
}

/** What a status means, where the body has no message. */
function wordsFor(status: number): string {
  if (status >= 500) return "the service failed";
  switch (status) {
    case 401:
      return "the service did not accept the API key";
    case 403:
      return "the service does not allow it";
    case 404:
      return "not found";
    case 429:
      return "too many requests";
    default:
      return "the service refused the request";
  }
}

function hintFor(status: number, pause = 0): string | undefined {
  // Repeating it sooner cannot help.
  if (pause > longestPause)
    return `The service asks for a pause of ${Math.ceil(pause / 60_000)} minutes; try again after that.`;
  if (status === 507) return "Free space on the disk of the service.";
  if (status >= 500) return "The service has a problem of its own; try again later.";
  if (status === 401) return "Check the key with: deckhand auth status";
  if (status === 429)
    return "The service allows one request at a time for each account: wait, or raise --retries.";
  return undefined;
}

/** `errors` is a list of messages or a map of one message for each field (docs/design/wire.md, Answers). */
function messagesOf(body: unknown): { text?: string; fields?: Record<string, string> } {
  const errors = isMap(body) ? body["errors"] : undefined;
  if (typeof errors === "string") return { text: errors };
  if (Array.isArray(errors)) return { text: errors.map(messageText).join("; ") };
  if (!isMap(errors)) return {};
  const fields = Object.create(null) as Record<string, string>;
  for (const [field, message] of Object.entries(errors)) fields[field] = messageText(message);
  const text = Object.entries(fields).map(([field, message]) => `${field}: ${message}`);
  return text.length === 0 ? {} : { text: text.join("; "), fields };
}

const messageText = (value: unknown): string =>
  typeof value === "string"
    ? value
    : Array.isArray(value)
      ? value.map(messageText).join(", ")
      : JSON.stringify(value);

function redirected(asked: Asked, { status, headers }: Refusal): Failure {
  const target = clean(headers["location"] ?? "", asked.key);
  const to = target === "" ? "elsewhere, without saying where" : `to ${target}`;
  const uncertain = !asked.repeatable;
  const error = new BadResponseError(
    describe(asked, `the service redirects ${to}; redirects are not followed`, uncertain),
    {
      status,
      request: asked.name,
      hint: uncertain ? checkFirst : "If the service has moved there, set it as the base URL.",
      uncertain,
    },
  );
  return new Failure(error, { again: "never", uncertain: true, reason: String(status) });
}

/** What else may be the cause. Only the local service takes no key. */
const doubt = ({ key }: Asked) =>
  key === undefined ? "`deckhand check` looks for damage." : "Is the base URL that of the service?";

/** An answer that cannot be understood. With `broken`, the next one may be intact. */
export function notUnderstood(
  asked: Asked,
  what: string,
  options: { status?: number; broken?: boolean; hint?: string; cause?: unknown } = {},
): Failure {
  const uncertain = !asked.repeatable;
  const error = new BadResponseError(describe(asked, clean(what, asked.key), uncertain), {
    request: asked.name,
    status: options.status,
    hint: uncertain ? checkFirst : (options.hint ?? doubt(asked)),
    uncertain,
    cause: options.cause,
  });
  return new Failure(error, { again: options.broken ? "repeatable" : "never", uncertain: true });
}

/** An answer that is too large. Repeating the request would not help, asking for less may. @param advice for the user */
export function tooLarge(asked: Asked, limit: number, advice?: string): Failure {
  const uncertain = !asked.repeatable;
  const message = describe(asked, `the answer is larger than ${limit / 1024 / 1024} MiB`, uncertain);
  const hint = uncertain ? checkFirst : advice;
  const error = new AnswerTooLargeError(message, { request: asked.name, hint, uncertain });
  return new Failure(error, { again: "never", uncertain: true });
}

/** No complete answer in time. */
export function tooLate(asked: Asked, ms: number, sent: boolean): Failure {
  const uncertain = sent && !asked.repeatable;
  const time = ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`;
  const error = new TimeoutError(describe(asked, `no complete answer within ${time}`, uncertain), {
    request: asked.name,
    uncertain,
    hint: uncertain ? checkFirst : "--timeout sets how long to wait for an answer.",
  });
  return new Failure(error, { again: sent ? "repeatable" : "unsent", uncertain: sent });
}

/** The wait for the answer was interrupted, and the request may have been carried out. */
export function abandoned(asked: Asked, reason: unknown): Failure {
  const error = new NetworkError(describe(asked, "interrupted before its answer came", true), {
    request: asked.name,
    uncertain: true,
    hint: checkFirst,
    cause: reason,
  });
  return new Failure(error, { again: "never", uncertain: true });
}

/** The failure that a transport's error means; other errors are returned as they are. */
export function connectionFailure(asked: Asked, error: unknown): unknown {
  if (!(error instanceof TransportError)) return error;
  if (error.kind === "malformed")
    return notUnderstood(asked, error.message, { broken: true, cause: error.cause });
  const uncertain = error.sent && !asked.repeatable;
  const failure = new NetworkError(describe(asked, clean(error.message, asked.key), uncertain), {
    request: asked.name,
    uncertain,
    hint: uncertain ? checkFirst : error.hint,
    cause: error.cause,
  });
  const again = error.sent ? "repeatable" : error.kind === "unusable" ? "never" : "unsent";
  return new Failure(failure, { again, uncertain: error.sent, reason: error.kind });
}

/** What went wrong, and what else is known about it. The client puts before it what could not be done. */
function describe(asked: Asked, what: string, uncertain: boolean): string {
  const tried = asked.attempt > 1 ? `; tried ${asked.attempt} times` : "";
  const happened = uncertain ? "; it may have been carried out" : "";
  return `${what}${tried}${happened}`;
}

/** One line of text from the service, without the key, not too long. */
function clean(text: string, key: string | undefined): string {
  return shorten(withoutKey(text, key).replace(/\s+/g, " ").trim(), 300);
}

function redactFields(fields: Record<string, string>, key: string | undefined): Record<string, string> {
  const redacted = Object.create(null) as Record<string, string>;
  for (const [field, message] of Object.entries(fields)) redacted[clean(field, key)] = clean(message, key);
  return redacted;
}

/** The text with the key masked: as it is, and in its base64 and percent-encoded forms. Services and proxies echo it. */
export function withoutKey(text: string, key: string | undefined): string {
  if (key === undefined || key === "" || text === "") return text;
  const base64 = [`${key}:`, key].map((each) =>
    Buffer.from(each, "utf8").toString("base64").replace(/=+$/, ""),
  );
  const percent = encodeURIComponent(key);
  const forms = [...base64, ...base64.map(toBase64Url), key, percent, percent.toLowerCase()];
  return forms.reduce((masked, form) => masked.replaceAll(form, "[key]"), text);
}

const toBase64Url = (base64: string) => base64.replaceAll("+", "-").replaceAll("/", "_");

/** The text at the beginning of a web page, in whole words: half of a key would not be recognised and masked. */
export function firstWords(text: string): string {
  const words = text
    .replace(/<(script|style|title)\b[\s\S]*?<\/\1\s*>/gi, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return shorten(words, /^.{80}\S*/s.exec(words)?.[0].length ?? 80);
}

const shorten = (text: string, most: number) => (text.length > most ? `${text.slice(0, most)}…` : text);
