import type { Asked } from "../schedule/today.ts";
import { orders, type TodayQuery } from "../schema/index.ts";
import { AccountReader } from "./account.ts";
import { studyCard } from "./card.ts";
import type { StudyService } from "./ports.ts";
import type { StudyCard, StudyQueue, StudySession } from "./shapes.ts";

/** Cards that come with the session itself: the first is shown while the others are asked for. */
const first = 3;

/** What a session is of, from the query of its page: `deck`, `order`, `new`, `limit`. */
async function askedBy(
  service: StudyService,
  account: string,
  query: URLSearchParams,
): Promise<readonly Asked[]> {
  const [deck, order, fresh, limit] = ["deck", "order", "new", "limit"].map(
    (name) => query.get(name) ?? undefined,
  );
  const parts: Partial<TodayQuery> = {
    ...(deck === undefined ? {} : { "deck-id": deck }),
    ...(orders.includes(order as never) ? { order: order as TodayQuery["order"] } : {}),
    ...(fresh !== undefined && /^\d{1,9}$/.test(fresh)
      ? { "new-per-day": Number(fresh), "new-in-backlog": "yes" }
      : {}),
  };
  const asked = await service.asked(account, parts);
  return asked.slice(0, limit === undefined ? undefined : Number(limit) || undefined);
}

/**
 * A session with its first cards.
 *
 * @param begun cards that the browser knows to be begun: how far each got is needed when the session begins
 */
export async function sessionOf(
  service: StudyService,
  account: string,
  query: URLSearchParams,
  begun: ReadonlySet<string>,
  ends: boolean,
): Promise<StudySession> {
  const asked = await askedBy(service, account, query);
  const reader = new AccountReader(service, account);
  const early = asked.filter(({ id, kind }) => kind === "again" || begun.has(id));
  const wanted = [...new Set([...early, ...asked.slice(0, first)])];
  const cards: StudyCard[] = [];
  for (const { id, kind } of wanted) {
    const card = await preparedCard(reader, id, kind);
    if (card !== undefined) cards.push(card);
  }
  const days = await service.days(account);
  const today = days.dayOf(service.now());
  return {
    account,
    day: [days.startOf(today), days.endOf(today)],
    cards,
    more: wanted.length < asked.length,
    ends,
  };
}

export async function queueOf(
  service: StudyService,
  account: string,
  query: URLSearchParams,
): Promise<StudyQueue> {
  return { ids: (await askedBy(service, account, query)).map(({ id }) => id) };
}

/** A card with its deck and template, and the cards that it shows in itself; undefined where it was deleted. */
export async function preparedCard(
  reader: AccountReader,
  id: string,
  asked?: StudyCard["asked"],
): Promise<StudyCard | undefined> {
  const card = await reader.card(id);
  if (card === undefined) return undefined;
  return studyCard({
    card,
    asked: asked ?? ((card.reviews ?? []).length === 0 ? "new" : "review"),
    template: await reader.template(card["template-id"]),
    deck: await reader.deck(card["deck-id"]),
    deckPath: await reader.path(card["deck-id"]),
    async embed(other) {
      const found = await reader.card(other);
      return found && { card: found, template: await reader.template(found["template-id"]) };
    },
  });
}
