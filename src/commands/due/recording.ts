import type { Context } from "../../context/context.ts";
import { LogFollower, type LogHistory } from "../../review/session/history.ts";
import { openLog } from "../../review/session/log.ts";
import { Outbox, openTasks } from "../../review/session/outbox.ts";
import { cannotRecord, Recording } from "../../review/session/recording.ts";
import { userDays } from "../shared/time.ts";
import { sessionDays } from "./days.ts";
import { reasonOf, recorderOf, sessionClient } from "./recorder.ts";
import { logPath } from "./review-log.ts";
import type { SessionOptions } from "./review-options.ts";

/** Where answers go that the service cannot record: the log of this machine, or nowhere. */
type Choice = "log" | "none";

/**
 * Where the answers go: to the service if it can record them, else where the user chose, or chooses now.
 *
 * @param mayAsk whether the user may be asked; else they go into the log
 */
export async function recordingOf(
  history: LogHistory,
  { date }: Pick<SessionOptions, "date">,
  mayAsk: boolean,
  context: Context,
  now = context.clock.now,
): Promise<Recording> {
  const { random } = context.clock;
  const path = logPath(context);
  const log = openLog(path);
  const follower = new LogFollower(path);
  if (await (await context.client()).service.has("reviews")) {
    const client = await sessionClient(context, 1);
    const recorder = recorderOf(client);
    const askAgain = (await client.service.has("today"))
      ? (cardId: string, again: boolean) => client.today.put(cardId, { again }).send()
      : undefined;
    const outbox = new Outbox(openTasks(history), { recorder, note: log.note, now, random });
    // What an earlier session could not send has its next chance now; the first card does not wait for it.
    void outbox.flush();
    const days = userDays(context);
    const isToday = days.dayOf(sessionDays(date, context).endOfDay) === days.dayOf(now());
    const notice = isToday ? undefined : "recorded as of today";
    return new Recording({ recorded: "service", notice, log, follower, outbox, askAgain, now });
  }
  const asked = context.account().profile === undefined ? history.chosen : undefined;
  const known = context.settings()["review.record"].value ?? asked;
  const recorded = known ?? (mayAsk && context.io.interactive ? await choose(context) : "log");
  const notice = "not recorded on the service";
  return new Recording({ recorded, notice, ...(recorded === "log" ? { log, follower } : {}), now });
}

async function choose(context: Context): Promise<Choice> {
  context.io.note(cannotRecord);
  const made = await context.io.choose("Where should your answers go?", [
    { value: "log", label: "log here: keep the answers on this machine and go by them" },
    { value: "none", label: "practise only: keep nothing" },
  ]);
  const choice = made === "none" ? "none" : "log";
  context.io.note(
    `\`deckhand config set review.record ${choice === "log" ? "none" : "log"}\` changes it later.`,
  );
  await keepChoice(choice, context);
  return choice;
}

/** Keeps where answers go: with the profile, or for an account without one in its log. */
async function keepChoice(record: Choice, context: Context): Promise<void> {
  const { profile } = context.account();
  // A choice that cannot be kept is asked for again.
  try {
    if (profile === undefined) {
      const log = openLog(logPath(context));
      log.append({ type: "chosen", record });
      log.close();
      return;
    }
    const { storeSetting } = await import("../../config/profiles.ts");
    const place = { folder: context.folders.config, platform: context.world.platform };
    await storeSetting(place, "review.record", record, profile);
  } catch (error) {
    context.io.warn(reasonOf(error));
  }
}
