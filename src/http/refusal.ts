import type { ErrorCode, RequestName } from "../errors.ts";
import { isMap } from "../schema/index.ts";
import { Failure, firstWords } from "./failure.ts";
import { longestPause } from "./pace.ts";

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

/** The error of a refusal that came inside another answer. @param body as a refusal alone has it */
export const refusalOf = (name: RequestName, status: number, body: unknown): Error =>
  refused({ status, headers: {}, body, text: "", pause: undefined }).asError(
    { name, repeatable: true },
    undefined,
    1,
  );

/** The failure that a status other than 2xx means. */
export function refused({ status, headers, body, text, pause }: Refusal): Failure {
  const meaning = meaningOf(status);
  // A proxy may answer 3xx, 408 and 499 after it passed the request on. 507 says that there is no room for it.
  const redirects = status >= 300 && status < 400;
  const fault = status >= 500;
  const facts = {
    status,
    reason: String(status),
    maybeDone: redirects || status === 408 || status === 499 || (fault && status !== 507),
  };
  if (redirects) {
    const to = headers["location"] ? `to ${headers["location"]}` : "elsewhere, without saying where";
    const hint = "If the service has moved there, set it as the base URL.";
    return new Failure("bad-response", `the service redirects ${to}; redirects are not followed`, {
      ...facts,
      hint,
    });
  }
  const said = messagesOf(body);
  // Services explain a 401 by how keys are sent, which is not the user's concern.
  const explained = status === 401 ? undefined : (said.text ?? (fault ? firstWords(text) : undefined));
  return new Failure(meaning.code, explained || meaning.words, {
    ...facts,
    again: status === 429 ? "limited" : fault ? "repeatable" : "never",
    wait: pause,
    fields: said.fields,
    hint:
      pause !== undefined && pause > longestPause
        ? // Repeating it sooner cannot help.
          `The service asks for a pause of ${Math.ceil(pause / 60_000)} minutes; try again after that.`
        : meaning.hint,
  });
}

interface Meaning {
  readonly code: ErrorCode;
  /** Where the body has no message. */
  readonly words: string;
  readonly hint?: string;
}

const refusedBy: Meaning = { code: "refused", words: "the service refused the request" };
const failed = { code: "server", words: "the service failed" } as const;

const meanings: Readonly<Record<number, Meaning>> = {
  401: {
    code: "unauthorized",
    words: "the service did not accept the API key",
    hint: "Check the key with: deckhand auth status",
  },
  403: { code: "forbidden", words: "the service does not allow it" },
  404: { code: "not-found", words: "not found" },
  422: { ...refusedBy, code: "validation" },
  429: {
    code: "rate-limited",
    words: "too many requests",
    hint: "The service allows one request at a time for each account: wait, or raise --retries.",
  },
  507: { ...failed, hint: "Free space on the disk of the service." },
};

const meaningOf = (status: number): Meaning =>
  meanings[status] ??
  (status < 500 ? refusedBy : { ...failed, hint: "The service has a problem of its own; try again later." });

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
