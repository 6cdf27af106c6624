import type { Context } from "../../context/context.ts";
import type { LoggedAnswer, LogHistory } from "../../review/session/history.ts";
import { type CountedCard, type CountedReview, countedCard, inOrder } from "../../stats/collect.ts";
import { historyHere } from "../due/review-log.ts";
import { cardPages, decksNamed } from "./lists.ts";
import { deckLines } from "./names.ts";

interface Logged {
  readonly deckId: string;
  readonly reviews: CountedReview[];
}

/**
 * The cards of a deck and the decks under it, or of the collection, each with its whole history: the reviews of the
 * service, and those that only the review log has. Of a deleted card all reviews of the log come, too; with a deck only
 * those that the service does not have, since a card that is not in the deck may have been moved.
 */
export async function readCards(
  deck: string | undefined,
  recursive: boolean,
  context: Context,
  add: (card: CountedCard) => void,
): Promise<void> {
  const history = await historyHere(context);
  const logged = loggedReviews(history, isUnsent);
  const deleted = new Set(history.answers.map(({ cardId }) => cardId));
  const wanted = await decksNamed(deck, recursive, context);
  const look = deckLines(context);
  for await (const page of cardPages(context, wanted)) {
    const lineOf = await look(page);
    for (const card of page) {
      add(countedCard(card, lineOf(card["deck-id"]), logged.get(card.id)?.reviews));
      logged.delete(card.id);
      deleted.delete(card.id);
    }
  }
  const isGone = (answer: LoggedAnswer) =>
    deleted.has(answer.cardId) && (answer.status === "sent" || isUnsent(answer));
  for (const [id, { deckId, reviews }] of wanted === undefined ? loggedReviews(history, isGone) : logged)
    if (wanted === undefined || wanted.has(deckId))
      add({ id, deckId, name: undefined, reviews: inOrder(reviews), due: undefined, state: "trashed" });
}

/** Whether the service does not have the review of an answer. */
const isUnsent = ({ status }: LoggedAnswer): boolean => status === "pending" || status === "refused";

/** Reviews of the log, by card. */
function loggedReviews(history: LogHistory, wanted: (answer: LoggedAnswer) => boolean): Map<string, Logged> {
  const byCard = new Map<string, Logged>();
  for (const answer of history.answers) {
    if (!wanted(answer)) continue;
    const line = answer.read();
    if (line?.review === undefined) continue;
    const { date, duration, "remembered?": remembered } = line.review;
    const known = byCard.get(answer.cardId) ?? { deckId: line["deck-id"], reviews: [] };
    known.reviews.push({ at: Date.parse(date), remembered, seconds: duration });
    byCard.set(answer.cardId, known);
  }
  return byCard;
}
