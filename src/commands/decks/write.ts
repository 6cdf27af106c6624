import type { Command } from "commander";
import type { Context } from "../../context/context.ts";
import { isTrashed } from "../../decks/lines.ts";
import { exactForm, joinPath, splitPath } from "../../decks/match.ts";
import { DeckhandError, orElse, UsageError } from "../../errors.ts";
import type { DeckUpdate } from "../../schema/deck.ts";
import { listings } from "../../schema/resources.ts";
import { command, defined } from "../shared/command.ts";
import { areSeveral, type Change, changeEach, printChanges } from "../shared/items.ts";
import {
  assertCanCreate,
  createDecks,
  deckOrMissing,
  namesIn,
  whileOthersCreateNone,
} from "../shared/names.ts";
import { assertName, deckArgument, deckBody, declareDeck, findDeck, noteDeck } from "./deck-options.ts";

const declared = () =>
  declareDeck(`Create a deck.

Examples:
  deckhand decks create Chemistry
  deckhand decks create Languages/Spanish/Verbs
  deckhand decks create Italian --parent Languages --sort 3 --retention 0.85
  deck=$(deckhand decks create Later --archived)`)
    .argument(
      "<name>",
      "its name or path; what is missing of a path is created, and \\/ is a slash in a name",
    )
    .option("--force", "also where there is a deck of the same name at the same place");

export const createCommand = command(declared, async (name, options, context) => {
  assertCanCreate(name);
  const body = await deckBody(options, context);
  const above = body["parent-id"] ?? undefined;
  const names = namesIn(name);
  const created = await whileOthersCreateNone(context, async () => {
    const root = above === undefined ? "" : await pathOf(above, names.length === 1, context);
    if (!options.force && root !== undefined) await refuseSecond(`${root}/${joinPath(names)}`, context);
    const last = names.pop() ?? "";
    if (names.length === 0) return createIn(above, last, body, context);
    const path = `${root ?? ""}/${joinPath(names)}`;
    const found = await deckOrMissing({ deck: path, createDeck: true }, context);
    const parent = found?.missing === undefined ? found?.id : await createDecks(found.missing, context);
    return createIn(parent, last, body, context);
  });
  await printChanges(context, listings.deck, [created], false);
});

/** @param mayFail whether undefined is enough where it cannot be found out */
async function pathOf(id: string, mayFail: boolean, context: Context): Promise<string | undefined> {
  const path = async () => (await context.names()).path(id);
  return mayFail ? orElse(path(), undefined) : path();
}

async function createIn(
  parent: string | undefined,
  name: string,
  body: DeckUpdate,
  context: Context,
): Promise<Change> {
  const within = parent === undefined ? {} : { "parent-id": parent };
  const deck = await (await context.client()).decks.create({ ...body, name, ...within }).send();
  await noteDeck(deck.id, deck, context);
  const above = parent === undefined ? undefined : await pathOf(parent, true, context);
  const sentence = `Created deck ${name} (${deck.id})${above === undefined ? "" : ` in ${above}`}`;
  return { id: deck.id, document: deck, sentence };
}

/** @throws DeckhandError where there is such a deck: neither of the two could be named without its id */
async function refuseSecond(path: string, context: Context): Promise<void> {
  const names = await context.names();
  const found = await names.deck(path, { again: true }).catch((error: unknown) => {
    // There are several already.
    if (error instanceof UsageError) return "several";
    // Where decks cannot be listed, the creation is tried all the same.
    if (error instanceof DeckhandError) return undefined;
    throw error;
  });
  if (found === undefined) return;
  if (found !== "several") {
    if (exactForm(found.name) !== exactForm(splitPath(path).at(-1) ?? "")) return;
    if (isTrashed(await names.line(found.id))) return;
  }
  throw new DeckhandError("refused", `there is a deck ${path.replace(/^\//, "")} already`, {
    hint: "--force creates a second one; both then need their ids.",
  });
}

const declaredUpdate = () =>
  declareDeck(`Change decks: only what the options name.

Examples:
  deckhand decks update Geography/Europe --name "The old world"
  deckhand decks update Geography --retention 0.85 --new-per-day 10
  deckhand decks update Geography --retention inherit
  deckhand decks update Drafts --no-parent --no-archived --cards-view grid
  deckhand decks list -o id | deckhand decks update - --sort-by created-at`)
    .argument("<deck...>", deckArgument)
    .option("--name <name>", "give it another name")
    .option("--no-parent", "put it at the root")
    .option("--no-sort-by-direction", "sort its cards in the usual direction")
    .option("--no-show-sides", "show one side of its cards")
    .option("--no-review-reverse", "review its cards in one direction only")
    .option("--no-archived", "take it out of the archive")
    .option("--fail-fast", "stop at the first item that fails");

const declaredUpdateUpdate = () => refuseTwoParents(declaredUpdate());

export const updateCommand = command(declaredUpdateUpdate, async (args, options, context) => {
  const { name } = options;
  if (name !== undefined && areSeveral(args)) throw new UsageError("--name takes exactly one deck");
  if (name !== undefined) assertName(name);
  const body = { ...defined({ name }), ...(await deckBody(options, context)) };
  if (Object.keys(body).length === 0)
    throw new UsageError("nothing to change", { hint: 'See "deckhand decks update --help".' });
  const { decks } = await context.client();
  await changeEach(args, options, context, listings.deck, async (text) => {
    const { id, label } = await findDeck(text, context);
    const document = await decks.update(id, body).send();
    await noteDeck(id, document, context);
    const renamed = name === undefined ? "" : `: its name is ${name} now`;
    return { id, document, sentence: `Updated ${label}${renamed}` };
  });
});

/** Watches for `--parent` and `--no-parent` together: the last of them would win without a word. */
function refuseTwoParents<T>(declaration: T): T {
  const command = declaration as unknown as Command;
  const given = new Set<string>();
  for (const name of ["parent", "no-parent"])
    command.on(`option:${name}`, () => {
      if (given.add(name).size === 2) command.error("error: --parent and --no-parent exclude each other");
    });
  return declaration;
}
