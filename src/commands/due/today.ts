import type { Context } from "../../context/context.ts";
import type { Card, DueCard, TodayQuery } from "../../schema/index.ts";
import { defined } from "../shared/command.ts";
import { type DayFigures, figuresFrom, summed, usualAnswer } from "./figures.ts";
import { type TodayOptions, wholeDay } from "./review-options.ts";

/** What is asked today: the service's answer, or where it cannot tell the same made here. */

/** What a review with these options asks now. Where the service cannot tell: by what is due and the log of this machine. */
export async function todayFigures(options: TodayOptions, context: Context): Promise<DayFigures> {
  const client = await context.client();
  if (!(await client.service.has("today"))) {
    const { figuresHere } = await import("./plan-here.ts");
    return figuresHere(options, context);
  }
  const query = await todayQuery(options, context);
  const figures = figuresFrom(await client.today.get(query).send());
  if (options.recursive) return figures;
  const decks = figures.decks.filter(({ id }) => id === query["deck-id"]);
  const { seconds, count: all } = figures.today;
  return { ...figures, decks, today: summed(decks, all === 0 ? usualAnswer : seconds / all) };
}

/** How the service is asked: what the settings of this machine say besides those of the account. */
export async function todayQuery(options: TodayOptions, context: Context): Promise<TodayQuery> {
  const settings = context.settings();
  const given = <T>({ value, origin }: { readonly value: T; readonly origin: string }): T | undefined =>
    origin === "default" ? undefined : value;
  const { deck, order, new: asked } = options;
  const [newCards, most] = [given(settings["review.new-cards"]), given(settings["review.max-per-day"])];
  // `all`: more than there are.
  const fresh = asked === "all" ? 1_000_000_000 : (asked ?? given(settings["review.new-per-day"]));
  return defined({
    "deck-id": deck === undefined ? undefined : (await (await context.names()).deck(deck)).id,
    order,
    "new-per-day": fresh,
    "max-per-day": most,
    "new-cards": newCards,
    "new-in-backlog": asked === undefined ? undefined : ("yes" as const),
  });
}

/** The cards that a review asks today, page by page. */
export async function* cardsOfToday(context: Context): AsyncGenerator<readonly (DueCard | Card)[]> {
  const client = await context.client();
  if (await client.service.has("today")) {
    for await (const { docs } of client.today.cards(await todayQuery(wholeDay, context))) yield docs;
    return;
  }
  const [{ planHere }, { historyHere }] = await Promise.all([
    import("./plan-here.ts"),
    import("./review-log.ts"),
  ]);
  const whole = { ...wholeDay, timestamp: undefined };
  yield (await planHere(await historyHere(context), whole, context)).cards;
}
