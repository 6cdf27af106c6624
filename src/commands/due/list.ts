import { existsSync } from "node:fs";
import { ifThere } from "../../client/if-there.ts";
import type { Context } from "../../context/context.ts";
import type { Document } from "../../output/index.ts";
import { count } from "../../output/words.ts";
import type { DueCard } from "../../schema/card.ts";
import { type Listing, listings } from "../../schema/resources.ts";
import { inOrder } from "../cards/select.ts";
import { command, type OptionsOf, option, wholeNumber } from "../shared/command.ts";
import { sayNone, withDeckPaths, withNames } from "../shared/lists.ts";
import { sessionDays, timestampFrom } from "../shared/time.ts";
import { deckOfArgument, declareForDeck, dueCards } from "./due-cards.ts";
import { historyHere, logPath } from "./review-log.ts";

const declared = () =>
  declareForDeck(`List the cards that are due: of all decks, or of one deck and those under it.

"deckhand review" asks them, with at most review.new-per-day new cards a day; "deckhand due answer" records an answer
without a terminal.

  deckhand due list
  deckhand due list Geography/Europe --date tomorrow
  deckhand due list --count`)
    .option(
      "--date <when>",
      "due on another day: an ISO date or timestamp, today, tomorrow, yesterday, +3d, -1w",
    )
    .addOption(
      option("--sort <field>", "order of the cards").choices(["name", "deck", "due", "lapses"] as const),
    )
    .option("--reverse", "the other way round")
    .option("-l, --limit <n>", "list at most this many cards", wholeNumber(1))
    .option("--count", "print only the number of cards, all new ones included");

export const listCommand = command(declared, listDue);

export async function listDue(
  deck: string | undefined,
  options: OptionsOf<typeof declared>,
  context: Context,
): Promise<void> {
  const date = options.date === undefined ? undefined : timestampFrom(options.date, "--date", context);
  const named = await deckOfArgument(deck, options, context);
  const { due } = await dueCards(named, options.recursive, date, context);
  const all = await withAnswers(due, options.date, context);
  if (options.count) return context.print.value(all.length);
  const cards = (await inOrder(all, options, context)).slice(0, options.limit);
  const { listing, complete } = withDeckPaths(
    listingFor(cards, context),
    { id: "deck-id", instead: ["deck-id"] },
    context,
  );
  await context.print.list(
    listing,
    await withNames(await withTexts(await complete(cards), context), context),
  );
  if (!context.print.table || context.io.stderr.isTTY !== true) return;
  if (due.length === 0) {
    const { nextDue } = await import("./plan-here.ts");
    const part = { deck: named, recursive: options.recursive };
    const next = date === undefined ? await nextDue(part, context) : "";
    sayNone(`Nothing is due${next}`, context);
  } else
    context.io.say(`${count(cards.length, "card")}${cards.length < all.length ? ` of ${all.length}` : ""}`);
}

/**
 * Due cards have no fields: those of a template, which have no name and no content, get them for a table. Only in the local
 * collection, where a request for each costs little.
 */
async function withTexts(cards: readonly Document[], context: Context): Promise<readonly Document[]> {
  if (!context.print.table || context.account().kind !== "local") return cards;
  const client = await context.client();
  const whole: Document[] = [];
  for (const card of cards) {
    const bare = !card["name"] && !card["content"] && typeof card["id"] === "string";
    const found = bare ? await ifThere(client.cards.get(String(card["id"]))) : undefined;
    whole.push(found === undefined ? card : { ...card, fields: found.fields });
  }
  return whole;
}

/** A table has its own columns; what was answered here only where there is something in it. */
function listingFor(cards: readonly DueCard[], { print }: Context): Listing {
  if (!print.table) return listings.due;
  const answered = cards.some((card) => "answered" in card) ? ["answered"] : [];
  return { ...listings.due, columns: ["id", "deck-id", "front", "due", "new?", ...answered] };
}

/** The service's answer, with when each card was answered here without the service knowing. */
async function withAnswers(
  due: readonly DueCard[],
  date: string | undefined,
  context: Context,
): Promise<readonly DueCard[]> {
  if (!existsSync(logPath(context))) return due;
  const { answersHere } = await import("./plan-here.ts");
  const { endOfDay } = sessionDays(date, context);
  const answered = await answersHere(due, endOfDay, await historyHere(context), context);
  return due.map((card) => {
    const here = answered.get(card.id);
    return here === undefined ? card : { ...card, answered: here.at };
  });
}
