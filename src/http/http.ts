import { Buffer } from "node:buffer";
import { codecNameOf, type Decoded } from "../codecs/index.ts";
import { check, isMap, type ObjectKind, type Operation } from "../schema/index.ts";
import { type AnswerBody, decode, decoding, outcomeOf, readAnswer, refusal, succeeded } from "./answer.ts";
import { type Attempt, startAttempt } from "./attempt.ts";
import { downloadOnce } from "./download.ts";
import { notUnderstood } from "./errors.ts";
import type { Failure } from "./failure.ts";
import { anything, coreOf, prepare, prepareRaw } from "./request.ts";
import { withRetries } from "./retry.ts";
import type { Http, HttpSettings, LongList, RawAnswer, RawRequest } from "./settings.ts";

/** The HTTP core: every request of the program goes through here, whichever transport carries it. */
export function createHttp(settings: HttpSettings): Http {
  const core = coreOf(settings);
  return {
    async call(operation, input) {
      const request = await prepare(core, operation, input);
      return withRetries(settings, request, async (number, maybeDone) => {
        const attempt = await startAttempt(settings, request, number);
        if (input.longList !== undefined && mayHaveLongList(attempt))
          return listed(operation, attempt, input.longList);
        return answered(settings, attempt, async (body, failure) => {
          if (failure === undefined) {
            const tag = attempt.answer.headers["etag"];
            if (tag !== undefined) input.onTag?.(tag);
            return document(operation, attempt, body);
          }
          // An earlier attempt, whose answer was lost, deleted it.
          if (attempt.answer.status === 404 && operation.method === "DELETE" && maybeDone) return undefined;
          throw failure;
        });
      });
    },
    async download(operation, input, take) {
      const request = await prepare(core, operation, input);
      return withRetries(settings, request, (number) => downloadOnce(settings, request, number, take));
    },
    async raw(raw) {
      const request = await prepareRaw(core, raw);
      let last: RawAnswer | undefined;
      try {
        return await withRetries(settings, request, async (number) => {
          const attempt = await startAttempt(settings, request, number);
          return answered(settings, attempt, async (body, failure) => {
            last = await rawAnswer(raw, attempt, body, failure);
            if (failure !== undefined) throw failure;
            return last;
          });
        });
      } catch (error) {
        if (last !== undefined && last.error === error) return last;
        throw error;
      }
    },
    close: () => settings.transport.close(),
  };
}

/**
 * Reads the whole answer of an attempt and hands it over.
 *
 * @param use gets the body, and the failure that a status other than 2xx means.
 * @throws Failure; what `use` throws
 */
async function answered<T>(
  settings: HttpSettings,
  attempt: Attempt,
  use: (body: AnswerBody, failure: Failure | undefined) => Promise<T>,
): Promise<T> {
  try {
    const body = await readAnswer(attempt);
    const now = settings.clock.now();
    attempt.close(outcomeOf(attempt.answer, now));
    const failure = succeeded(attempt.answer) ? undefined : await refusal(attempt, body, now);
    return await use(body, failure);
  } finally {
    attempt.close({ kind: "lost" });
  }
}

/** Whether a list in the answer can be read item by item. In transit an item may refer to text of earlier ones. */
const mayHaveLongList = ({ answer, codec }: Attempt): boolean =>
  succeeded(answer) && (codecNameOf(answer.headers["content-type"]) ?? codec) === "json";

/** The value of a successful answer with a long list. @throws Failure */
async function listed(operation: Operation, attempt: Attempt, list: LongList): Promise<unknown> {
  const { answer: kind } = operation;
  try {
    if (typeof kind === "string") throw new Error(`${operation.id} answers no list`);
    const { readLongList } = await import("./long-list.ts");
    const decoded = await decoding(attempt, () => readLongList(attempt, kind, list));
    attempt.close({ kind: "answered" });
    return conforming(attempt, kind, decoded);
  } catch (error) {
    throw attempt.meaningOf(error);
  } finally {
    attempt.close({ kind: "lost" });
  }
}

/** The value of a successful answer, as the operation describes it. */
async function document(operation: Operation, attempt: Attempt, body: AnswerBody): Promise<unknown> {
  const { asked, answer } = attempt;
  const kind = operation.answer;
  if (kind === "empty") {
    // What is in the body is not documented; but a web page comes from something other than the service.
    if (body.length > 0 && /^text\/html\b/i.test(answer.headers["content-type"] ?? ""))
      throw notUnderstood(asked, "the answer is a web page", { status: answer.status });
    return undefined;
  }
  if (kind === "bytes") return body;
  if (body.length === 0) {
    if (operation.answerOptional) return undefined;
    throw notUnderstood(asked, "the answer is empty", { status: answer.status, broken: true });
  }
  const decoded = await decode(attempt, kind, body);
  if (operation.answerOptional && !isMap(decoded.value)) return undefined;
  return conforming(attempt, kind, decoded);
}

/** The value. @throws Failure if it is not as its kind says */
function conforming({ asked, answer }: Attempt, kind: ObjectKind, { value, conforms }: Decoded): unknown {
  if (conforms) return value;
  const problems = check(kind, value, "received") ?? {};
  const messages = Object.entries(problems).map(([field, text]) => `${field || "it"} ${text}`);
  throw notUnderstood(asked, `the answer is not as documented: ${messages.join("; ")}`, {
    status: answer.status,
  });
}

async function rawAnswer(
  raw: RawRequest,
  attempt: Attempt,
  answerBody: AnswerBody,
  failure: Failure | undefined,
): Promise<RawAnswer> {
  const { status, headers } = attempt.answer;
  const known = answerBody.length > 0 && codecNameOf(headers["content-type"]) !== undefined;
  const decoding = known ? decode(attempt, raw.answerKind ?? anything, answerBody) : undefined;
  // The body of a refusal may be anything.
  const decoded = await (failure === undefined ? decoding : decoding?.catch(() => undefined));
  const bytes = typeof answerBody === "string" ? Buffer.from(answerBody, "utf8") : answerBody;
  return {
    status,
    headers,
    body: decoded?.value,
    text: bytes.toString("utf8"),
    bytes,
    error: failure?.error,
  };
}
