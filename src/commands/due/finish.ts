import type { Context } from "../../context/context.ts";
import { InterruptedError } from "../../errors.ts";
import { wrapWords } from "../../output/words.ts";
import type { SessionResult } from "../../review/session/play.ts";
import type { Recording } from "../../review/session/recording.ts";
import { recordedSentence, type Summary, summaryLines } from "../../review/session/summary.ts";
import { untilAborted } from "../shared/time.ts";
import type { SessionOptions } from "./day.ts";
import { nextDue, whyNotDue } from "./plan-here.ts";
import { isFiltered } from "./queue.ts";
import { todayFigures } from "./today.ts";

/** Milliseconds that the end of a session waits for what it still has to send; what is left goes out with the next one. */
const SEND_MS = 10_000;

/** Sends what waits, and prints what the session came to. */
export async function finishSession({ ended, play }: SessionResult, context: Context): Promise<void> {
  const { recording } = play;
  // A signal ended it: what is in the log is safe, and there is no time for more.
  if (ended !== "finished" && ended !== "quit") {
    recording.close();
    throw new InterruptedError(ended);
  }
  await sendWaiting(recording, context, play);
  const summary = play.summary();
  await printSummary(summary, context);
  for (const problem of play.problems()) context.io.warn(problem);
  for (const { line, reason } of recording.status?.refused ?? [])
    context.io.warn(`the service refused the review of card ${line["card-id"]}: ${reason}`);
  const sentence = recordedSentence(summary);
  if (sentence !== undefined) context.io.note(sentence);
}

/** Gives what waits for the service its chance, with what a session still does; lets go of the log. */
export async function sendWaiting(
  recording: Recording,
  context: Context,
  play?: SessionResult["play"],
): Promise<void> {
  const task = (await context.io.status()).begin({ label: "Sending your answers" });
  const { signal, end } = timeLimit(SEND_MS, context.signal);
  try {
    await Promise.race([play?.idle(), untilAborted(signal)]);
    await recording.flush(signal);
    await Promise.race([play?.lookAhead(), untilAborted(signal)]);
  } finally {
    end();
    task.end();
  }
  recording.close();
}

/**
 * A signal that is aborted when the time is up, or with the outer signal. Not over `AbortSignal.timeout`: Node 20 collects
 * that as garbage, to which nothing else refers, and then it never comes.
 *
 * @param ms milliseconds from now
 * @returns with `end`, to be called when nothing is waited for any more
 */
export function timeLimit(ms: number, outer: AbortSignal): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ms);
  return { signal: AbortSignal.any([controller.signal, outer]), end: () => clearTimeout(timer) };
}

async function printSummary(summary: Summary, context: Context): Promise<void> {
  const { io, print } = context;
  if (io.stdout.isTTY !== true || (print.format ?? "table") !== "table") return print.value(summary);
  const lines = summaryLines(summary);
  await io.write(lines.map((line) => `${wrapWords(line, io.width)}\n`).join(""));
}

/** A session without a card. */
const nothing: Summary = {
  ...{ cards: 0, remembered: 0, forgotten: 0, seconds: 0, "seconds-per-card": 0, left: 0 },
  ...{ recorded: "none" as const, pending: 0, streak: null, "all-left": null, tomorrow: null, leeches: [] },
};

/** There is nothing to ask: says so, and when there will be, if that is known. */
export async function sayNothingDue(options: SessionOptions, context: Context): Promise<void> {
  if (options.practice) {
    const why = options.deck === undefined ? "" : await whyNotDue(options.deck, context);
    context.io.note(`There are no cards to practise with${why}.`);
  } else if (isFiltered(options)) context.io.note("None of the cards that --tag and --search find is due.");
  else context.io.note((await whatIsLeft(options, context)) ?? (await whatComesNext(options, context)));
  const { print } = context;
  if (print.format === "json" || print.format === "ndjson") await print.value(nothing);
}

/** What the limits of the day keep back; undefined where that is nothing, or only a part of the day is asked about. */
async function whatIsLeft(options: SessionOptions, context: Context): Promise<string | undefined> {
  if (options.deck !== undefined || options.date !== undefined) return undefined;
  const { left, held } = await todayFigures(options, context);
  if (left > 0)
    return `Today's cards are done; more that is due: ${left}. The setting review.max-per-day bounds a day.`;
  if (held === 0) return undefined;
  return `Nothing is due. New cards for other days: ${held}; \`deckhand review --new all\` asks them now.`;
}

async function whatComesNext(options: SessionOptions, context: Context): Promise<string> {
  const next = options.date === undefined ? await nextDue(options, context) : "";
  if (next !== "") return `Nothing is due${next}.`;
  const { value: page } = await (await context.client()).cards.pages({ limit: 1 }).next();
  return page?.docs.length
    ? "Nothing is due."
    : "Nothing is due: there are no cards yet. `deckhand add` adds some, `deckhand demo` shows a review.";
}
