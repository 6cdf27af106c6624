import type { Context } from "../../context/context.ts";
import type { TodayNumbers } from "../../schedule/figures.ts";
import { summed } from "../../schedule/today.ts";
import type { Card, DueCard, TodayQuery } from "../../schema/index.ts";
import { defined } from "../shared/command.ts";
import { type TodayOptions, wholeDay } from "./day.ts";

/** What is asked today: the service's answer, or where it cannot tell the same made here. */

/**
 * What a review with these options asks now. Where the service cannot tell: by what is due and the log of this machine.
 *
 * @param days of how many days after today the figures are wanted, and with them the cards of each deck
 */
export async function todayFigures(options: TodayOptions, context: Context, days = 0): Promise<TodayNumbers> {
  const client = await context.client();
  if (!(await client.service.has("today"))) {
    const { figuresHere } = await import("./plan-here.ts");
    return figuresHere(options, context, Math.max(1, days));
  }
  const query = await todayQuery(options, context);
  const overview = days === 0 ? {} : { overview: "yes" as const };
  // A service that has them is of our own, and leaves no number out.
  const figures = (await client.today.get({ ...query, ...overview })) as TodayNumbers;
  if (options.recursive) return figures;
  const decks = figures.decks.filter(({ id }) => id === query["deck-id"]);
  const { seconds, count: all } = figures.today;
  return { ...figures, decks, today: summed(decks, all === 0 ? 0 : seconds / all) };
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
  yield (await planHere(await historyHere(context), wholeDay, context)).cards;
}
