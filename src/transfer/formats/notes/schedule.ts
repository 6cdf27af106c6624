import { canonicalInstant } from "../../../schema/index.ts";
import { historyOf } from "../../history.ts";
import type { SourceReview } from "../../model.ts";

/** Where the plugin Spaced Repetition keeps the schedules of a card, one for each question. */
export const scheduleComment = /[ \t]*<!--SR:([^>]*)-->/;

const callout = /^>[ \t]?\[!sr\|card-metadata\].*\n((?:>.*\n)*?)>[ \t]*(<!--SR:.*-->)/gm;

/** A text with the schedules in callouts as those that have none; lines keep their numbers. */
export const withoutCallouts = (text: string): string =>
  text.replace(callout, (_, between: string, comment: string) => {
    return `${comment}${"\n".repeat(between.split("\n").length)}`;
  });

/** The date of a question that is still new, beside others that are not. */
const newQuestion = "2000-01-01";

/**
 * The history of a card from its schedules: the last review of the question that is due first. By the older algorithm a
 * schedule is `!2026-12-24,34,250` (due, days, ease), by FSRS
 * `!fsrs,due,days,stability,difficulty,state,reviews,lapses,step,last review` with `-` for what is not known.
 *
 * @returns also how many schedules of further questions there are
 */
export function readSchedules(comment: string): { reviews: SourceReview[]; more: number } {
  const histories = comment.split("!").flatMap((each) => {
    const fields = each.trim().split(",");
    const reviews = fields[0] === "fsrs" ? byFsrs(fields) : byDays(fields);
    return reviews.length === 0 ? [] : [reviews];
  });
  histories.sort(([a], [b]) => (a?.due ?? "").localeCompare(b?.due ?? ""));
  return { reviews: histories[0] ?? [], more: Math.max(0, histories.length - 1) };
}

/** The plugin knows days only, those of the user's time zone: noon is that day wherever a day begins. */
function byDays([date = "", interval = ""]: readonly string[]): SourceReview[] {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || date === newQuestion) return [];
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  return historyOf([], {
    due: new Date(year, month - 1, day, 12).toISOString(),
    interval: Math.round(daysOf(interval)),
  });
}

/** From a day to a hundred years: others would not be dates. */
const daysOf = (text = ""): number => Math.min(36_525, Math.max(1, Number(text) || 1));

/** What `state` says of a question that was forgotten, and not remembered since then. */
const relearning = "3";

function byFsrs([, dueText = "", days, , , state, , , , lastText = ""]: readonly string[]): SourceReview[] {
  const [due, last] = [canonicalInstant(dueText), canonicalInstant(lastText)];
  if (due === undefined) return [];
  if (last === undefined || last > due) return historyOf([], { due, interval: daysOf(days) });
  return historyOf([{ date: last, "remembered?": state !== relearning, due }]);
}
