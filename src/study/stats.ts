import { dateOfDay } from "../schedule/days.ts";
import { countedCard, StatsCollector } from "../stats/collect.ts";
import { statsPage } from "../stats/report/page.ts";
import { AccountReader } from "./account.ts";
import type { StudyService } from "./ports.ts";

/** The statistics of an account: the page of `deckhand stats --report`. */
export async function studyStats(service: StudyService, account: string): Promise<string> {
  const now = service.now();
  const days = await service.days(account);
  const collector = new StatsCollector({
    now,
    dayOf: days.dayOf,
    scheduler: await service.scheduler(account),
  });
  const reader = new AccountReader(service, account);
  const decks = new Map((await reader.decks()).map((deck) => [deck.id, deck]));
  const isIn = (id: string | null | undefined, state: "archived" | "trashed"): boolean => {
    const deck = decks.get(id ?? "");
    return deck !== undefined && (deck[state] || isIn(deck.parent, state));
  };
  for await (const card of reader.cards()) {
    const deck = card["deck-id"];
    const trashed = card["trashed?"] != null || isIn(deck, "trashed");
    const archived = card["archived?"] === true || isIn(deck, "archived");
    collector.add(countedCard(card, [], trashed ? "trashed" : archived ? "archived" : "active"));
  }
  return statsPage(collector.finish(), "All decks", dateOfDay(days.dayOf(now)), { back: "./" });
}
