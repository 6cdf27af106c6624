import type { Http } from "../http/index.ts";
import {
  canonicalInstant,
  type DueCard,
  isMap,
  type Operation,
  operations,
  type Page,
} from "../schema/index.ts";
import { type Call, callOf, listed } from "./call.ts";
import { collectPages, followPages, pageWith } from "./paging.ts";
import type { serviceClient } from "./service.ts";

interface DueQuery {
  /** ISO 8601; today, as the service sees it, if absent. */
  readonly date?: string | undefined;
}

/** The documented answer has no pages, so it may be larger than others. */
const maxBytes = 256 * 1024 * 1024;
const pageSize = 100;

const cards = (answer: unknown, call: Call<unknown>) =>
  listed<DueCard>(answer, "cards", "id", call).map(withInstants);

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
  return Object.keys(converted).length === 0 ? card : { ...card, ...converted };
}

/** A query of due cards, whole or page by page. */
interface DueCall extends Call<readonly DueCard[]> {
  /** In pages where the service has them, else in one. The last one has no bookmark. */
  pages(): AsyncGenerator<Page<DueCard>, void, undefined>;
}

export function dueClient(http: Http, service: Pick<ReturnType<typeof serviceClient>, "has" | "shortPages">) {
  const dueCall = (
    operation: Operation,
    params: Readonly<Record<string, string>>,
    query: DueQuery,
  ): DueCall => {
    const input = { params, query: { ...query }, maxBytes };
    const page = (bookmark: string | undefined, limit: number | undefined) =>
      callOf<Page<DueCard>>(
        http,
        operation,
        { params, query: { ...query, limit, bookmark } },
        (answer, call) => pageWith(answer, cards(answer, call)),
      ).send();
    async function* pages() {
      if (await service.has("due-pages")) yield* followPages(page, {}, pageSize, service.shortPages);
      else yield { docs: await callOf(http, operation, input, cards).send(), bookmark: undefined };
    }
    return { operation, input, pages, send: () => collectPages(pages()) };
  };
  return {
    list: (query: DueQuery = {}) => dueCall(operations["due.list"], {}, query),
    deck: (deckId: string, query: DueQuery = {}) =>
      dueCall(operations["due.deck"], { "deck-id": deckId }, query),
  };
}
