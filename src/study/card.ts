import { type EmbeddedCard, fetchEmbeds } from "../cards/embeds.ts";
import { type Presentation, presentCard, stepAt } from "../cards/passes.ts";
import { shapes } from "../review/session/card.ts";
import { answerToType } from "../review/session/typing.ts";
import type { Card } from "../schema/index.ts";
import type { AccountReader } from "./account.ts";
import type { StudyCard, StudyPass } from "./shapes.ts";
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
