import type { CallInput, Http } from "../http/index.ts";
import {
  type BatchOperation,
  type BatchResult,
  type Card,
  type CardCreation,
  type CardUpdate,
  canonicalInstant,
  type Deck,
  type DeckCreation,
  type DeckUpdate,
  type DueCard,
  type deckItem,
  isMap,
  type Operation,
  type OperationId,
  operations,
  type Page,
  type PastReview,
  type Received,
  type ReviewCreate,
  type ScheduleDocument,
  type SchedulePut,
  type Template,
  type TemplateCreation,
  type TemplateUpdate,
  type TodayCardDocument,
  type TodayFigures,
  type TodayPut,
  type TodayQuery,
} from "../schema/index.ts";
import { type Call, callOf, creationOf, identified, identifiedIfAny, incomplete, listed } from "./call.ts";
import {
  collectPages,
  followPages,
  listOf,
  type PageOptions,
  pageOf,
  pageWith,
  type ShortPages,
} from "./paging.ts";
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

/** A deck as lists have it. Some services send `parent-id` as well. */
type DeckItem = Received<typeof deckItem> & {
  readonly id: string;
  readonly "parent-id"?: string | null | undefined;
};

const largestPage = 100;

const cardOf = (id: string) => ({ params: { "card-id": id } });
const deckOf = (id: string) => ({ params: { "deck-id": id } });
const templateOf = (id: string) => ({ params: { "template-id": id } });
const nothing = () => {};
const document = <T extends object>(answer: unknown): T => (isMap(answer) ? answer : {}) as T;

interface DueQuery {
  /** ISO 8601; today, as the service sees it, if absent. */
  readonly date?: string | undefined;
}

/** A query of due cards, whole or page by page. */
interface DueCall extends Call<readonly DueCard[]> {
  /** In pages where the service has them, else in one. The last one has no bookmark. */
  pages(): AsyncGenerator<Page<DueCard>, void, undefined>;
}

/** The documented answer has no pages, so it may be larger than others. */
const maxBytes = 256 * 1024 * 1024;

/**
 * Services may send fields of a card that are not documented for this answer. Instants in them are converted to the one
 * form of the program; anything else stays as it came.
 */
function withInstants(card: DueCard): DueCard {
  const converted: Record<string, unknown> = {};
  for (const name of ["updated-at", "trashed?"]) {
    const value = (card as Readonly<Record<string, unknown>>)[name];
    const text = isMap(value) ? value["date"] : value;
    const instant = typeof text === "string" ? canonicalInstant(text) : undefined;
    if (instant !== undefined) converted[name] = instant;
  }
  return { ...card, ...converted };
}

export function dueOf(http: Http, service: Pick<ReturnType<typeof serviceClient>, "has" | "shortPages">) {
  const cards = (answer: unknown, call: Call<unknown>) =>
    listed<DueCard>(answer, "cards", "id", call).map(withInstants);
  const dueCall = (operation: Operation, given: CallInput, query: DueQuery): DueCall => {
    const input = { ...given, query: { ...query }, maxBytes };
    const page = (bookmark: string | undefined, limit: number | undefined) =>
      callOf<Page<DueCard>>(
        http,
        operation,
        { ...given, query: { ...query, limit, bookmark } },
        (answer, call) => pageWith(answer, cards(answer, call)),
      ).send();
    async function* pages() {
      if (await service.has("due-pages")) yield* followPages(page, {}, largestPage, service.shortPages);
      else yield { docs: await callOf(http, operation, input, cards).send(), bookmark: undefined };
    }
    return { operation, input, pages, send: () => collectPages(pages()) };
  };
  return {
    list: (query: DueQuery = {}) => dueCall(operations["due.list"], {}, query),
    deck: (id: string, query: DueQuery = {}) => dueCall(operations["due.deck"], deckOf(id), query),
  };
}

const callsOf =
  (http: Http) =>
  <T>(id: OperationId, input: CallInput, read: (answer: unknown, call: Call<T>) => T) =>
    callOf(http, operations[id], input, read);

