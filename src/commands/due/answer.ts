import { randomUUID } from "node:crypto";
import type { Client } from "../../client/index.ts";
import type { Context } from "../../context/context.ts";
import { DeckhandError, UsageError } from "../../errors.ts";
import { progressToday } from "../../review/session/progress.ts";
import { isNewCard } from "../../review/session/queue.ts";
import type { Recording } from "../../review/session/recording.ts";
import { outcomes, type Review } from "../../schema/index.ts";
import { listings } from "../../schema/resources.ts";
import { command, declare } from "../shared/command.ts";
import { type Change, changeEach } from "../shared/items.ts";
import { instantFrom, sessionDays } from "../shared/time.ts";
import { recordingOf } from "./recording.ts";
import { historyHere } from "./review-log.ts";

const declared = () =>
  declare(`Record answers without a session, as a review would.

A card that was forgotten is asked again today; answered once more it makes no second review. "deckhand due undo"
takes the last answer back.

  deckhand due answer x7Rw2kQp remembered
  deckhand due answer x7Rw2kQp forgotten --at 2026-03-01T08:30:00Z
  deckhand due list Geography -o id | deckhand due answer - remembered`)
    .argument("<card...>", "card ids, or - for one id a line on standard input; then remembered or forgotten")
    .usage("[options] <card>... remembered|forgotten")
    .option("--at <when>", "when it was answered, if not now: an ISO timestamp, yesterday, -1w")
    .option("--fail-fast", "stop at the first item that fails");

export const answerCommand = command(declared, async (words, options, context) => {
  const [cards, outcome] = [words.slice(0, -1), words.at(-1)];
  if (cards.length === 0 || !outcomes.some((each) => each === outcome))
    throw new UsageError(`the last argument is remembered or forgotten, not ${JSON.stringify(outcome)}`);
  const now = context.clock.now();
  const at = options.at === undefined ? undefined : instantFrom(options.at, "--at", context);
  if (at !== undefined && at > now) throw new UsageError("--at is in the future");
  const history = await historyHere(context);
  const { startOfToday } = sessionDays(undefined, context);
  const given = {
    remembered: outcome === "remembered",
    at: at ?? now,
    startOfToday,
    begun: new Map(progressToday({ history, startOfToday, now: at ?? now }).unfinished),
  };
  const client = await context.client();
  const recording = await recordingOf(history, {}, false, context, () => at ?? context.clock.now());
  try {
    await changeEach(cards, options, context, listings.cards, (id) =>
      answer(id, given, recording, client, context),
    );
  } finally {
    recording.close();
  }
  const waiting = recording.status?.waiting ?? 0;
  if (waiting > 0) context.io.warn(`${waiting} not sent yet: \`deckhand due sync\` sends what is in the log`);
});

interface Given {
  readonly remembered: boolean;
  readonly at: number;
  readonly startOfToday: number;
  /** The cards that today's sessions on this machine did not finish. */
  readonly begun: Map<string, { readonly review?: boolean | undefined }>;
}

async function answer(
  id: string,
  { remembered, at, startOfToday, begun }: Given,
  recording: Recording,
  client: Client,
  context: Context,
): Promise<Change> {
  const card = await client.cards.get(id);
  if (context.options.dryRun) {
    const body = { date: new Date(at).toISOString(), "remembered?": remembered };
    await client.reviews.create(id, body);
    return { id };
  }
  if (recording.recorded === "none")
    throw new DeckhandError("refused", "this service records no reviews, and review.record is none", {
      hint: "`deckhand config set review.record log` keeps them on this machine.",
    });
  const isForgotten = ({ date, "remembered?": good }: Review) =>
    good === false && Date.parse(date ?? "") >= startOfToday && Date.parse(date ?? "") <= at;
  // Today's review of the card may be given already, here or on another machine.
  const isGiven = begun.get(id)?.review !== undefined || (card.reviews ?? []).some(isForgotten);
  const review = isGiven ? undefined : { remembered };
  const answered = { id: randomUUID(), cardId: id, pass: "forward", remembered, duration: 0 };
  const unsynced = recording.record(
    { ...answered, review, left: remembered ? 0 : 1 },
    { deckId: card["deck-id"] ?? "", isNew: isNewCard(card), reviews: card.reviews ?? [] },
  );
  if (unsynced !== undefined) context.io.warn(`the disk did not confirm the answer: ${unsynced.message}`);
  // It may be named once more.
  if (remembered) begun.delete(id);
  else begun.set(id, { review: false });
  await recording.flush(context.signal);
  const refused = recording.status?.refused.find(({ line }) => line["card-id"] === id);
  if (refused !== undefined) throw refused.error ?? new DeckhandError("refused", refused.reason, { id });
  return {
    id,
    ...(context.print.json ? { document: await client.cards.get(id) } : {}),
    sentence: `Recorded ${id}: ${remembered ? "remembered" : "forgotten"}`,
  };
}
