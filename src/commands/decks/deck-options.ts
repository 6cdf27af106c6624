import { InvalidArgumentError } from "commander";
import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import type { Deck } from "../../schema/deck.ts";
import { cardsViewValues, type DeckUpdate, sortByValues } from "../../schema/deck.ts";
import { deckSettings } from "../../schema/today.ts";
import { declare, defined, integer, type LooseOptionsOf, option, wholeNumber } from "../shared/command.ts";
import { trashDate } from "../shared/time.ts";

/** Begins the declaration of `decks create` and `decks update`. */
export const declareDeck = (text: string) =>
  declare(text)
    .option("--parent <deck>", "the deck above it (id, name or path)")
    .option("--sort <n>", "decks sort numerically by this", integer)
    .addOption(option("--sort-by <k>", "how the service's app sorts its cards").choices(sortByValues))
    .option("--sort-by-direction", "sort its cards the other way round there")
    .addOption(option("--cards-view <k>", "how the app shows its cards").choices(cardsViewValues))
    .option("--show-sides", "show all sides of its cards there")
    .option("--review-reverse", "review its cards in both directions: also from the last side to the first")
    .option("--archived", "archive it: its cards are neither new nor due")
    .option("--retention <share>", "share of its cards to be remembered: 0.7 to 0.99", orInherit(share))
    .option("--new-per-day <n>", "how many of its new cards a day", orInherit(wholeNumber(0)))
    .option("--max-per-day <n>", "how many cards a day, with decks under it", orInherit(wholeNumber(0)))
    .option("--trashed <when>", "put it in the trash as of then (ISO timestamp, today, -1w)");

const declareAny = () => declareDeck("").option("--no-parent");
type DeckOptions = LooseOptionsOf<typeof declareAny>;

/** A number, or `inherit`: what the deck above has, or the account. */
const orInherit = (parse: (text: string) => number) => (text: string) =>
  text === "inherit" ? text : parse(text);

function share(text: string): number {
  const value = Number(text);
  const { min, max } = deckSettings.retention;
  if (text.trim() !== "" && value >= min && value <= max) return value;
  throw new InvalidArgumentError(`It must be a number from ${min} to ${max}, or inherit.`);
}

/** @throws UsageError where the service has no settings of decks */
async function settingsFrom(options: DeckOptions, context: Context): Promise<DeckUpdate> {
  const value = <T>(given: T | "inherit" | undefined) => (given === "inherit" ? null : given);
  const body = defined({
    retention: value(options.retention),
    "new-per-day": value(options.newPerDay),
    "max-per-day": value(options.maxPerDay),
  });
  const [first] = Object.keys(body);
  if (first !== undefined && !(await (await context.client()).service.has("deck-settings")))
    throw new UsageError(`this service has no --${first} of a deck: the API has none`, {
      hint: `\`deckhand config set review.${first}\` sets it for all decks.`,
    });
  return body;
}

/** The body that the options give: what is not named is not in it. */
export async function deckBody(options: DeckOptions, context: Context): Promise<DeckUpdate> {
  const { parent, trashed } = options;
  return defined({
    "parent-id": parent === undefined ? undefined : await parentFrom(parent, context),
    sort: options.sort,
    "sort-by": options.sortBy,
    "sort-by-direction": options.sortByDirection,
    "cards-view": options.cardsView,
    "show-sides?": options.showSides,
    "review-reverse?": options.reviewReverse,
    "archived?": options.archived,
    "trashed?": trashed === undefined ? undefined : trashDate(trashed, context),
    ...(await settingsFrom(options, context)),
  });
}

const parentFrom = async (parent: string | boolean, context: Context): Promise<string | null> =>
  typeof parent === "string" ? (await findDeck(parent, context)).id : null;

/** @throws UsageError for a name that the service would refuse */
export function assertName(name: string): void {
  if (name.trim() === "") throw new UsageError("a deck's name cannot be blank");
}

/** How the arguments of verbs that take decks are explained. */
export const deckArgument = "decks (id, name or path), or - for one a line on standard input";

/** The deck that an argument means. @returns with `label`, for people: its name, and its id */
export async function findDeck(text: string, context: Context) {
  const { id, name } = await (await context.names()).deck(text);
  return { id, label: name === "" ? id : `${name} (${id})` };
}

/** Keeps a deck as the service gave it, so that its name is found without asking again; without an answer it is asked. */
export async function noteDeck(id: string, deck: Deck | undefined, context: Context): Promise<void> {
  const names = await context.names();
  if (deck === undefined) names.forgetDeck(id);
  else names.noteDeck(deck);
}
