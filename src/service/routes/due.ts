import { type Days, dayOfDate } from "../../schedule/days.ts";
import { dueCard } from "../../schema/index.ts";
import { notFound } from "../errors.ts";
import { type Call, listing, type PageRequest, type Reply, type Service } from "../route.ts";
import { exists, type Listed } from "../store/documents.ts";
import { dueCards } from "../store/due.ts";
import { cardOf } from "./card-documents.ts";
import { listReply, type Slices } from "./slices.ts";

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

// For a page that is asked for by its bookmark alone.
const pageLength = 100;

/** A page where `limit` or `bookmark` is given (extension due-pages), else everything, as the API document has it. */
async function answer(
  { account, query, request }: DueCall,
  page: PageRequest,
  service: Service,
  deckId: string | undefined,
): Promise<Reply> {
  const { now, daysOf } = service;
  const before = await service.store.read(async (db) => {
    if (deckId !== undefined && !(await exists(db, "deck", account, deckId)))
      throw notFound("there is no such deck");
    return endOf({ query, request }, now(), await daysOf(db, account));
  });
  const paged = query.limit !== undefined || query.bookmark !== undefined;
  const slices: Slices<Listed> = {
    service,
    table: "card",
    account,
    page: { ...page, bookmark: (last) => (paged ? page.bookmark(last) : undefined) },
    limit: query.limit ?? (paged ? pageLength : Number.POSITIVE_INFINITY),
    slice: (db, after, count) => dueCards(db, account, { deckId, before, after, limit: count }),
  };
  return listReply("cards", slices, ({ document }) => ({ document: dueCardOf(document) }));
}

/** The end of the user's day that was asked about; a date without a time is that day of the user's calendar. */
function endOf({ query, request }: Pick<DueCall, "query" | "request">, now: number, days: Days): number {
  const { date } = query;
  if (date === undefined) return days.endOf(days.dayOf(now));
  const asSent = new URLSearchParams(request.query).get("date") ?? "";
  return days.endOf(/^\d{4}-\d\d-\d\d$/.test(asSent) ? dayOfDate(asSent) : days.dayOf(Date.parse(date)));
}

/** A card of the due answer: exactly the keys that the API document lists. */
function dueCardOf(document: string): unknown {
  const card: Readonly<Record<string, unknown>> = { ...cardOf(document) };
  return Object.fromEntries(Object.keys(dueCard.fields).map((name) => [name, card[name]]));
}
