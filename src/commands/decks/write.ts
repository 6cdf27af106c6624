import type { Context } from "../../context/context.ts";
import { isTrashed } from "../../decks/lines.ts";
import { exactForm, joinPath, splitPath } from "../../decks/match.ts";
import { DeckhandError, UsageError } from "../../errors.ts";
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

  deckhand decks create Languages/Spanish/Verbs
  deckhand decks create Italian --parent Languages --sort 3 --retention 0.85
  deck=$(deckhand decks create Later --archived)`)
    .argument("<name>", "its name or path, created where it is missing; \\/ is a slash in a name")
    .option("--force", "also where there is a deck of the same name at the same place");

export const createCommand = command(declared, async (name, options, context) => {
  assertCanCreate(name);
  const body = await deckBody(options, context);
  const names = namesIn(name);
  const created = await whileOthersCreateNone(context, async (): Promise<Change> => {
    const given = body["parent-id"] ?? undefined;
    const root = given === undefined ? "" : ((await (await context.names()).path(given)) ?? "");
    if (!options.force) await refuseSecond(`${root}/${joinPath(names)}`, context);
    const above = `${root}/${joinPath(names.slice(0, -1))}`;
    const found =
      names.length > 1 ? await deckOrMissing({ deck: above, createDeck: true }, context) : undefined;
    const parent = found?.missing ? await createDecks(found.missing, context) : (found?.id ?? given);
    const within = parent === undefined ? {} : { "parent-id": parent };
    const own = names.at(-1) ?? "";
    const deck = await (await context.client()).decks.create({ ...body, name: own, ...within });
    await noteDeck(deck.id, deck, context);
    const place = names.length > 1 ? above.replace(/^\//, "") : root;
    const sentence = `Created deck ${own} (${deck.id})${place === "" ? "" : ` in ${place}`}`;
    return { id: deck.id, document: deck, sentence };
  });
  await printChanges(context, listings.deck, [created], false);
});

/** @throws DeckhandError where there is such a deck: neither of the two could be named without its id */
async function refuseSecond(path: string, context: Context): Promise<void> {
  const names = await context.names();
  try {
    const found = await names.deck(path, { again: true });
    if (exactForm(found.name) !== exactForm(splitPath(path).at(-1) ?? "")) return;
    if (isTrashed(await names.line(found.id))) return;
  } catch (error) {
    if (error instanceof DeckhandError && error.code === "not-found") return;
    // There are several already.
    if (!(error instanceof UsageError)) throw error;
  }
  throw new DeckhandError("refused", `there is a deck ${path.replace(/^\//, "")} already`, {
    hint: "--force creates a second one; both then need their ids.",
  });
}

const declaredUpdate = () =>
  declareDeck(`Change decks: only what the options name.

  deckhand decks update Geography/Europe --name "The old world"
  deckhand decks update Geography --retention 0.85 --new-per-day inherit
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

export const updateCommand = command(declaredUpdate, async (args, options, context) => {
  const { name } = options;
  if (name !== undefined && areSeveral(args)) throw new UsageError("--name takes exactly one deck");
  if (name !== undefined) assertName(name);
  const body = { ...defined({ name }), ...(await deckBody(options, context)) };
  if (Object.keys(body).length === 0)
    throw new UsageError("nothing to change", { hint: 'See "deckhand decks update --help".' });
  const { decks } = await context.client();
  await changeEach(args, options, context, listings.deck, async (text) => {
    const { id, label } = await findDeck(text, context);
    const document = await decks.update(id, body);
    await noteDeck(id, document, context);
    const renamed = name === undefined ? "" : `: its name is ${name} now`;
    return { id, document, sentence: `Updated ${label}${renamed}` };
  });
});
