import { DeckhandError } from "../errors.ts";
import type { CallInput } from "../http/index.ts";
import type { BatchOperation, BodyOf, PastReview, TodayQuery } from "../schema/index.ts";
import type { Call } from "./call.ts";
import { collectPages, followPages, listOf, type PageOptions } from "./paging.ts";
import type { serviceClient } from "./service.ts";

interface CardListQuery {
  readonly "deck-id"?: string | undefined;
  /** 1 to 100. */
  readonly limit?: number | undefined;
  readonly bookmark?: string | undefined;
}

interface CardPageOptions extends PageOptions {
  /** Passed on as it is: the service decides what an unknown deck means. */
  readonly deckId?: string | undefined;
  /** Cards per page, 1 to 100; 100 if absent. */
  readonly pageSize?: number | undefined;
}

const largestPage = 100;

const cardOf = (id: string) => ({ params: { "card-id": id } });
const deckOf = (id: string) => ({ params: { "deck-id": id } });
const templateOf = (id: string) => ({ params: { "template-id": id } });

interface DueQuery {
  /** ISO 8601; today, as the service sees it, if absent. */
  readonly date?: string | undefined;
}

/** The documented answer has no pages, so it may be larger than others. */
const maxBytes = 256 * 1024 * 1024;

export function dueOf(call: Call, service: ReturnType<typeof serviceClient>) {
  async function all(id: "due.list" | "due.deck", params: CallInput["params"], query: DueQuery) {
    const ask = async (more: CallInput) => {
      const { cards, ...rest } = await call(id, { params, query: { ...query }, ...more });
      return { ...rest, docs: cards };
    };
    if (!(await service.has("due-pages"))) return (await ask({ maxBytes })).docs;
    const page = (bookmark: string | undefined, limit: number | undefined) =>
      ask({ query: { ...query, limit, bookmark } });
    return collectPages(followPages(page, {}, largestPage, service.isOurs));
  }
  return {
    list: (query: DueQuery = {}) => all("due.list", {}, query),
    deck: (id: string, query: DueQuery = {}) => all("due.deck", deckOf(id).params, query),
  };
}

export function resourcesOf(call: Call, isOurs: () => boolean) {
  const list = (query: CardListQuery = {}) => call("cards.list", { query: { ...query } });
  const cards = {
    /** One page. */
    list,
    /** All pages, each card once. */
    pages: ({ deckId, pageSize = largestPage, ...options }: CardPageOptions = {}) =>
      followPages(
        (bookmark, limit) => list({ "deck-id": deckId, limit, bookmark }),
        options,
        pageSize,
        isOurs,
      ),
    /** @param onTag receives the card's entity tag, where the service has the extension `conditional-writes` */
    get: (id: string, onTag?: (tag: string) => void) => call("cards.get", { ...cardOf(id), onTag }),
    create: (body: BodyOf<"cards.create">) => call("cards.create", { body }),
    /**
     * The card, if the service returns it: its answer is not documented.
     *
     * @param ifMatch the entity tag that the card must still have (412 otherwise)
     */
    update: (id: string, body: BodyOf<"cards.update">, ifMatch?: string) =>
      call("cards.update", { ...cardOf(id), body, ifMatch }),
    delete: (id: string) => call("cards.delete", cardOf(id)),
  };
  const decks = {
    ...listOf((query) => call("decks.list", { query })),
    get: (id: string) => call("decks.get", deckOf(id)),
    create: (body: BodyOf<"decks.create">) => call("decks.create", { body }),
    /** @param ifMatch as in `cards.update` */
    update: (id: string, body: BodyOf<"decks.update">, ifMatch?: string) =>
      call("decks.update", { ...deckOf(id), body, ifMatch }),
    delete: (id: string) => call("decks.delete", deckOf(id)),
  };
  const templates = {
    ...listOf((query) => call("templates.list", { query })),
    get: (id: string) => call("templates.get", templateOf(id)),
    create: (body: BodyOf<"templates.create">) => call("templates.create", { body }),
    /** This one and the next only with the extension `template-writes`. */
    update: (id: string, body: BodyOf<"templates.update">) =>
      call("templates.update", { ...templateOf(id), body }),
    delete: (id: string) => call("templates.delete", templateOf(id)),
  };
  return { cards, decks, templates };
}

/** Each only where the service has the extension of its name (docs/design/service.md, Extensions). */
export function extensionsOf(call: Call) {
  const reviews = {
    create: (id: string, body: BodyOf<"reviews.create">) => call("reviews.create", { ...cardOf(id), body }),
    /** Past reviews, all at once: one at a time each would be computed from all before it. @param reviews at most 500 */
    add: (id: string, reviews: readonly PastReview[]) =>
      call("reviews.add", { ...cardOf(id), body: { reviews } }),
    /** @param date as the review was sent. */
    delete: (id: string, date: string) => call("reviews.delete", { params: { "card-id": id, date } }),
  };
  const schedule = {
    get: () => call("schedule.get"),
    put: (body: BodyOf<"schedule.put">) => call("schedule.put", { body }),
    delete: () => call("schedule.delete"),
  };
  const today = {
    get: (query: TodayQuery = {}) => call("today.get", { query: { ...query } }),
    /** The queue in its order, whole cards. A page that is not full is the last one. */
    cards: (query: TodayQuery = {}) =>
      followPages(
        (bookmark, limit) => call("today.cards", { query: { ...query, limit, bookmark } }),
        {},
        largestPage,
        () => true,
      ),
    /** @param due ISO 8601; null for a new card */
    setDue: (id: string, due: string | null) => call("due.put", { ...cardOf(id), body: { due } }),
    put: (id: string, body: BodyOf<"today.put">) => call("today.put", { ...cardOf(id), body }),
  };
  /** Operations in one request, in order. @returns as many results */
  const batch = async (batch: readonly BatchOperation[]) => {
    const body = { operations: batch };
    const { results } = await call("batch.apply", { body });
    if (results.length !== batch.length)
      throw new DeckhandError("bad-response", "the service did not answer to each change of a batch");
    return results;
  };
  return { reviews, schedule, today, batch };
}
