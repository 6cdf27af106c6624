import type { Client } from "../../client/index.ts";
import type { Context } from "../../context/context.ts";
import { DeckhandError } from "../../errors.ts";
import { type LogHistory, lastDeed } from "../../review/session/history.ts";
import { type AnswerLine, type DueChange, openLog } from "../../review/session/log.ts";
import { listings } from "../../schema/resources.ts";
import { command, declare } from "../shared/command.ts";
import { type Change, changeEach } from "../shared/items.ts";
import { recordingOf } from "./recording.ts";
import { historyHere, logPath } from "./review-log.ts";
import { dueSentence, refuseWithoutWrites } from "./set.ts";

const declared = () =>
  declare(`Take back the last answer, "due set" or "due forget" of this machine, or the last one of each card.

  deckhand due undo
  deckhand due undo x7Rw2kQp`)
    .argument("[card...]", "card ids, or - for one id a line on standard input; without it the last of all")
    .option("--fail-fast", "stop at the first item that fails");

export const undoCommand = command(declared, async (cards, options, context) => {
  let history = await historyHere(context);
  const asked = cards.length > 0 ? cards : [lastDeed(history)?.["card-id"]].filter((id) => id !== undefined);
  if (asked.length === 0) throw nothingToUndo();
  const client = await context.client();
  const seen = new Set<string>();
  await changeEach(asked, options, context, listings.cards, async (id) => {
    // Named twice, the two last ones of a card are taken back.
    if (seen.has(id)) history = await historyHere(context);
    seen.add(id);
    return undoLast(id, history, client, context);
  });
});

const nothingToUndo = (id?: string) =>
  new DeckhandError("not-found", `there is nothing to take back${id === undefined ? "" : ` of card ${id}`}`, {
    hint: "`deckhand due log` shows the answers of this machine.",
    ...(id === undefined ? {} : { id }),
  });

async function undoLast(id: string, history: LogHistory, client: Client, context: Context): Promise<Change> {
  const deed = lastDeed(history, id);
  if (deed === undefined) throw nothingToUndo(id);
  return deed.type === "due" ? undoChange(deed, client, context) : undoAnswer(deed, history, client, context);
}

async function undoAnswer(
  line: AnswerLine,
  history: LogHistory,
  client: Client,
  context: Context,
): Promise<Change> {
  const { "card-id": id, "remembered?": remembered, review } = line;
  if (context.options.dryRun) {
    if (review !== undefined) await client.reviews.delete(id, review.date);
    return { id };
  }
  const recording = await recordingOf(history, {}, false, context);
  try {
    recording.takeBack(line);
    await recording.flush(context.signal);
  } finally {
    recording.close();
  }
  return { id, sentence: `Took back ${id}: ${remembered ? "remembered" : "forgotten"}` };
}

/** Done once more where it was begun before: each step is safe to repeat. */
async function undoChange(
  { id: changeId, "card-id": id, due, before }: DueChange,
  client: Client,
  context: Context,
): Promise<Change> {
  await refuseWithoutWrites(client);
  const reviews = before.reviews ?? [];
  // The service takes so many at a time.
  for (let at = 500; at < reviews.length && !context.options.dryRun; at += 500)
    await client.reviews.add(id, reviews.slice(at, at + 500));
  const document = await (due === null
    ? client.reviews.add(id, reviews.slice(0, 500))
    : client.today.setDue(id, before.due ?? null));
  const sentence =
    due === null
      ? `Brought back the reviews of ${id}`
      : `${await dueSentence(document ?? { id, name: null }, before.due ?? null, context)} again`;
  if (!context.options.dryRun) {
    const log = openLog(logPath(context));
    log.append({ type: "undone", id: changeId, at: new Date(context.clock.now()).toISOString() });
    log.close();
  }
  return { id, document, sentence };
}
