import { type Days, dayOfDate } from "../../schedule/days.ts";
import { notFound, refuseInvalid } from "../errors.ts";
import type { Call, Handler, Service } from "../service.ts";
import { attachmentsOf } from "../store/attachments.ts";
import { deckExists } from "../store/decks.ts";
import { dueCards } from "../store/due.ts";
import type { AttachmentRow, Db } from "../store/tables.ts";
import { cardOf, type WholeCard } from "./card-documents.ts";

const list: Handler = (call, service) => answer(call, service, undefined);

const deck: Handler = (call, service) => answer(call, service, call.params["deck-id"] ?? "");

export const due = { list, deck };

function answer(call: Call, service: Service, deckId: string | undefined) {
  refuseInvalid(call.problems);
  return service.store.read(async (db) => {
    const before = endOf(call, service.now(), await service.daysOf(db, call.account));
    if (deckId !== undefined && !(await deckExists(db, call.account, deckId)))
      throw notFound("there is no such deck");
    const documents = await dueCards(db, call.account, { deckId, before });
    return { document: { cards: await dueCardsOf(db, call.account, documents) } };
  });
}

/** The end of the user's day that was asked about; a date without a time is that day of the user's calendar. */
function endOf({ query, request }: Call, now: number, days: Days): number {
  const date = query["date"];
  if (typeof date !== "string") return days.endOf(days.dayOf(now));
  const asSent = new URLSearchParams(request.query).get("date") ?? "";
  return days.endOf(/^\d{4}-\d\d-\d\d$/.test(asSent) ? dayOfDate(asSent) : days.dayOf(Date.parse(date)));
}

async function dueCardsOf(db: Db, account: string, documents: readonly string[]): Promise<unknown[]> {
  const cards = documents.map(cardOf);
  const attachments = await attachmentsOf(
    db,
    account,
    cards.map((card) => card.id),
  );
  return cards.map((card) => dueCardOf(card, attachments.get(card.id) ?? []));
}

/** A card of the due answer: exactly the keys that the API document lists. */
function dueCardOf(card: WholeCard, files: readonly AttachmentRow[]): unknown {
  const attachments: Record<string, unknown> = Object.create(null);
  for (const { file_name, size, type } of files) attachments[file_name] = { size, type };
  return {
    id: card.id,
    content: card.content,
    name: card.name,
    "deck-id": card["deck-id"],
    attachments,
    pos: card.pos,
    reviews: card.reviews,
    "created-at": card["created-at"],
    "new?": card["new?"],
  };
}
