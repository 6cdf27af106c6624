import { Buffer } from "node:buffer";
import { DeckhandError, type ErrorCode, type RequestName } from "../errors.ts";

/** A request whose answer is judged. */
export interface Asked {
  readonly name: RequestName;
  /** Whether carrying it out twice is the same as once. */
  readonly repeatable: boolean;
}

/**
 * "limited": nothing was done, the service wants a pause. "unsent": nothing was done, no byte was sent. "repeatable":
 * only if the request may be carried out twice. "never": another attempt would end the same way.
 */
type Again = "limited" | "unsent" | "repeatable" | "never";

interface Facts {
  /** "never" if absent. */
  readonly again?: Again | undefined;
  /** Whether the service may have carried the request out. */
  readonly maybeDone?: boolean | undefined;
  readonly status?: number | undefined;
  /** What to do next, unless it may have been carried out. */
  readonly hint?: string | undefined;
  readonly fields?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds that the service asked for. */
  readonly wait?: number | undefined;
  /** A few words for --verbose; the code if absent. */
  readonly reason?: string | undefined;
  readonly tooLarge?: true;
  readonly cause?: unknown;
}

/** An attempt that failed, with what decides whether another one is made. Transports throw it, too. */
export class Failure extends DeckhandError {
  readonly facts: Facts;
  readonly again: Again;
  readonly maybeDone: boolean;

  constructor(code: ErrorCode, message: string, facts: Facts) {
    super(code, message, facts);
    this.facts = facts;
    this.again = facts.again ?? "never";
    this.maybeDone = facts.maybeDone === true;
  }

  /**
   * What the caller gets if there is no further attempt. The client puts before it what could not be done.
   *
   * @param attempt which one failed, from 1 @param key is masked
   */
  asError({ name, repeatable }: Asked, key: string | undefined, attempt: number): DeckhandError {
    const { fields } = this.facts;
    const uncertain = this.maybeDone && !repeatable;
    const tried = attempt > 1 ? `; tried ${attempt} times` : "";
    const happened = uncertain ? "; it may have been carried out" : "";
    // Messages about fields belong to the body, however often it was sent.
    const message = `${clean(this.message, key)}${fields ? "" : tried + happened}`;
    // Another one: the stack of this one may quote a key.
    return new Failure(this.code, message, {
      ...this.facts,
      fields: fields && masked(fields, key),
      hint: uncertain ? checkFirst : hintOf(this, key),
    }).with({ request: name, uncertain });
  }
}

/** Whether an answer was larger than the limit: the caller may ask for less. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof Failure && error.facts.tooLarge === true;

/** What to do next. Only the local service takes no key: its messages say what is wrong with the collection. */
function hintOf({ code, facts: { hint, tooLarge, status } }: Failure, key: string | undefined) {
  if (key === undefined && status === 500) return undefined;
  if (hint !== undefined || code !== "bad-response" || tooLarge) return hint;
  return key === undefined ? "`deckhand check` looks for damage." : "Is the base URL that of the service?";
}

const checkFirst = "Check the service before you send it again: it may be there already.";

/** An answer that cannot be understood. With `again: "repeatable"`, the next one may be intact. */
export const notUnderstood = (message: string, facts: Facts = {}): Failure =>
  new Failure("bad-response", message, { maybeDone: true, ...facts });

/** An answer that is too large. Repeating the request would not help, asking for less may. */
export const tooLarge = (limit: number): Failure =>
  notUnderstood(`the answer is larger than ${limit / 1024 / 1024} MiB`, { tooLarge: true });

