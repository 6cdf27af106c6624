/** What a transport throws. `sent` is false only if surely no byte of the request went out. */
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
 * "unreachable": no connection, another attempt may get one. "unusable": no connection, another attempt would not
 * either (no such host, an unknown certificate). "lost": the connection ended too early. "malformed": not HTTP, or not
 * as HTTP has it.
 */
export type TransportErrorKind = "unreachable" | "unusable" | "lost" | "malformed";

/**
 * What an error of undici, of a socket or of a stream means (wire.md, Answers).
 *
 * @param facts.origin where the request was going, for the message; it holds no credentials.
 * @param facts.sent whether a byte of the request may have gone out.
 */
export function transportError(
  error: unknown,
  facts: { readonly origin?: string; readonly sent: boolean },
): TransportError {
  if (error instanceof TransportError) return error;
  const { message, code = "", name } = asNodeError(error);
  const to = facts.origin === undefined ? "" : ` to ${facts.origin}`;
  if (!facts.sent) return connectError(code || message, to, error);
  const options = { sent: true, cause: error };
  if (code === "UND_ERR_HEADERS_OVERFLOW")
    return new TransportError("malformed", "the answer's headers are too large", options);
  if (code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH")
    return new TransportError("malformed", "the answer does not have the length that it announces", options);
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
    return unreachable(
      `no connection${to}: it was refused`,
      "Is the service running there? Check the base URL.",
    );
  return unreachable(`no connection${to} (${code})`, "Check the network and the base URL.");
}

/** What helps where TLS failed: another authority makes no other name, no other date and no TLS. */
function tlsHint(code: string): string {
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return "The certificate there is for another host name: check the one in the base URL.";
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    return "The certificate there does not hold today: check the date of this machine, or tell who runs the service.";
  if (/^(?:ERR_SSL|EPROTO)/.test(code)) return "Does it speak https there? Check the base URL.";
  return "NODE_EXTRA_CA_CERTS names a file with further certificate authorities.";
}

function asNodeError(error: unknown): NodeJS.ErrnoException {
  return error instanceof Error ? error : new Error(String(error));
}
