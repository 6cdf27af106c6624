import type { Context } from "../../context/context.ts";
import { parseWhen } from "../../dates.ts";
import { isArchived, isTrashed } from "../../decks/lines.ts";
import { count } from "../../output/words.ts";
import { dayOffset, userDays } from "../shared/time.ts";
import { dueCards } from "./due-cards.ts";
import { reviewDays } from "./plan-here.ts";
import { historyHere } from "./review-log.ts";

/**
 * ". Next: 3 cards tomorrow", where nothing is due today, or why the deck has no due cards; empty if that is not known.
 * Between midnight and the end of the day it says when today ends.
 */
export async function nextDue(
  deck: string | undefined,
  recursive: boolean,
  context: Context,
): Promise<string> {
  const why = deck === undefined ? "" : await whyNotDue(deck, context);
  if (why !== "") return why;
  const days = userDays(context);
  const now = context.clock.now();
  const [today, night] = [days.dayOf(now), days.nightOf(now)];
  const history = await historyHere(context);
  // Most often it is within a week, and that answer is small.
  for (const ahead of [7, 91]) {
    const date = parseWhen(`+${ahead}d`, now, dayOffset(context))?.text;
    const { due } = await dueCards(deck, recursive, date, context);
    const later = [...(await reviewDays(due, history, context)).values()].filter((day) => day > today);
    const first = later.reduce((least, day) => Math.min(least, day), Number.POSITIVE_INFINITY);
    // What was answered on this machine only comes back later than the service says.
    if (first > today + ahead) continue;
    const cards = count(later.filter((day) => day === first).length, "card");
    const when = first === today + 1 ? "tomorrow" : `in ${first - today} days`;
    return `. Next: ${cards} ${when}${night === undefined ? "" : ` (today is ${night})`}`;
  }
  return "";
}

/** Why nothing of a deck is due, where the deck keeps its cards from it: `: the deck A is archived`; else empty. */
export async function whyNotDue(text: string, context: Context): Promise<string> {
  const names = await context.names();
  // It may have been archived elsewhere a moment ago.
  const { id, name } = await names.deck(text, { again: true });
  const line = await names.line(id);
  if (!isTrashed(line) && !isArchived(line)) return "";
  return `: the deck ${(await names.path(id)) ?? name} is ${isTrashed(line) ? "in the trash" : "archived"}`;
}
