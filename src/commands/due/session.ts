import { randomUUID } from "node:crypto";
import type { ReadStream, WriteStream } from "node:tty";
import type { EmbeddedCard } from "../../cards/embeds.ts";
import type { Client } from "../../client/index.ts";
import type { Context } from "../../context/context.ts";
import { relativeDate } from "../../output/relative.ts";
import type { Choice } from "../../review/screen/choice.ts";
import { emptyHistory, type LogHistory, readLog } from "../../review/session/history.ts";
import { openLog } from "../../review/session/log.ts";
import { createOutbox, hasOpenTasks, openTasks } from "../../review/session/outbox.ts";
import type { Recording, SessionResult, SessionSettings } from "../../review/session/play.ts";
import { buildQueue, type Queue, type Schedule } from "../../review/session/queue.ts";
import type { Card, DueCard } from "../../schema/index.ts";
import { type SessionDays, schedulerFor, sessionDays } from "./days.ts";
import { dueCards, practiceCards } from "./due-cards.ts";
import { finishSession, sayNothingDue, sendWaiting } from "./finish.ts";
import { recorderOf, sessionClient } from "./recorder.ts";
import { cardRenderer } from "./render.ts";
import type { ReviewOptions } from "./review.ts";
import { logPath, warnOfDamage } from "./review-log.ts";
import { sessionWorld } from "./session-world.ts";

export interface SessionOptions extends Omit<ReviewOptions, "deck"> {
  readonly deck: string | undefined;
  /** `--date` as it is sent. */
  readonly timestamp: string | undefined;
}

/** Runs a session from the first request to the summary. */
export async function runReview(options: SessionOptions, context: Context): Promise<void> {
  const days = sessionDays(options.date, context);
  const practice = options.practice === true;
  const practised = practice ? await practiceCards(options.deck, options.recursive, context) : undefined;
  const cards: readonly DueCard[] = practised ?? (await whileFetching(options, context));
  const history = practice ? emptyHistory : await readHistory(context);
  const queue = await queueOf(cards, history, days, options, context);
  if (queue.cards.length === 0) {
    if (hasOpenTasks(history)) await sendWaiting(await recordingOf(history, context), context);
    return sayNothingDue(queue, practice, context);
  }
  const recording = practice
    ? ({ recorded: "none", notice: "practice, nothing is recorded" } as const)
    : await recordingOf(history, context);
  const result = await play(queue, practised ?? [], recording, options, context);
  if (result !== undefined) await finishSession(result, context);
}

async function whileFetching(options: SessionOptions, context: Context): Promise<readonly DueCard[]> {
  const task = (await context.io.status()).begin({ label: "Fetching what is due" });
  try {
    return await dueCards(options.deck, options.recursive, options.timestamp, context);
  } finally {
    task.end();
  }
}

async function readHistory(context: Context): Promise<LogHistory> {
  const path = logPath(context);
  const history = await readLog(path);
  warnOfDamage(history, path, context);
  return history;
}

async function queueOf(
  cards: readonly DueCard[],
  history: LogHistory,
  { startOfToday, endOfDay }: SessionDays,
  options: SessionOptions,
  context: Context,
): Promise<Queue> {
  const places = new Map<string, number>();
  if (options.order === "deck") {
    const { decksInOrder } = await import("../../output/tree.ts");
    const decks = decksInOrder(await (await context.names()).decks());
    for (const [index, { id }] of decks.entries()) places.set(id, index);
  }
  const perDay = context.settings()["review.new-per-day"].value;
  return buildQueue(cards, {
    history,
    schedule: await scheduleOf(context),
    now: context.clock.now(),
    startOfToday,
    endOfDay,
    order: options.order,
    limit: options.limit,
    newPerDay: options.new ?? (options.practice ? "all" : perDay),
    deckOrder: (id) => places.get(id) ?? Number.MAX_SAFE_INTEGER,
    random: context.clock.random,
  });
}

/** Where the answers go: to the service if it can record them, else where the user said, or says now. */
async function recordingOf(history: LogHistory, context: Context): Promise<SessionSettings["recording"]> {
  const log = openLog(logPath(context));
  if (await (await context.client()).service.has("reviews")) {
    const outbox = createOutbox(openTasks(history), {
      recorder: recorderOf(await sessionClient(context, 1)),
      note: log.note,
      now: context.clock.now,
      random: context.clock.random,
    });
    // What an earlier session could not send has its next chance now; the first card does not wait for it.
    void outbox.flush();
    return { recorded: "service", log, outbox };
  }
  const of = (choice: Choice): Recording => ({
    recorded: choice,
    notice: "not recorded on the service",
    ...(choice === "log" ? { log } : {}),
  });
  const choice = context.settings()["review.record"].value;
  return choice === undefined ? of : of(choice);
}

async function play(
  queue: Queue,
  practised: readonly Card[],
  recording: SessionSettings["recording"],
  options: SessionOptions,
  context: Context,
): Promise<SessionResult | undefined> {
  const { env, stdin } = context.world;
  const colour = hasColour(context);
  const client: Client = await sessionClient(context, 2);
  const embedded = new Map<string, EmbeddedCard>();
  const settings: SessionSettings = {
    queue,
    recording,
    schedule: await scheduleOf(context),
    // Asked at the end: a session may go on past midnight.
    endOfTomorrow: () => sessionDays(undefined, context).endOfTomorrow,
    clock: { now: context.clock.now, ticks: () => performance.now() },
    newId: randomUUID,
    date: (instant) => dateFor(instant, context),
    world: sessionWorld({
      context,
      client,
      whole: new Map(practised.map((card) => [card.id, card])),
      embedded,
      render: cardRenderer(context, colour, queue.cards, embedded),
    }),
  };
  const reader = env["INK_SCREEN_READER"] || "false";
  if (options.plain || !["0", "false"].includes(reader) || env["TERM"] === "dumb") {
    const { runPlain } = await import("../../review/plain/run.ts");
    return runPlain({
      ...settings,
      recording: typeof recording === "function" ? recording("log") : recording,
      stdin,
      output: context.io.stdout.isTTY ? context.io.stdout : context.io.stderr,
      width: () => context.io.stdout.columns ?? context.io.stderr.columns ?? 80,
      signal: context.signal,
    });
  }
  const { runScreen } = await import("../../review/screen/run.ts");
  const release = context.io.holdMessages();
  try {
    return await runScreen({
      ...settings,
      stdin: stdin as ReadStream,
      stdout: context.io.stdout as WriteStream,
      colour,
      dim: (text) => (colour ? `\u001b[2m${text}\u001b[22m` : text),
    });
  } finally {
    release();
  }
}

async function scheduleOf(context: Context): Promise<Schedule> {
  const scheduler = await schedulerFor(context);
  return (history) => scheduler.due(history);
}

/** The screen is drawn on the terminal, whatever stdout is. */
function hasColour(context: Context): boolean {
  const { value } = context.settings().color;
  return value === "always" || (value === "auto" && context.world.env["TERM"] !== "dumb");
}

function dateFor(instant: string, context: Context): string {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return instant;
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} (${relativeDate(instant, context.clock.now())})`;
}
