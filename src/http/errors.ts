import { Buffer } from "node:buffer";
import {
  BadResponseError,
  type ErrorCode,
  NetworkError,
  type RequestName,
  ServiceError,
  TimeoutError,
} from "../errors.ts";
import { isMap } from "../schema/index.ts";
import { Failure } from "./failure.ts";
import { longestPause } from "./retry.ts";
import { TransportError } from "./transport-error.ts";

/** What an error has to know of the request. */
export interface Asked {
  readonly name: RequestName;
  readonly repeatable: boolean;
  readonly key: string | undefined;
  /** Which attempt this is, from 1. */
  readonly attempt: number;
}

/** What a refusing answer said. */
export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The decoded body, or undefined where it is in no encoding of ours. */
  readonly body: unknown;
  /** The beginning of the body. */
  readonly text: string;
  /** Milliseconds that the service asks to wait. */
  readonly pause: number | undefined;
}

const checkFirst = "Look at the service before sending it again: it may be there already.";

/** The failure that a status other than 2xx stands for (service-api.md, Errors; cli.md, Exit codes). */
export function refused(asked: Asked, refusal: Refusal): Failure {
  const { status } = refusal;
  const fault = status >= 500;
  const uncertain = fault && !asked.repeatable;
  if (status >= 300 && status < 400) return redirected(asked, refusal);
  const said = messagesOf(refusal.body);
  const details = {
    status,
    request: asked.name,
    fields: said.fields && redactFields(said.fields, asked.key),
    hint: uncertain ? checkFirst : hintFor(status, refusal.pause),
    uncertain,
  };
  const text = clean(said.text ?? (fault ? firstWords(refusal.text) : ""), asked.key);
  // The command puts its own words before it: `could not create the card: content: field cannot be nil (422)`.
  const message = said.fields
    ? `${text} (${status})`
    : told(asked, `${text || wordsFor(status)} (${status})`, uncertain);
  const error = new ServiceError(codeOf(status), message, details);
  const again = status === 429 ? "limited" : fault ? "repeatable" : "never";
  return new Failure(error, { again, uncertain: fault, wait: refusal.pause, reason: String(status) });
}

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

/** Where the service gives no words of its own. */
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
  // Nothing that repeats it sooner can help.
  if (pause > longestPause)
    return `The service asks to be left alone for ${Math.ceil(pause / 60_000)} minutes; try again after that.`;
  if (status >= 500) return "The service has a problem of its own; try again later.";
  if (status === 401) return "Check the key with: deckhand auth status";
  if (status === 429)
    return "The service allows one request at a time for each account: wait, or raise --retries.";
  return undefined;
}

/** `errors` is a list of messages or a map of one message for each field (service-api.md, Errors). */
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
  const error = new BadResponseError(
    told(asked, `the service redirects ${to} (${status}); redirects are not followed`, false),
    { status, request: asked.name, hint: "If that is where the service is now, set it as the base URL." },
  );
  return new Failure(error, { again: "never", reason: String(status) });
}

/** An answer that came but cannot be understood; `again` where the next one may be whole. */
export function notUnderstood(
  asked: Asked,
  what: string,
  options: { status?: number; broken?: boolean; hint?: string; cause?: unknown } = {},
): Failure {
  const uncertain = !asked.repeatable;
  const error = new BadResponseError(told(asked, clean(what, asked.key), uncertain), {
    request: asked.name,
    status: options.status,
    hint: uncertain ? checkFirst : (options.hint ?? "Is the base URL that of the service?"),
    uncertain,
    cause: options.cause,
  });
  return new Failure(error, { again: options.broken ? "repeatable" : "never", uncertain: true });
}

/** No answer in time. */
export function tooLate(asked: Asked, ms: number, sent: boolean): Failure {
  const uncertain = sent && !asked.repeatable;
  const time = ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`;
  const error = new TimeoutError(told(asked, `no whole answer within ${time}`, uncertain), {
    request: asked.name,
    uncertain,
    hint: uncertain ? checkFirst : "--timeout sets how long to wait for an answer.",
  });
  return new Failure(error, { again: sent ? "repeatable" : "unsent", uncertain: sent });
}

/** Its answer was not waited for: whoever called that off has to know that it may have been carried out. */
export function abandoned(asked: Asked, reason: unknown): Failure {
  const error = new NetworkError(told(asked, "interrupted before its answer came", true), {
    request: asked.name,
    uncertain: true,
    hint: checkFirst,
    cause: reason,
  });
  return new Failure(error, { again: "never", uncertain: true });
}

/** What a transport threw, as a failure; anything else is not ours to handle and is given back. */
export function carriageFailure(asked: Asked, error: unknown): unknown {
  if (!(error instanceof TransportError)) return error;
  if (error.kind === "malformed")
    return notUnderstood(asked, error.message, { broken: true, cause: error.cause });
  const uncertain = error.sent && !asked.repeatable;
  const failure = new NetworkError(told(asked, clean(error.message, asked.key), uncertain), {
    request: asked.name,
    uncertain,
    hint: uncertain ? checkFirst : error.hint,
    cause: error.cause,
  });
  const again = error.sent ? "repeatable" : error.kind === "unusable" ? "never" : "unsent";
  return new Failure(failure, { again, uncertain: error.sent, reason: error.kind });
}

/** What went wrong, with the request before it and what else is known after it. */
function told(asked: Asked, what: string, uncertain: boolean): string {
  const tried = asked.attempt > 1 ? `; tried ${asked.attempt} times` : "";
  const happened = uncertain ? "; it may have been carried out" : "";
  return `${asked.name.method} ${asked.name.path}: ${what}${tried}${happened}`;
}

/** One line of text from the service, without the key, not too long. */
function clean(text: string, key: string | undefined): string {
  const safe = key === undefined ? text : withoutKey(text, key);
  return shorten(safe.replace(/\s+/g, " ").trim(), 300);
}

function redactFields(fields: Record<string, string>, key: string | undefined): Record<string, string> {
  const redacted = Object.create(null) as Record<string, string>;
  for (const [field, message] of Object.entries(fields)) redacted[clean(field, key)] = clean(message, key);
  return redacted;
}

/** A service, or a proxy before it, may echo what it was sent. */
function withoutKey(text: string, key: string): string {
  if (key === "") return text;
  const encoded = Buffer.from(`${key}:`, "utf8").toString("base64").replace(/=+$/, "");
  return text.replaceAll(encoded, "[key]").replaceAll(key, "[key]");
}

/**
 * The beginning of a page as words: what a proxy's HTML says (wire.md, Answers). It ends with a whole word: half of a key
 * would not be found out any more.
 */
export function firstWords(text: string): string {
  const words = text
    .replace(/<(script|style|title)\b[\s\S]*?<\/\1\s*>/gi, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return shorten(words, /^.{80}\S*/s.exec(words)?.[0].length ?? 80);
}

const shorten = (text: string, most: number) => (text.length > most ? `${text.slice(0, most)}…` : text);
