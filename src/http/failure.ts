import type { DeckhandError } from "../errors.ts";

/** The answer is larger than the limit. */
export class TooLargeError extends Error {
  override readonly name = "TooLargeError";
  /** In bytes. */
  readonly limit: number;

  constructor(limit: number) {
    super("too large");
    this.limit = limit;
  }
}

/** The answer has a content coding that was not asked for and is not known. */
export class EncodingError extends Error {
  override readonly name = "EncodingError";
}

/** An attempt that failed, with what decides whether another one is made. Never leaves this folder. */
export class Failure extends Error {
  override readonly name = "Failure";
  /** What the caller gets if there is no further attempt. */
  readonly error: DeckhandError;
  readonly again: Again;
  /** Whether the service may have carried the request out. */
  readonly uncertain: boolean;
  /** Milliseconds that the service asked for. */
  readonly wait: number | undefined;
  /** A few words for --verbose. */
  readonly reason: string;

  constructor(error: DeckhandError, decision: Decision) {
    super(error.message);
    this.error = error;
    this.again = decision.again;
    this.uncertain = decision.uncertain ?? false;
    this.wait = decision.wait;
    this.reason = decision.reason ?? error.code;
  }
}

interface Decision {
  readonly again: Again;
  readonly uncertain?: boolean;
  readonly wait?: number | undefined;
  readonly reason?: string;
}

/**
 * "limited": nothing was done, the service wants a pause. "unsent": nothing was done, no byte was sent. "repeatable":
 * only if the request may be carried out twice. "never": another attempt would end the same way.
 */
type Again = "limited" | "unsent" | "repeatable" | "never";

/** What a transport throws. `sent` is false only if surely no byte of the request was sent. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly kind: TransportErrorKind;
  readonly sent: boolean;
  readonly hint: string | undefined;

  constructor(
    kind: TransportErrorKind,
    message: string,
    options: { sent: boolean; hint?: string | undefined; cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.sent = options.sent;
    this.hint = options.hint;
  }
}

/**
 * "unreachable": no connection, another attempt may get one. "unusable": no connection, and another attempt would not
 * get one either (no such host, an unknown certificate). "lost": the connection ended too early. "malformed": the answer
 * is not valid HTTP, or cannot be decompressed.
 */
type TransportErrorKind = "unreachable" | "unusable" | "lost" | "malformed";

/** The codes of undici, HTTP parsing, sockets, name resolution, TLS and certificates, but not those of wrong calls. */
const networkCode = new RegExp(
  [
    "^UND_ERR_(?!INVALID|NOT_SUPPORTED)|^HPE_|^ERR_(?:SSL|TLS|SOCKET|STREAM_PREMATURE_CLOSE|STREAM_DESTROYED)",
    "^E(?:CONN|PIPE|TIMEDOUT|HOST|NET|ADDR|NOTFOUND|AI_|PROTO|NOTCONN|SHUTDOWN|ACCES|PERM|MFILE|NOBUFS)",
    "^(?:CERT_|CRL_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|INVALID_CA|HOSTNAME_MISMATCH|ERROR_IN_C)",
  ].join("|"),
);

/** The codes of zlib for damaged data. Those of Brotli are ERR_ and its own names, which begin with _ERROR. */
const decompressionCode = /^(?:Z_|ERR__ERROR|ERR_BROTLI)/;

/**
 * What an error of undici, of a socket or of a stream means (docs/design/wire.md, Answers). Other errors, which are faults
 * of the program, are returned as they are: repeating the request would only hide them.
 *
 * @param facts.origin where the request was going, for the message; it holds no credentials.
 * @param facts.sent whether a byte of the request may have been sent.
 */
export function transportError(
  error: unknown,
  facts: { readonly origin?: string; readonly sent: boolean },
): unknown {
  if (!(error instanceof Error)) return error;
  const { message, code = "", name }: NodeJS.ErrnoException = error;
  const damaged = decompressionCode.test(code);
  if (!damaged && !networkCode.test(code) && name !== "HTTPParserError") return error;
  const to = facts.origin === undefined ? "" : ` to ${facts.origin}`;
  if (!facts.sent) return connectError(code || message, to, error);
  const options = { sent: true, cause: error };
  if (damaged) return new TransportError("malformed", "the answer cannot be decompressed", options);
  if (code === "UND_ERR_HEADERS_OVERFLOW")
    return new TransportError("malformed", "the answer's headers are too large", options);
  if (code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH")
    return new TransportError("malformed", "the answer does not have the length that it announced", options);
  if (name === "HTTPParserError" || code.startsWith("HPE_"))
    return new TransportError("malformed", "the answer is not HTTP", options);
  return new TransportError(
    "lost",
    `the connection was lost before the answer ended (${code || message})`,
    options,
  );
}

function connectError(code: string, to: string, cause: unknown): TransportError {
  const unusable = (message: string, hint: string) =>
    new TransportError("unusable", message, { sent: false, hint, cause });
  const unreachable = (message: string, hint: string) =>
    new TransportError("unreachable", message, { sent: false, hint, cause });
  if (code === "ENOTFOUND")
    return unusable(`no connection${to}: there is no such host`, "Check the host name in the base URL.");
  if (/^(?:CERT_|ERR_TLS|ERR_SSL|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|EPROTO)/.test(code))
    return unusable(`no safe connection${to} (${code})`, tlsHint(code));
  if (code === "ECONNREFUSED")
    return unusable(
      `no connection${to}: it was refused`,
      "Is the service running there? Check the base URL.",
    );
  return unreachable(`no connection${to} (${code})`, "Check the network and the base URL.");
}

/**
 * The error of a proxy: it could not be reached, or answered a CONNECT with another status than 200.
 *
 * @param host of the proxy, without credentials
 * @param reason the status, or the code of the error
 */
export function proxyError(host: string, reason: number | string, cause?: unknown): TransportError {
  const temporary = typeof reason === "number" ? reason >= 500 : reason !== "ENOTFOUND";
  const why = typeof reason === "number" ? `it answered ${reason}` : reason;
  const hint =
    reason === 407
      ? "The proxy wants a user and a password: HTTPS_PROXY=http://<user>:<password>@<host>:<port>"
      : "HTTPS_PROXY or ALL_PROXY names the proxy; hosts in NO_PROXY are reached without it.";
  const message = `no connection through the proxy ${host} (${why})`;
  return new TransportError(temporary ? "unreachable" : "unusable", message, { sent: false, hint, cause });
}

/** What helps against a failure of TLS. */
function tlsHint(code: string): string {
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return "The certificate is for another host name: check the base URL.";
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    return "The certificate there is not valid today: check the date of this machine, or ask the operator of the service.";
  if (/^(?:ERR_SSL|EPROTO)/.test(code)) return "Does the service speak https? Check the base URL.";
  return "NODE_EXTRA_CA_CERTS names a file with further certificate authorities.";
}
