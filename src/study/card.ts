import { type EmbeddedCard, fetchEmbeds } from "../cards/embeds.ts";
import { type Presentation, presentCard, type ShownSide, stepAt } from "../cards/passes.ts";
import { ifNamed, withTemplate } from "../client/if-there.ts";
import { type Client, createClient, shortMemory } from "../client/index.ts";
import { lineOf } from "../decks/find.ts";
import { pathOf } from "../decks/lines.ts";
import { type KnownDeck, whole } from "../decks/snapshot.ts";
import { createHttp, systemClock } from "../http/index.ts";
import { shapeOf } from "../review/session/card.ts";
import { answerToType } from "../review/session/typing.ts";
import { parseQuery, type TodayQuery, todayQuery } from "../schema/index.ts";
import type { StudyService } from "./ports.ts";
import { type SideOptions, sideHtml } from "./side.ts";

/** What the server prepares and the page's script plays. */

export type StudySession = Awaited<ReturnType<typeof sessionOf>>;
export type StudyCard = NonNullable<Awaited<ReturnType<typeof studyCard>>>;

/** A card with many clozes shows its text for each of them: so many characters are prepared, then the rest is left out. */
const mostShown = 2_000_000;
const tooLarge = "<p>This card is too large for this page: skip it.</p>";

/** The calls that every command makes, for an account of this service. */
export function clientOf(service: Pick<StudyService, "send">, account: string): Client {
  const http = createHttp({
    transport: { send: (request) => service.send(account, request), close: async () => {} },
    codec: "json",
    timeout: 60_000,
    retries: 0,
    userAgent: "deckhand",
    clock: systemClock,
    random: Math.random,
  });
  return createClient(http, shortMemory(true));
}

/** All decks, in no order. */
export const decksOf = async (client: Client): Promise<readonly KnownDeck[]> =>
  (await client.decks.all()).map((deck) => whole(deck, 0));

/** A card with all that its review shows, as HTML; undefined where it was deleted. */
export async function studyCard(client: Client, id: string) {
  const { cards, templates, decks } = client;
  const read = async (cardId: string) => withTemplate(await cards.get(cardId), templates.get);
  const found = await ifNamed(id, read);
  if (found === undefined) return undefined;
  const { card } = found;
  const embedded = new Map<string, EmbeddedCard>();
  await fetchEmbeds(found, read, embedded);
  const deckId = card["deck-id"] ?? "";
  const line = await lineOf(deckId, async (each) => {
    const deck = await ifNamed(each, decks.get);
    return deck && { ...whole(deck, 0), deck };
  });
  const presentation = presentCard({ ...found, deck: line.at(-1)?.deck });
  return {
    id: card.id,
    "deck-id": deckId,
    /** The path of its deck. */
    deck: pathOf(line),
    reviews: (card.reviews ?? []).map(({ date, due }) => ({ date, due })),
    ...steps(presentation, { card, embedded }),
  };
}

/** The ways in which a card is asked, and what the steps of them show as HTML, by keys. */
function steps(presentation: Presentation, options: Omit<SideOptions, "cloze">) {
  const html: Record<string, string> = {};
  let length = 0;
  const keyOf = ({ index, cloze }: ShownSide): string => {
    const key = `${index} ${cloze?.group} ${cloze?.hidden}`;
    const side = presentation.sides[index];
    if (side === undefined || html[key] !== undefined) return key;
    html[key] = length > mostShown ? tooLarge : sideHtml(side, { ...options, cloze });
    length += html[key].length;
    return key;
  };
  const passes = presentation.passes.map((pass) => {
    const all = Array.from({ length: pass.steps }, (_, step) => step);
    return {
      ...shapeOf(pass),
      shown: all.map((step) => stepAt(pass, step).map(keyOf)),
      /** What is typed before the next step; null where nothing is. */
      typed: all.map((step) => answerToType({ presentation }, pass, step) ?? null),
    };
  });
  return { html, passes };
}

/** How many cards come with the session itself: one is shown while the others are asked for. */
const first = 3;

/** Instants are epoch milliseconds. @param query that of today's cards in the API, and `limit` */
export async function sessionOf(service: StudyService, account: string, query: string) {
  const client = clientOf(service, account);
  const { value } = parseQuery(todayQuery, query);
  const limit = Number(new URLSearchParams(query).get("limit")) || undefined;
  const asked = (await service.asked(account, value as Partial<TodayQuery>)).slice(0, limit);
  const queue = asked.map(({ id }) => id);
  const cards = await Promise.all(queue.slice(0, first).map((id) => studyCard(client, id)));
  const [days, at] = [await service.days(account), service.now()];
  const today = days.dayOf(at);
  return {
    account,
    /** When the queue was as it is here: a browser without a connection has an earlier one. */
    at,
    day: [days.startOf(today), days.endOf(today)] as const,
    /** The ids of all its cards, in their order. */
    queue,
    /** How many of them, at the beginning, were forgotten today and are asked again. */
    again: asked.filter(({ kind }) => kind === "again").length,
    cards: cards.filter((card) => card !== undefined),
  };
}
