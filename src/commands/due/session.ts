import { randomUUID } from "node:crypto";
import type { ReadStream, WriteStream } from "node:tty";
import type { EmbeddedCard } from "../../cards/embeds.ts";
import type { Context } from "../../context/context.ts";
import { emptyHistory } from "../../review/session/history.ts";
import { openTasks } from "../../review/session/outbox.ts";
import type { ReviewSettings, SessionResult } from "../../review/session/play.ts";
import type { Queue } from "../../review/session/queue.ts";
import { Recording } from "../../review/session/recording.ts";
import type { Card } from "../../schema/index.ts";
import { schedulerFor } from "../shared/schedule.ts";
import { userDays } from "../shared/time.ts";
import type { SessionOptions } from "./day.ts";
import { practiceCards } from "./due-cards.ts";
import { finishSession, sayNothingDue, sendWaiting } from "./finish.ts";
import { createQueue } from "./queue.ts";
import { recordingOf, sessionClient } from "./recording.ts";
import { cardRenderer, sessionPictures } from "./render.ts";
import { wholeHistory } from "./review-log.ts";
import { sessionWorld } from "./session-world.ts";

/** Runs a session from the first request to the summary. */
export async function runReview(options: SessionOptions, context: Context): Promise<void> {
  const practice = options.practice === true;
  const practised = practice ? await practiceCards(options.deck, options.recursive, context) : undefined;
  const history = practice ? emptyHistory : await wholeHistory(context);
  const queue = await createQueue(practised, history, options, context);
  const plain = isPlain(options, context);
  if (queue.cards.length === 0) {
    const { settled = [] } = queue;
    if (settled.length + openTasks(history).length > 0) {
      const recording = await recordingOf(history, options, false, context);
      recording.settle(settled);
      await sendWaiting(recording, context);
    }
    return sayNothingDue(options, context);
  }
  const recording = practice
    ? new Recording({ recorded: "none", notice: "practice, nothing is recorded", now: context.clock.now })
    : await recordingOf(history, options, !plain, context);
  const prepared = { queue, history, practised: practised ?? [], recording, plain };
  const settings = await settingsOf(prepared, options, context);
  const result = plain ? onLines(settings, context) : onScreen(settings, hasColour(context), context);
  await finishSession(await result, context);
}

interface Prepared extends Pick<ReviewSettings, "queue" | "history" | "recording"> {
  readonly practised: readonly Card[];
  readonly plain: boolean;
}

/** The settings of a session that a program asks: what is due as a review has it, its sides as plain text. */
export async function plainSettings(options: SessionOptions, context: Context): Promise<ReviewSettings> {
  const history = await wholeHistory(context);
  const queue = await createQueue(undefined, history, options, context);
  const recording = await recordingOf(history, options, false, context);
  return settingsOf({ queue, history, practised: [], recording, plain: true }, options, context);
}

async function settingsOf(
  { queue, history, practised, recording, plain }: Prepared,
  options: SessionOptions,
  context: Context,
): Promise<ReviewSettings> {
  const colour = !plain && hasColour(context);
  const embedded = new Map<string, EmbeddedCard>();
  const names = new Map(queue.cards.map(({ id, name }) => [id, name]));
  const { rest } = queue;
  const named = async (read: NonNullable<Queue["rest"]>) => {
    const found = await read();
    for (const { id, name } of found.cards) names.set(id, name);
    return found;
  };
  const pictures = plain || !colour ? undefined : await sessionPictures(queue, context);
  return {
    queue: rest === undefined ? queue : { ...queue, rest: () => named(rest) },
    history,
    recording,
    scheduler: await schedulerFor(context),
    days: userDays(context),
    typing: options.type === true,
    autoplay: context.settings()["review.autoplay"].value,
    clock: { now: context.clock.now, ticks: () => performance.now() },
    newId: randomUUID,
    world: sessionWorld({
      context,
      client: await sessionClient(context, 2),
      records: recording.recorded !== "none",
      whole: new Map(practised.map((card) => [card.id, card])),
      embedded,
      render: cardRenderer({
        context,
        colour,
        plain,
        cardName: (id) => names.get(id) ?? undefined,
        embedded,
        pictures: pictures?.pictures,
      }),
      onPictures: (listener) => pictures?.onReady(listener),
    }),
  };
}

function isPlain(options: SessionOptions, { world: { env } }: Context): boolean {
  const reader = env["INK_SCREEN_READER"] || "false";
  return options.plain === true || !["0", "false"].includes(reader) || env["TERM"] === "dumb";
}

async function onLines(settings: ReviewSettings, context: Context): Promise<SessionResult> {
  const { stdin, stdout, stderr } = context.io;
  const { runPlain } = await import("../../review/plain/run.ts");
  return runPlain({
    ...settings,
    stdin,
    output: stdout.isTTY ? stdout : stderr,
    width: () => stdout.columns ?? stderr.columns ?? 80,
    signal: context.signal,
  });
}

async function onScreen(settings: ReviewSettings, colour: boolean, context: Context): Promise<SessionResult> {
  const { runScreen } = await import("../../review/screen/run.ts");
  const release = context.io.holdMessages();
  const sgr = (on: string, off: string) => (text: string) => `\u001b[${on}m${text}\u001b[${off}m`;
  try {
    return await runScreen({
      ...settings,
      stdin: context.io.stdin as ReadStream,
      stdout: context.io.stdout as WriteStream,
      colour,
      styles: colour
        ? { dim: sgr("2", "22"), typed: { wrong: sgr("9;31", "29;39"), missing: sgr("4;32", "24;39") } }
        : { dim: (text) => text },
    });
  } finally {
    release();
  }
}

/** The screen is drawn on the terminal, whatever stdout is. */
function hasColour(context: Context): boolean {
  const { value } = context.settings().color;
  return value === "always" || (value === "auto" && context.world.env["TERM"] !== "dumb");
}
