import type { ReadStream, WriteStream } from "node:tty";
import type { Context } from "../../context/context.ts";
import { DeckhandError, InterruptedError, UsageError } from "../../errors.ts";
import type { Adding } from "../../home/state.ts";
import type { CardCreate } from "../../schema/index.ts";
import { reasonOf } from "../due/recording.ts";
import { userDays } from "../shared/time.ts";

interface HomeOptions {
  /** Where cards are added first; without it the decks are shown. */
  readonly adding?: Adding | undefined;
  /** What each card that is added has besides its text. */
  readonly card?: Partial<CardCreate>;
}

/** Opens the home screen until the user leaves it. */
export async function openHome(options: HomeOptions, context: Context): Promise<void> {
  if (context.options.dryRun) throw new UsageError("the home screen cannot be a dry run");
  const {
    io,
    world: { env },
  } = context;
  const { value } = context.settings().color;
  const colour = value === "always" || (value === "auto" && env["NO_COLOR"] === undefined);
  const [{ runHome }, { AccountWorld }, { loadStyle }] = await Promise.all([
    import("../../home/screen.ts"),
    import("./world.ts"),
    import("../../output/style.ts"),
  ]);
  const release = io.holdMessages();
  try {
    const signal = await runHome({
      stdin: io.stdin as ReadStream,
      stdout: io.stdout as WriteStream,
      colour,
      unicode: io.unicode,
      style: await loadStyle(colour),
      world: new AccountWorld(context, { colour, card: options.card ?? {} }),
      now: context.clock.now,
      day: () => dayText(context),
      reasonOf: sentenceOf,
      adding: options.adding,
    });
    if (signal !== undefined) throw new InterruptedError(signal);
  } finally {
    release();
  }
}

/** The day of the user, as `Mon 23 Nov`. */
function dayText(context: Context): string {
  const days = userDays(context);
  const noon = new Date(days.noonOf(days.dayOf(context.clock.now())));
  const [weekday, month, day] = noon.toString().split(" ");
  return `${weekday} ${Number(day)} ${month}`;
}

/** With the hint, which says what to do. */
function sentenceOf(error: unknown): string {
  return error instanceof DeckhandError ? error.inFull : reasonOf(error);
}
