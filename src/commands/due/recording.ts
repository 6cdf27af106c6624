import { type Client, createClient } from "../../client/index.ts";
import type { Context } from "../../context/context.ts";
import { DeckhandError, type ErrorCode } from "../../errors.ts";
import { LogFollower, type LogHistory } from "../../review/session/history.ts";
import { newerThere, openLog } from "../../review/session/log.ts";
import { Outbox, type Outcome, openTasks, type Recorder } from "../../review/session/outbox.ts";
import { cannotRecord, Recording } from "../../review/session/recording.ts";
import type { Card } from "../../schema/index.ts";
import { placeOf } from "../shared/account.ts";
import { sessionDays, userDays } from "../shared/time.ts";
import type { SessionOptions } from "./day.ts";
import { logPath } from "./review-log.ts";

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
  const path = logPath(context);
  const log = openLog(path);
  const follower = new LogFollower(path);
  if (await (await context.client()).service.has("reviews")) {
    const client = await sessionClient(context, 1);
    const recorder = recorderOf(client);
    const askAgain = (await client.service.has("today")) ? recorder.askAgain : undefined;
    const outbox = new Outbox(openTasks(history), { recorder, note: log.note, now });
    // What an earlier session could not send has its next chance now; the first card does not wait for it.
    void outbox.flush();
    const days = userDays(context);
    const isToday = days.dayOf(sessionDays(date, context).endOfDay) === days.dayOf(now());
    const notice = isToday ? undefined : "recorded as of today";
    return new Recording({ recorded: "service", notice, log, follower, outbox, askAgain, now });
  }
  const { profile } = context.account();
  const known = context.settings()["review.record"].value;
  const asks = known === undefined && mayAsk && context.io.interactive && profile !== undefined;
  const recorded = asks ? await choose(profile, context) : (known ?? "log");
  const notice = "not recorded on the service";
  return new Recording({ recorded, notice, ...(recorded === "log" ? { log, follower } : {}), now });
}

/** Asked once: the choice is kept with the profile. */
async function choose(profile: string, context: Context): Promise<"log" | "none"> {
  context.io.note(cannotRecord);
  const made = await context.io.choose("Where should your answers go?", [
    { value: "log", label: "log here: keep the answers on this machine and go by them" },
    { value: "none", label: "practise only: keep nothing" },
  ]);
  const choice = made === "none" ? "none" : "log";
  const { storeSetting } = await import("../../config/profiles.ts");
  await storeSetting(placeOf(context), "review.record", choice, profile);
  const other = choice === "log" ? "none" : "log";
  context.io.note(`\`deckhand config set review.record ${other}\` changes it later.`);
  return choice;
}

/** No longer is waited for an answer while a session goes on: the first time, and of a service that was silent. */
const [patience, ofSilence] = [15_000, 4000];

/** A client that gives up sooner than others: a session goes on without the service, and tries again with the next answer. */
export async function sessionClient(context: Context, retries: number): Promise<Client> {
  const http = await context.http();
  let [isSilent, isFailing] = [false, false];
  return createClient({
    ...http,
    async call(operation, input) {
      const signal = AbortSignal.timeout(isSilent ? ofSilence : patience);
      try {
        // A service that fails at one of many answers may fail at all: each is tried once then.
        const answer = await http.call(operation, { ...input, retries: isFailing ? 0 : retries, signal });
        isFailing = false;
        return answer;
      } catch (error) {
        isFailing = error instanceof DeckhandError && error.code === "server";
        if (error !== signal.reason) throw error;
        throw new DeckhandError("timeout", "no answer in time", { cause: error });
      } finally {
        isSilent = signal.aborted;
      }
    },
  });
}

/** Failures after which the same request may succeed; after any other it would be refused again. */
const passing: Readonly<Partial<Record<ErrorCode, "later" | "fault">>> = {
  network: "later",
  timeout: "later",
  "rate-limited": "later",
  unauthorized: "later",
  forbidden: "later",
  "not-configured": "later",
  server: "fault",
  "bad-response": "fault",
};

export function recorderOf(
  client: Client,
): Recorder & { askAgain(cardId: string, again: boolean): Promise<Outcome> } {
  const attempt = async (request: Promise<Card | undefined>): Promise<Outcome> => {
    try {
      const card = await request;
      const due = card?.reviews?.at(-1)?.due;
      return { ok: true, ...(due == null ? {} : { due }) };
    } catch (error) {
      if (!(error instanceof DeckhandError)) return { ok: false, kind: "later", reason: reasonOf(error) };
      // Another session recorded a review after the last one that this session knew.
      const reason = error.status === 412 ? newerThere : error.message;
      return { ok: false, kind: passing[error.code] ?? "refused", reason, error };
    }
  };
  return {
    send: (cardId, review) => attempt(client.reviews.create(cardId, review)),
    withdraw: (cardId, date) => attempt(client.reviews.delete(cardId, date).then(() => undefined)),
    askAgain: (cardId, again) => attempt(client.today.put(cardId, { again }).then(() => undefined)),
  };
}

/** Why something failed, in one line. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError"))
    return "no answer in time";
  return error instanceof Error ? error.message : String(error);
}