export function resourcesOf(http: Http, short: ShortPages) {
  const call = callsOf(http);
  const list = (query: CardListQuery = {}) => call("cards.list", { query: { ...query } }, pageOf<Card>);
  const cards = {
    /** One page. */
    list,
    /** All pages, each card once. */
    pages: ({ deckId, pageSize = largestPage, ...options }: CardPageOptions = {}) =>
      followPages(
        (bookmark, limit) => list({ "deck-id": deckId, limit, bookmark }).send(),
        options,
        pageSize,
        short,
      ),
    /** @param onTag receives the card's entity tag, where the service has the extension `conditional-writes` */
    get: (id: string, onTag?: (tag: string) => void) =>
      call("cards.get", { ...cardOf(id), onTag }, identified<Card>),
    create: (body: CardCreation) => creationOf<Card>(http, operations["cards.create"], body),
    /**
     * The card, if the service returns it: its answer is not documented.
     *
     * @param ifMatch the entity tag that the card must still have (412 otherwise)
     */
    update: (id: string, body: CardUpdate, ifMatch?: string) =>
      call("cards.update", { ...cardOf(id), body, ifMatch }, identifiedIfAny<Card>),
    delete: (id: string) => call("cards.delete", cardOf(id), nothing),
  };
  const decks = {
    ...listOf<DeckItem>(http, operations["decks.list"]),
    get: (id: string) => call("decks.get", deckOf(id), identified<Deck>),
    create: (body: DeckCreation) => creationOf<Deck>(http, operations["decks.create"], body),
    /** @param ifMatch as in `cards.update` */
    update: (id: string, body: DeckUpdate, ifMatch?: string) =>
      call("decks.update", { ...deckOf(id), body, ifMatch }, identifiedIfAny<Deck>),
    delete: (id: string) => call("decks.delete", deckOf(id), nothing),
  };
  const templates = {
    ...listOf<Template>(http, operations["templates.list"]),
    get: (id: string) => call("templates.get", templateOf(id), identified<Template>),
    create: (body: TemplateCreation) => creationOf<Template>(http, operations["templates.create"], body),
    /** This one and the next only with the extension `template-writes`. */
    update: (id: string, body: TemplateUpdate) =>
      call("templates.update", { ...templateOf(id), body }, identified<Template>),
    delete: (id: string) => call("templates.delete", templateOf(id), nothing),
  };
  return { cards, decks, templates };
}

/** Each only where the service has the extension of its name (docs/design/service.md, Extensions). */
export function extensionsOf(http: Http) {
  const call = callsOf(http);
  const reviews = {
    create: (id: string, body: ReviewCreate) =>
      call("reviews.create", { ...cardOf(id), body }, identifiedIfAny<Card>),
    /** Past reviews, all at once: one at a time each would be computed from all before it. @param reviews at most 500 */
    add: (id: string, reviews: readonly PastReview[]) =>
      call("reviews.add", { ...cardOf(id), body: { reviews } }, identifiedIfAny<Card>),
    /** @param date as the review was sent. */
    delete: (id: string, date: string) =>
      call("reviews.delete", { params: { "card-id": id, date } }, nothing),
  };
  const schedule = {
    get: () => call("schedule.get", {}, document<ScheduleDocument>),
    put: (body: SchedulePut) => call("schedule.put", { body }, document<ScheduleDocument>),
    delete: () => call("schedule.delete", {}, nothing),
  };
  const today = {
    get: (query: TodayQuery = {}) => call("today.get", { query: { ...query } }, document<TodayFigures>),
    /** The queue in its order, whole cards. A page that is not full is the last one. */
    cards: (query: TodayQuery = {}) =>
      followPages(
        (bookmark, limit) =>
          call("today.cards", { query: { ...query, limit, bookmark } }, pageOf<TodayCardDocument>).send(),
        {},
        largestPage,
        { isLast: () => true, wasLast() {} },
      ),
    /** @param due ISO 8601; null for a new card */
    setDue: (id: string, due: string | null) =>
      call("due.put", { ...cardOf(id), body: { due } }, identified<Card>),
    put: (id: string, body: TodayPut) => call("today.put", { ...cardOf(id), body }, nothing),
  };
  /** Operations in one request, in order. */
  const batch = (batch: readonly BatchOperation[]) =>
    call("batch.apply", { body: { operations: batch } }, (answer, call): readonly BatchResult[] => {
      const results = isMap(answer) ? answer["results"] : undefined;
      if (!Array.isArray(results) || results.length !== batch.length) throw incomplete(call, "results");
      return results;
    });
  return { reviews, schedule, today, batch };
}
