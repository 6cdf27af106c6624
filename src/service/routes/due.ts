import { type Days, dayOfDate } from "../../schedule/days.ts";
import { notFound } from "../errors.ts";
import { type Call, listing, type PageRequest, type Reply, type Service } from "../route.ts";
import { deckExists } from "../store/decks.ts";
import { type DueCard, dueCards } from "../store/due.ts";
import type { Place } from "../store/tables.ts";
import { cardOf } from "./card-documents.ts";

const list = listing<"due.list">(
  () => "due",
  (call, page, service) => answer(call, page, service, undefined),
);

const deck = listing<"due.deck">(
  ({ params }) => `due of ${params["deck-id"]}`,
  (call, page, service) => answer(call, page, service, call.params["deck-id"]),
);

export const due = { list, deck };

type DueCall = Pick<Call<"due.list">, "account" | "query" | "request">;

const sliceLength = 100;

/** A page where `limit` or `bookmark` is given (extension due-pages), else everything, as the API document has it. */
function answer(
  { account, query, request }: DueCall,
  page: PageRequest,
  service: Service,
  deckId: string | undefined,
): Promise<Reply> {
  return service.store.read(async (db) => {
    const before = endOf({ query, request }, service.now(), await service.daysOf(db, account));
    if (deckId !== undefined && !(await deckExists(db, account, deckId)))
      throw notFound("there is no such deck");
    const slice = (after: Place | undefined, limit: number) =>
      dueCards(db, account, { deckId, before, after, limit });
    if (query.limit !== undefined || query.bookmark !== undefined) {
      const cards = await slice(page.after, query.limit ?? sliceLength);
      return { document: { cards: cards.map(dueCardOf), bookmark: page.bookmark(cards.at(-1)?.place) } };
    }
    const cards: unknown[] = [];
    for (let after: Place | undefined; ; ) {
      const found = await slice(after, sliceLength);
      cards.push(...found.map(dueCardOf));
      if (found.length < sliceLength) return { document: { cards } };
      after = found.at(-1)?.place;
    }
  });
}

/** The end of the user's day that was asked about; a date without a time is that day of the user's calendar. */
function endOf({ query, request }: Pick<DueCall, "query" | "request">, now: number, days: Days): number {
  const { date } = query;
  if (date === undefined) return days.endOf(days.dayOf(now));
  const asSent = new URLSearchParams(request.query).get("date") ?? "";
  return days.endOf(/^\d{4}-\d\d-\d\d$/.test(asSent) ? dayOfDate(asSent) : days.dayOf(Date.parse(date)));
}

/** A card of the due answer: exactly the keys that the API document lists. */
function dueCardOf({ document }: DueCard): unknown {
  const card = cardOf(document);
  return {
    id: card.id,
    content: card.content,
    name: card.name,
    "deck-id": card["deck-id"],
    attachments: card.attachments,
    pos: card.pos,
    reviews: card.reviews,
    "created-at": card["created-at"],
    "new?": card["new?"],
  };
}
