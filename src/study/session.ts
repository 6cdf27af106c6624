import { parseQuery, type TodayQuery, todayQuery } from "../schema/index.ts";
import { AccountReader } from "./account.ts";
import { studyCard } from "./card.ts";
import type { StudyService } from "./ports.ts";
import type { StudyCard, StudySession } from "./shapes.ts";

/** How many cards come with the session itself. */
const first = 3;

/** @param query that of today's cards in the API, and `limit` */
export async function sessionOf(
  service: StudyService,
  account: string,
  query: string,
): Promise<Omit<StudySession, "ends">> {
  const { value } = parseQuery(todayQuery, query);
  const limit = Number(new URLSearchParams(query).get("limit")) || undefined;
  const asked = (await service.asked(account, value as Partial<TodayQuery>)).slice(0, limit);
  const queue = asked.map(({ id }) => id);
  const reader = new AccountReader(service, account);
  const cards: StudyCard[] = [];
  for (const id of queue.slice(0, first)) cards.push(...(await preparedCard(reader, id)));
  const [days, at] = [await service.days(account), service.now()];
  const today = days.dayOf(at);
  return {
    account,
    at,
    day: [days.startOf(today), days.endOf(today)],
    queue,
    again: asked.filter(({ kind }) => kind === "again").length,
    cards,
  };
}

/** A card with its deck and template, and the cards that it shows in itself; none where it was deleted. */
export async function preparedCard(reader: AccountReader, id: string): Promise<StudyCard[]> {
  const card = await reader.card(id);
  if (card === undefined) return [];
  const prepared = await studyCard({
    card,
    template: await reader.template(card["template-id"]),
    deck: await reader.deck(card["deck-id"]),
    deckPath: await reader.path(card["deck-id"]),
    leads: await reader.leads(card),
    async embed(other) {
      const found = await reader.card(other);
      return found && { card: found, template: await reader.template(found["template-id"]) };
    },
  });
  return [prepared];
}
