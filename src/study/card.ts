import { type EmbeddedCard, fetchEmbeds } from "../cards/embeds.ts";
import { type Presentation, presentCard, stepAt } from "../cards/passes.ts";
import { shapes } from "../review/session/card.ts";
import { answerToType } from "../review/session/typing.ts";
import { type Card, parseQuery, type TodayQuery, todayQuery } from "../schema/index.ts";
import { AccountReader } from "./account.ts";
import type { StudyService } from "./ports.ts";
import type { StudyCard, StudyPass, StudySession } from "./shapes.ts";
import { sideHtml } from "./side.ts";

/** What is read for a card: its deck and template, and the cards that it shows in itself. */
type CardReader = Pick<AccountReader, "card" | "template" | "deck" | "path">;

/** A card with many clozes shows its text for each of them: so many characters are prepared, then the rest is left out. */
const mostShown = 2_000_000;
const tooLarge = "<p>This card is too large for this page: skip it.</p>";

/** A card with all that its review shows, as HTML; undefined where it was deleted. */
export async function studyCard(reader: CardReader, id: string): Promise<StudyCard | undefined> {
  const card = await reader.card(id);
  if (card === undefined) return undefined;
  const template = await reader.template(card["template-id"]);
  const deck = await reader.deck(card["deck-id"]);
  const embedded = new Map<string, EmbeddedCard>();
  const embed = async (other: string) => {
    const found = await reader.card(other);
    return found && { card: found, template: await reader.template(found["template-id"]) };
  };
  await fetchEmbeds({ card, template }, embed, embedded);
  return {
    id: card.id,
    "deck-id": card["deck-id"] ?? "",
    deck: await reader.path(card["deck-id"]),
    reviews: (card.reviews ?? []).flatMap(({ date, "remembered?": remembered }) =>
      typeof date === "string" ? [{ date, "remembered?": remembered === true }] : [],
    ),
    ...steps(card, presentCard({ card, template, deck }), embedded),
  };
}

function steps(
  card: Card,
  presentation: Presentation,
  embedded: ReadonlyMap<string, EmbeddedCard>,
): Pick<StudyCard, "html" | "passes"> {
  const places = new Map<string, number>();
  const html: string[] = [];
  let shown = 0;
  const place = ({ index, cloze }: ReturnType<typeof stepAt>[number]): number => {
    const key = `${index} ${cloze?.group} ${cloze?.hidden}`;
    const known = places.get(key);
    if (known !== undefined) return known;
    const side = presentation.sides[index];
    places.set(key, html.length);
    const text = shown > mostShown ? tooLarge : side && sideHtml(side, { card, cloze, embedded });
    shown += text?.length ?? 0;
    return html.push(text ?? "") - 1;
  };
  const passes = shapes(presentation).map((shape, index): StudyPass => {
    const pass = presentation.passes[index];
    const all = Array.from({ length: shape.steps + 1 }, (_, step) => step);
    return {
      ...shape,
      shown: all.map((step) => (pass === undefined ? [] : stepAt(pass, step).map(place))),
      typed: all.map((step) =>
        pass === undefined ? null : (answerToType({ presentation }, pass, step) ?? null),
      ),
    };
  });
  return { html, passes };
}

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
