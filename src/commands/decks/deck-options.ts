import { type Command, InvalidArgumentError, Option } from "commander";
import type { Context } from "../../context/context.ts";
import { deckLabel } from "../../context/names.ts";
import { UsageError } from "../../errors.ts";
import { cardsViewValues, type DeckUpdate, sortByValues } from "../../schema/deck.ts";
import { deckSettings } from "../../schema/today.ts";
import { warnIfKeptBack } from "../shared/names.ts";
import { integer, wholeNumber } from "../shared/options.ts";
import { instantFrom } from "../shared/when.ts";
import { findDeck } from "./items.ts";

/** What `decks create` and `decks update` have in common. */
export interface DeckOptions {
  /** false with `--no-parent`. */
  readonly parent?: string | false;
  readonly sort?: number;
  readonly sortBy?: (typeof sortByValues)[number];
  readonly sortByDirection?: boolean;
  readonly cardsView?: (typeof cardsViewValues)[number];
  readonly showSides?: boolean;
  readonly reviewReverse?: boolean;
  readonly archived?: boolean;
  readonly trashed?: string;
  /** `inherit` for what the deck above has. */
  readonly retention?: number | "inherit";
  readonly newPerDay?: number | "inherit";
  readonly maxPerDay?: number | "inherit";
}

export const deckOptionNames = [
  "parent",
  "sort",
  "sortBy",
  "sortByDirection",
  "cardsView",
  "showSides",
  "reviewReverse",
  "archived",
  "trashed",
  "retention",
  "newPerDay",
  "maxPerDay",
] as const satisfies readonly (keyof DeckOptions)[];

export function addDeckOptions(command: Command): Command {
  return command
    .option("--parent <deck>", "the deck above it (id, name or path)")
    .option("--sort <n>", "decks sort numerically by this", integer)
    .addOption(
      new Option(
        "--sort-by <k>",
        "how the service's app sorts its cards; the API has two spellings of lexicographically",
      ).choices(sortByValues),
    )
    .option("--sort-by-direction", "sort its cards the other way round there")
    .addOption(new Option("--cards-view <k>", "how the app shows its cards").choices(cardsViewValues))
    .option("--show-sides", "show all sides of its cards there")
    .option("--review-reverse", "review its cards in both directions: also from the last side to the first")
    .option("--archived", "archive it: its cards are neither new nor due")
    .option(
      "--retention <share>",
      "how many of its cards are to be remembered: 0.7 to 0.99",
      orInherit(share),
    )
    .option("--new-per-day <n>", "how many of its new cards a day", orInherit(wholeNumber(0)))
    .option(
      "--max-per-day <n>",
      "how many of its cards a day, those of decks under it included",
      orInherit(wholeNumber(0)),
    )
    .option("--trashed <when>", "put it in the trash as of then (ISO timestamp, today, -1w)");
}

/** Watches for `--parent` and `--no-parent` together: the last of them would win without a word. */
export function refuseTwoParents(command: Command): Command {
  const given = new Set<string>();
  for (const name of ["parent", "no-parent"])
    command.on(`option:${name}`, () => {
      if (given.add(name).size === 2) command.error("error: --parent and --no-parent exclude each other");
    });
  return command;
}

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
  const set = (name: keyof typeof deckSettings, value: number | "inherit" | undefined) =>
    value === undefined ? {} : { [name]: value === "inherit" ? null : value };
  const body: DeckUpdate = {
    ...set("retention", options.retention),
    ...set("new-per-day", options.newPerDay),
    ...set("max-per-day", options.maxPerDay),
  };
  const [first] = Object.keys(body);
  if (first !== undefined && !(await (await context.client()).service.has("deck-settings")))
    throw new UsageError(`this service has no --${first} of a deck: the API has none`, {
      hint: `\`deckhand config set review.${first}\` sets it for all decks.`,
    });
  return body;
}

/** The body that the options give: what is not named is not in it. */
export async function deckBody(options: DeckOptions, context: Context): Promise<DeckUpdate> {
  return {
    ...(options.parent === undefined ? {} : { "parent-id": await parentFrom(options.parent, context) }),
    ...(options.sort === undefined ? {} : { sort: options.sort }),
    ...(options.sortBy === undefined ? {} : { "sort-by": options.sortBy }),
    ...(options.sortByDirection === undefined ? {} : { "sort-by-direction": options.sortByDirection }),
    ...(options.cardsView === undefined ? {} : { "cards-view": options.cardsView }),
    ...(options.showSides === undefined ? {} : { "show-sides?": options.showSides }),
    ...(options.reviewReverse === undefined ? {} : { "review-reverse?": options.reviewReverse }),
    ...(options.archived === undefined ? {} : { "archived?": options.archived }),
    ...(options.trashed === undefined
      ? {}
      : { "trashed?": new Date(instantFrom(options.trashed, "--trashed", context)).toJSON() }),
    ...(await settingsFrom(options, context)),
  };
}

async function parentFrom(parent: string | false, context: Context): Promise<string | null> {
  if (parent === false) return null;
  const { id } = await findDeck(parent, context);
  await warnIfKeptBack({ id, label: await deckLabel(id, context) }, context);
  return id;
}

/** @throws UsageError for a name that the service would refuse */
export function assertName(name: string): void {
  if (name.trim() === "") throw new UsageError("a deck's name cannot be blank");
}
