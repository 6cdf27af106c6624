import { Buffer } from "node:buffer";
import { codecNameOf } from "../codecs/index.ts";
import { DeckhandError } from "../errors.ts";
import { check, type Operation } from "../schema/index.ts";
import { type AnswerBody, decode, readAnswer } from "./answer.ts";
import { Attempt } from "./attempt.ts";
import { downloadOnce } from "./download.ts";
import { Failure, notUnderstood } from "./failure.ts";
import { longestPause } from "./pace.ts";
import { kindOf, type Prepared, prepare, prepareRaw } from "./request.ts";
import type { Http, HttpSettings, RawAnswer, RawRequest } from "./settings.ts";

/*
 * The path of one request: `prepare` (request.ts) checks and encodes it; `withRetries` makes attempts; `Attempt`
 * (attempt.ts) waits for the slot of the account (throttle.ts), sends the request by the transport and waits for the head of
 * the answer; `readAnswer` (answer.ts) or `downloadOnce` (download.ts) reads the body. A transport is the network
 * (transport.ts) or the local service in this process.
 *
 * What may be retried: each failure becomes a `Failure` (failure.ts) whose `again` says so, by the table in
 * docs/design/wire.md, What may be retried. Where the network is unavailable, the command ends with that error; answers to
 * cards stay in the review log and are sent later: docs/design/review.md, The outbox.
 */

// In milliseconds.
const firstBackoff = 250;
const longestBackoff = 20_000;

/** The HTTP core: every request of the program goes through here, whichever transport carries it. */
export function createHttp(settings: HttpSettings): Http {
  return {
    async call(operation, input) {
      const request = await prepare(settings, operation, input);
      return withRetries(settings, request, async (attempt, { maybeDone }) => {
        const { body, failure } = await readAnswer(attempt);
        if (failure === undefined) {
          const tag = attempt.answer.headers["etag"];
          if (tag !== undefined) input.onTag?.(tag);
          return document(operation, attempt, body);
        }
        // An earlier attempt, whose answer was lost, deleted it.
        if (attempt.answer.status === 404 && operation.method === "DELETE" && maybeDone) return undefined;
        throw failure;
      });
    },
    async download(operation, input, take) {
      const request = await prepare(settings, operation, input);
      return withRetries(settings, request, (attempt) => downloadOnce(attempt, take));
    },
    async raw(raw) {
      const request = await prepareRaw(settings, raw);
      let refused: RawAnswer | undefined;
      try {
        return await withRetries(settings, request, async (attempt) => {
          refused = undefined;
          const { body, failure } = await readAnswer(attempt);
          const answer = await rawAnswer(raw, attempt, body, failure !== undefined);
          if (failure === undefined) return answer;
          refused = answer;
          throw failure;
        });
      } catch (error) {
        if (refused === undefined || !(error instanceof DeckhandError)) throw error;
        return { ...refused, error };
      }
    },
    close: () => settings.transport.close(),
  };
}

/** The number of an attempt, from 1, and whether an earlier one may have been carried out. */
interface Tried {
  readonly number: number;
  readonly maybeDone: boolean;
}

/**
 * Makes attempts until one succeeds or must not be repeated (docs/design/wire.md, What may be retried): always after a
 * 429 or when no byte was sent, since nothing was done then; otherwise only a repeatable request.
 *
 * @param use reads the answer
 * @throws the DeckhandError of the last attempt; what `use` throws
 */
async function withRetries<T>(
  settings: HttpSettings,
  request: Prepared,
  use: (attempt: Attempt, tried: Tried) => Promise<T>,
): Promise<T> {
  const { name, retries, signal } = request;
  let maybeDone = false;
  for (let number = 1; ; number++) {
    let attempt: Attempt | undefined;
    try {
      attempt = await Attempt.start(settings, request, number);
      return await use(attempt, { number, maybeDone });
    } catch (error) {
      attempt?.close({ kind: "lost" });
      // One that has its request is of another call.
      if (!(error instanceof Failure) || error.request !== undefined) throw error;
      const wait = pause(settings, request, error, number);
      if (wait === undefined) throw error.asError(request, settings.key, number);
      maybeDone ||= error.maybeDone;
      const reason = error.facts.reason ?? error.code;
      settings.onEvent?.({ type: "retry", request: name, repeat: number, retries, reason });
      const why = error.again === "limited" ? "rate-limited" : "backoff";
      settings.onEvent?.({ type: "wait", why, ms: wait });
      await settings.clock.wait(wait, signal);
    }
  }
}

/** Milliseconds before the next attempt; undefined if there is none. */
function pause(
  settings: HttpSettings,
  { retries, repeatable }: Prepared,
  failure: Failure,
  number: number,
): number | undefined {
  if (number > retries || failure.again === "never") return undefined;
  if (failure.again === "repeatable" && !repeatable) return undefined;
  // What the local service cannot do, a damaged card for example, it cannot do a moment later either.
  if (failure.facts.status === 500 && settings.key === undefined) return undefined;
  const { wait = 0 } = failure.facts;
  if (wait <= 0) return backoff(number, settings.random(), failure.again === "limited" ? 0.5 : 0);
  return wait > longestPause ? undefined : wait;
}

/**
 * Exponential backoff with full jitter, in milliseconds: anything from 0 to the capped step, so that clients do not
 * come back all at once.
 *
 * @param number which attempt failed, from 1
 * @param random from 0 to 1
 * @param least the share of the step that is always waited: after a 429 some time must pass, or the repeats are used up
 * within the time that the limit counts.
 */
export function backoff(number: number, random: number, least = 0): number {
  const step = Math.min(longestBackoff, firstBackoff * 2 ** (number - 1));
  return Math.round(step * (least + (1 - least) * random));
}

/** The value of a successful answer, as the operation describes it. */
async function document(operation: Operation, attempt: Attempt, body: AnswerBody): Promise<unknown> {
  const { status, headers } = attempt.answer;
  const kind = operation.answer;
  if (kind === "empty") {
    // What is in the body is not documented; but a web page comes from something other than the service.
    if (body.length > 0 && /^text\/html\b/i.test(headers["content-type"] ?? ""))
      throw notUnderstood("the answer is a web page", { status });
    return undefined;
  }
  if (kind === "bytes") return body;
  if (body.length === 0) {
    if (operation.answerOptional) return undefined;
    throw notUnderstood("the answer is empty", { status, again: "repeatable" });
  }
  const decoded = await decode(attempt, kind, body);
  const problems = check(kind, decoded, "received");
  if (problems === undefined) return decoded;
  if (operation.answerOptional === "any") return undefined;
  const messages = Object.entries(problems).map(([field, text]) => `${field || "it"} ${text}`);
  throw notUnderstood(`the answer is not as documented: ${messages.join("; ")}`, { status });
}

async function rawAnswer(
  raw: RawRequest,
  attempt: Attempt,
  answerBody: AnswerBody,
  isRefusal: boolean,
): Promise<RawAnswer> {
  const { status, headers } = attempt.answer;
  const known = answerBody.length > 0 && codecNameOf(headers["content-type"]) !== undefined;
  const decoding = known ? decode(attempt, kindOf(raw.operation?.answer), answerBody) : undefined;
  // The body of a refusal may be anything.
  const decoded = await (isRefusal ? decoding?.catch(() => undefined) : decoding);
  const bytes = typeof answerBody === "string" ? Buffer.from(answerBody, "utf8") : answerBody;
  return { status, headers, body: decoded, text: bytes.toString("utf8"), bytes, error: undefined };
}
