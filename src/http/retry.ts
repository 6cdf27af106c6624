import { withoutKey } from "./errors.ts";
import { Failure } from "./failure.ts";
import type { Prepared } from "./request.ts";
import type { HttpSettings } from "./settings.ts";
import { longestPause } from "./throttle/pace.ts";

const firstBackoff = 250;
const longestBackoff = 20_000;

/**
 * Makes attempts until one succeeds or must not be repeated (docs/design/wire.md, What may be retried): always after a
 * 429 or when no byte was sent, since nothing was done then; otherwise only a repeatable request.
 *
 * @param attempt makes attempt `number`, from 1. `maybeDone` says whether an earlier one may have been carried out.
 * @throws the DeckhandError of the last attempt.
 */
export async function withRetries<T>(
  settings: HttpSettings,
  prepared: Prepared,
  attempt: (number: number, maybeDone: boolean) => Promise<T>,
): Promise<T> {
  let maybeDone = false;
  for (let number = 1; ; number++) {
    try {
      return await attempt(number, maybeDone);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const wait = pause(settings, prepared, error, number);
      if (wait === undefined) throw error.error;
      maybeDone ||= error.uncertain;
      const { name, retries, signal } = prepared;
      const request = { method: name.method, path: withoutKey(name.path, settings.key) };
      settings.onEvent?.({ type: "retry", request, repeat: number, retries, reason: error.reason });
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
  if (failure.wait === undefined || failure.wait <= 0)
    return backoff(number, settings.random(), failure.again === "limited" ? 0.5 : 0);
  return failure.wait > longestPause ? undefined : failure.wait;
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

/**
 * The pause that a Retry-After header asks for, in milliseconds: digits are seconds, else it is an HTTP date, taken
 * against the answer's own Date so that wrong clocks do not matter. Undefined if there is none.
 */
export function retryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const value = headers["retry-after"]?.trim();
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const until = httpDate(value);
  if (until === undefined) return undefined;
  return Math.max(0, until - (httpDate(headers["date"]) ?? now));
}

/** Longer than any date: searching a header of 16 KB for one takes too long. */
const longestDate = 64;

/** Date.parse accepts almost anything; an HTTP date has the name of a month and a time. */
function httpDate(value: string | undefined): number | undefined {
  if (value === undefined || value.length > longestDate) return undefined;
  if (!/[a-z]{3}.*\d\d:\d\d:\d\d/i.test(value)) return undefined;
  const time = Date.parse(/(?:GMT|UTC|[+-]\d{4})\s*$/i.test(value) ? value : `${value} GMT`);
  return Number.isNaN(time) ? undefined : time;
}
