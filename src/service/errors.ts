import type { Method } from "../schema/index.ts";

/** `errors` as it is on the wire: messages, or with 422 one message per field (service-api.md, Errors). */
type Errors = readonly string[] | Readonly<Record<string, string>>;

/** An answer that is not a success. Any part of the service may throw it. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly status: number;
  readonly errors: Errors;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, errors: Errors, headers: Readonly<Record<string, string>> = {}) {
    super(`${status} ${JSON.stringify(errors)}`);
    this.status = status;
    this.errors = errors;
    this.headers = headers;
  }
}

export const badRequest = (message: string) => new Problem(400, [message]);
export const unauthorized = () =>
  new Problem(401, ["a valid API key is needed as the user name of Basic authentication"], {
    "www-authenticate": 'Basic realm="flashcards"',
  });
export const forbidden = (message: string) => new Problem(403, [message]);
export const notFound = (message: string) => new Problem(404, [message]);
export const methodNotAllowed = (allowed: readonly Method[]) => {
  const names = allowed.includes("GET") ? ["GET", "HEAD", ...allowed.filter((m) => m !== "GET")] : allowed;
  return new Problem(405, ["this method is not allowed here"], { allow: names.join(", ") });
};
export const conflict = (message: string) => new Problem(409, [message]);
export const preconditionFailed = (message: string) => new Problem(412, [message]);
export const tooLarge = (what: string, limit: number) =>
  new Problem(413, [`${what} may be at most ${limit} bytes`]);
export const unsupported = (message: string) => new Problem(415, [message]);
export const invalid = (fields: Readonly<Record<string, string>>) => new Problem(422, fields);
export const tooMany = (message: string, retryAfter?: number) =>
  new Problem(429, [message], retryAfter === undefined ? {} : { "retry-after": String(retryAfter) });
