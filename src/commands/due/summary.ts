import { existsSync } from "node:fs";
import type { Context } from "../../context/context.ts";
import { deckLabel } from "../../context/names.ts";
import { visible } from "../../output/sanitize.ts";
import { displayWidth, pad } from "../../output/width.ts";
import { count } from "../../output/words.ts";
import { emptyHistory, readLog } from "../../review/session/history.ts";
import { type AnsweredHere, answeredHere, isNewCard, unfinishedToday } from "../../review/session/queue.ts";
import type { DueCard } from "../../schema/card.ts";
import { schedulerFor, sessionDays } from "./days.ts";
import { queueOfAll } from "./queue.ts";
import { logPath } from "./review-log.ts";

/** How many decks are named below the list. */
const mostDecks = 20;

/** Says below a list how many cards are due in each deck and in all. */
export async function sayDue(cards: readonly DueCard[], context: Context): Promise<void> {
  const byDeck = new Map<string, DueCard[]>();
  for (const card of cards) {
    const id = card["deck-id"] ?? "";
    const due = byDeck.get(id);
    if (due === undefined) byDeck.set(id, [card]);
    else due.push(card);
  }
  const lines = byDeck.size > 1 ? await deckLines(byDeck, context) : [];
  context.io.say([...lines, `${count(cards.length, "card")}: ${kindsOf(cards)}`].join("\n"));
}

async function deckLines(
  byDeck: ReadonlyMap<string, readonly DueCard[]>,
  context: Context,
): Promise<readonly string[]> {
  const decks: { path: string; kinds: string }[] = [];
  for (const [id, due] of byDeck)
    decks.push({ path: visible(await deckLabel(id, context)), kinds: kindsOf(due) });
  decks.sort((a, b) => (a.path < b.path ? -1 : 1));
  const shown = decks.slice(0, mostDecks);
  const width = Math.max(...shown.map(({ path }) => displayWidth(path)));
  const lines = shown.map(({ path, kinds }) => `  ${pad(path, width)}  ${kinds}`);
  return decks.length > shown.length
    ? [...lines, `  and ${count(decks.length - shown.length, "more deck")}`]
    : lines;
}

/** "3 to review, 20 new". Those that were answered on this machine have `answered`. */
function kindsOf(cards: readonly DueCard[]): string {
  const [answered, open] = [cards.filter(isAnswered).length, cards.filter((card) => !isAnswered(card))];
  const fresh = open.filter(isNewCard).length;
  const kinds = [
    [open.length - fresh, "to review"],
    [fresh, "new"],
    [answered, "answered here"],
  ] as const;
  return kinds.flatMap(([number, kind]) => (number > 0 ? [`${number} ${kind}`] : [])).join(", ");
}

const isAnswered = (card: DueCard) => "answered" in card;

/**
 * Says how many of the cards a review asks today, where the settings hold others back.
 *
 * @param decks the decks that were asked about; undefined for all
 */
export async function sayHeld(
  due: readonly DueCard[],
  decks: ReadonlySet<string> | undefined,
  context: Context,
): Promise<void> {
  const path = logPath(context);
  const history = existsSync(path) ? await readLog(path) : emptyHistory;
  const { cards, held, beyondDay } = await queueOfAll(due, decks, history, context);
  const settings = context.settings();
  const reasons = [
    ...(held > 0 ? [`review.new-per-day is ${settings["review.new-per-day"].value}`] : []),
    ...(beyondDay > 0 ? [`review.max-per-day is ${settings["review.max-per-day"].value}`] : []),
  ];
  if (reasons.length === 0) return;
  const waiting = held + beyondDay;
  context.io.say(
    `\`deckhand review\` asks ${cards.length} today; ${waiting} ${waiting === 1 ? "waits" : "wait"} for another day (${reasons.join(", ")})`,
  );
}

/** What the review log of this machine adds to the service's answer. */
interface LoggedHere {
  /** The due cards that were answered on this machine without the service knowing. */
  readonly answered: ReadonlyMap<string, AnsweredHere>;
  /** The ids of cards that are not due, were forgotten today, and come back in the next session of the day. */
  readonly comingBack: ReadonlySet<string>;
}

/** @param decks the decks that were asked about; undefined for all */
export async function answersHere(
  path: string,
  due: readonly DueCard[],
  { date, decks }: { readonly date: string | undefined; readonly decks: ReadonlySet<string> | undefined },
  context: Context,
): Promise<LoggedHere> {
  const history = await readLog(path);
  const scheduler = await schedulerFor(context);
  const { startOfToday, endOfDay } = sessionDays(date, context);
  const known = new Set(due.map(({ id }) => id));
  const comingBack = [...unfinishedToday({ history, startOfToday, now: context.clock.now() })].filter(
    ([id, { deckId, review }]) => review === false && !known.has(id) && (decks?.has(deckId) ?? true),
  );
  return {
    answered: answeredHere(due, { history, schedule: (past) => scheduler.due(past), endOfDay }),
    comingBack: new Set(comingBack.map(([id]) => id)),
  };
}