/** No complete answer in time. */
export function tooLate(ms: number, sent: boolean): Failure {
  const time = ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`;
  return new Failure("timeout", `no complete answer within ${time}`, {
    again: sent ? "repeatable" : "unsent",
    maybeDone: sent,
    hint: "--timeout sets how long to wait for an answer.",
  });
}

/** The wait for the answer was interrupted, and the request may have been carried out. */
export const abandoned = (cause: unknown): Failure =>
  new Failure("network", "interrupted before its answer came", { maybeDone: true, cause });

/** The codes of undici, HTTP parsing, sockets, name resolution, TLS and certificates, but not those of wrong calls. */
const networkCode = new RegExp(
  [
    "^UND_ERR_(?!INVALID|NOT_SUPPORTED)|^HPE_|^ERR_(?:SSL|TLS|SOCKET|STREAM_PREMATURE_CLOSE|STREAM_DESTROYED)",
    "^E(?:CONN|PIPE|TIMEDOUT|HOST|NET|ADDR|NOTFOUND|AI_|PROTO|NOTCONN|SHUTDOWN|ACCES|PERM|MFILE|NOBUFS)",
    "^(?:CERT_|CRL_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|INVALID_CA|HOSTNAME_MISMATCH|ERROR_IN_C)",
  ].join("|"),
);

const malformed: Readonly<Record<string, string>> = {
  UND_ERR_HEADERS_OVERFLOW: "the answer's headers are too large",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the answer does not have the length that it announced",
};

/**
 * What an error of undici, of a socket or of a stream means (docs/design/wire.md, Answers). Other errors, which are faults
 * of the program, are returned as they are: repeating the request would only hide them.
 *
 * @param facts.origin where the request was going, for the message; it holds no credentials.
 * @param facts.sent whether a byte of the request may have been sent.
 */
export function connectionFailure(
  error: unknown,
  facts: { readonly origin?: string; readonly sent: boolean },
): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  const { message, code = "", name }: NodeJS.ErrnoException = error;
  const isOtherProtocol = name === "HTTPParserError" || code.startsWith("HPE_");
  if (!isOtherProtocol && !networkCode.test(code)) return error;
  const to = facts.origin === undefined ? "" : ` to ${facts.origin}`;
  if (!facts.sent) return noConnection(code || message, to, error);
  const wrong = malformed[code] ?? (isOtherProtocol ? "the answer is not HTTP" : undefined);
  if (wrong !== undefined) return notUnderstood(wrong, { again: "repeatable", cause: error });
  return lost(`the connection was lost before the answer ended (${code || message})`, true, error);
}

/** The connection ended too early. */
export const lost = (message: string, sent: boolean, cause?: unknown): Failure =>
  new Failure("network", message, {
    again: sent ? "repeatable" : "unsent",
    maybeDone: sent,
    reason: "lost",
    cause,
  });

/** There is no connection. @param temporary whether another attempt may get one */
const unreachable = (message: string, hint: string, temporary: boolean, cause: unknown): Failure =>
  new Failure("network", message, {
    again: temporary ? "unsent" : "never",
    hint,
    reason: temporary ? "unreachable" : "unusable",
    cause,
  });

function noConnection(code: string, to: string, cause: unknown): Failure {
  const unusable = (message: string, hint: string) => unreachable(message, hint, false, cause);
  if (code === "ENOTFOUND")
    return unusable(`no connection${to}: there is no such host`, "Check the host name in the base URL.");
  if (/^(?:CERT_|ERR_TLS|ERR_SSL|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|EPROTO)/.test(code))
    return unusable(`no safe connection${to} (${code})`, tlsHint);
  if (code === "ECONNREFUSED")
    return unusable(
      `no connection${to}: it was refused`,
      "Is the service running there? Check the base URL.",
    );
  return unreachable(`no connection${to} (${code})`, "Check the network and the base URL.", true, cause);
}

const tlsHint =
  "Does the service speak https, under this host name? Check the base URL and the date of this machine. NODE_EXTRA_CA_CERTS names a file with further certificate authorities.";

/**
 * The failure of a proxy: it could not be reached, or answered a CONNECT with another status than 200.
 *
 * @param host of the proxy, without credentials
 * @param reason the status, or the code of the error
 */
export function proxyFailure(host: string, reason: number | string, cause?: unknown): Failure {
  const temporary = typeof reason === "number" ? reason >= 500 : reason !== "ENOTFOUND";
  const why = typeof reason === "number" ? `it answered ${reason}` : reason;
  const hint =
    "HTTPS_PROXY or ALL_PROXY names the proxy, with a user and a password where it wants them (http://<user>:<password>@<host>:<port>); hosts in NO_PROXY are reached without it.";
  return unreachable(`no connection through the proxy ${host} (${why})`, hint, temporary, cause);
}

/** One line of text from the service, without the key, not too long. */
const clean = (text: string, key: string | undefined): string =>
  shorten(withoutKey(text, key).replace(/\s+/g, " ").trim(), 300);

function masked(fields: Readonly<Record<string, string>>, key: string | undefined): Record<string, string> {
  const clear = Object.entries(fields).map(([field, message]) => [clean(field, key), clean(message, key)]);
  return Object.assign(Object.create(null), Object.fromEntries(clear));
}

/** The text with the key masked: as it is, and in its base64 and percent-encoded forms. Services and proxies echo it. */
export function withoutKey(text: string, key: string | undefined): string {
  if (key === undefined || key === "" || text === "") return text;
  const base64 = [`${key}:`, key].map((each) =>
    Buffer.from(each, "utf8").toString("base64").replace(/=+$/, ""),
  );
  const url = base64.map((each) => each.replaceAll("+", "-").replaceAll("/", "_"));
  const percent = encodeURIComponent(key);
  const forms = [...base64, ...url, key, percent, percent.toLowerCase()];
  return forms.reduce((rest, form) => rest.replaceAll(form, "[key]"), text);
}

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
