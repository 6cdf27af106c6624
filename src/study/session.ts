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
  for (const id of queue.slice(0, first)) {
    const card = await studyCard(reader, id);
    if (card !== undefined) cards.push(card);
  }
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
