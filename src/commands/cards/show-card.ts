import { type EmbeddedCard, fetchEmbeds } from "../../cards/embeds.ts";
import { lacksFile } from "../../cards/links.ts";
import { presentCard } from "../../cards/passes.ts";
import { withTemplate } from "../../client/if-there.ts";
import type { Context } from "../../context/context.ts";
import { deckPlace } from "../../context/names.ts";
import { isOrphaned, isTrashed, pathOf } from "../../decks/lines.ts";
import { knowsHyperlinks } from "../../output/hyperlinks.ts";
import { renderCard } from "../../output/markdown/index.ts";
import { relativeDate, relativeDay } from "../../output/relative.ts";
import { loadStyle } from "../../output/style.ts";
import { oneLine } from "../../output/table.ts";
import { cut } from "../../output/width.ts";
import type { Card, Review } from "../../schema/card.ts";
import { userDays } from "../shared/time.ts";
import { renderWithPictures } from "./card-pictures.ts";

/** Prints a card for people: a header of what is known about it, and all its sides. */
export async function showCard(card: Card, context: Context): Promise<void> {
  const style = await loadStyle(context.io.colour);
  const label = (name: string, text: string) =>
    text === "" ? [] : [`${style.dim(name.padEnd(9))} ${oneLine(text)}`];
  const flags = [
    card["new?"] && "new",
    card["archived?"] && "archived",
    card["trashed?"] && `trashed ${relativeDate(card["trashed?"], context.clock.now())}`,
    card["review-reverse?"] && "reviewed both ways",
  ].filter((flag) => typeof flag === "string");
  const name = cut(oneLine(card.name ?? ""), Math.max(1, context.io.width - card.id.length - 2));
  const header = [
    `${style.id(oneLine(card.id))}  ${style.bold(name)}`,
    ...label("deck", card["deck-id"] ? await deckOf(card["deck-id"], context) : ""),
    ...label("tags", (card.tags ?? []).join(", ")),
    ...label("created", date(card["created-at"], context)),
    ...label("updated", date(card["updated-at"], context)),
    ...label("flags", flags.join(", ")),
    ...label("reviews", reviewSummary(card.reviews ?? [], context)),
  ];
  const { cards, templates } = await context.client();
  const found = await withTemplate(card, templates.get);
  const embedded = new Map<string, EmbeddedCard>();
  await fetchEmbeds(found, async (id) => withTemplate(await cards.get(id), templates.get), embedded);
  context.signal.throwIfAborted();
  const presentation = presentCard(found);
  const lines = await renderWithPictures(card.id, context, (picture) =>
    renderCard(presentation, {
      width: context.io.width,
      colour: context.io.colour ? 3 : 0,
      hyperlinks: context.io.colour && knowsHyperlinks(context.world.env),
      embedded: (id) => embedded.get(id),
      isMissing: (file) => lacksFile(card, file),
      plain: !["", "0", "false"].includes(context.world.env["INK_SCREEN_READER"] ?? ""),
      picture,
    }),
  );
  await context.io.write(`${header.join("\n")}\n\n${lines.join("\n")}\n\n`);
}

/** A deck for people: its path, and the reason where its cards are not asked. */
async function deckOf(id: string, context: Context): Promise<string> {
  const place = await deckPlace(id, context);
  if (typeof place === "string") return place === "deleted" ? `${id} (deleted)` : id;
  const why = isTrashed(place) ? " (in the trash)" : isOrphaned(place) ? " (below a deleted deck)" : "";
  return `${pathOf(place)}${why}`;
}

const date = (instant: string | null | undefined, context: Context) =>
  instant ? relativeDate(instant, context.clock.now()) : "";

function reviewSummary(reviews: readonly Review[], context: Context): string {
  const at = ({ date }: Review) => Date.parse(date ?? "") || 0;
  // Nothing says in which order a service has them.
  const last = reviews.toSorted((a, b) => at(a) - at(b)).at(-1);
  if (last === undefined) return "";
  const remembered = reviews.filter((review) => review["remembered?"]).length;
  const calendar = { now: context.clock.now(), dayOf: userDays(context).dayOf };
  const dueDay = last.due ? relativeDay(last.due, calendar) : "";
  return `${reviews.length}, ${remembered} remembered; last ${date(last.date, context)}, due ${dueDay}`;
}
