import { inTree } from "../deck-tree.ts";
import { dateOfDay } from "../schedule/days.ts";
import { type CountedCard, countedCard, StatsCollector } from "../stats/collect.ts";
import { statsPage } from "../stats/report/page.ts";
import { AccountReader } from "./account.ts";
import type { StudyService } from "./ports.ts";

/** The statistics of an account: the page of `deckhand stats --report`. */
export async function studyStats(service: StudyService, account: string): Promise<string> {
  const [now, { dayOf }] = [service.now(), await service.days(account)];
  const collector = new StatsCollector({ now, dayOf, scheduler: await service.scheduler(account) });
  const reader = new AccountReader(service, account);
  const states = new Map<string, CountedCard["state"]>();
  const stateOf = (trashed: boolean, archived: boolean, deck: string | null | undefined) => {
    const above = states.get(deck ?? "");
    if (trashed || above === "trashed") return "trashed";
    return archived || above === "archived" ? "archived" : "active";
  };
  // In the tree each comes after the one above it, also where decks are each other's parents.
  for (const { deck } of inTree(await reader.decks()))
    states.set(deck.id, stateOf(deck.trashed, deck.archived, deck.parent));
  for await (const card of reader.cards())
    collector.add(
      countedCard(card, [], stateOf(card["trashed?"] != null, card["archived?"] === true, card["deck-id"])),
    );
  return statsPage(collector.finish(), "All decks", dateOfDay(dayOf(now)), { back: "./" });
}
