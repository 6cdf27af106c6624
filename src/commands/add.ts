import type { Context } from "../context/context.ts";
import { hasScreen } from "../context/has-screen.ts";
import { UsageError } from "../errors.ts";
import { listings } from "../schema/resources.ts";
import { plainBody, reviewReverseOption } from "./cards/card-options.ts";
import { createCard } from "./cards/create.ts";
import { collect, collectTags, command, declare, type LooseOptionsOf } from "./shared/command.ts";
import { eachOf, printChanges } from "./shared/items.ts";
import { allDecks } from "./shared/lists.ts";
import { canCreate, destinationOrNew } from "./shared/names.ts";
import { textPieces } from "./shared/text.ts";

const declared = () =>
  declare(`Add a card: its front and back. Without them, on a terminal, a screen adds one card after the other.

"deckhand cards create" has more options: templates, positions, your editor.

Examples:
  deckhand add "Capital of Norway?" Oslo --deck Geography
  deckhand add "Capital of Kenya?" Nairobi --deck Geography/Africa --create-deck
  deckhand add sol sun --deck Languages/Spanish --review-reverse
  deckhand add "The capital of Peru is {{Lima}}" --deck Geography
  deckhand add "Whose flag is this?" Norway --deck Geography --attach flag.svg
  deckhand config set deck Geography && deckhand add "Capital of Peru?" Lima
  printf 'sol\\tsun\\nmar\\tsea\\n' | deckhand add - --deck Languages/Spanish`)
    .argument("[front]", "the first side; - reads a card a line: front, tab, back")
    .argument("[back]", "the second side; not needed where the front has a cloze")
    .option("-d, --deck <deck>", "the deck (id, name or path); by default that of `config set deck`")
    .option("--deck-id <id>", "the deck by id, not looked up")
    .option("--create-deck", "create the deck if it does not exist")
    .option("--template <template>", "on a terminal: ask for the fields of this template (id or name)")
    .option("--tag <tag>", "a tag, with or without its # (repeatable, or a,b)", collectTags)
    .option(
      "--attach <file>",
      "store a file on it (repeatable); what no side shows goes below the front",
      collect,
    )
    .addOption(reviewReverseOption());

type AddOptions = LooseOptionsOf<typeof declared>;

export const addCommand = command(declared, addCards);

async function addCards(
  front: string | undefined,
  back: string | undefined,
  options: AddOptions,
  context: Context,
): Promise<void> {
  if (options.template !== undefined) return addByFields(options, context);
  if (front === "-" && back === undefined) return addLines(options, context);
  const isWhole = back !== undefined || (front !== undefined && (await hasCloze(front)));
  if (front === undefined || !isWhole) return addOnScreen(front, options, context);
  const settled = { ...options, ...(await deckOption(options, context)) };
  const sides = back === undefined ? { front } : { front, back };
  return createCard({ ...settled, ...(await withFiles(sides, options.attach ?? [])) }, context);
}

/** Asks for each field of a template; what is left empty is left out. */
async function addByFields(options: AddOptions, context: Context): Promise<void> {
  if (!context.io.interactive)
    throw new UsageError("--template asks for the fields on a terminal", {
      hint: "`deckhand cards create --template <template> --field <name>=<value>` gives them.",
    });
  const settled = { ...options, ...(await deckOption(options, context)) };
  const names = await context.names();
  const { id } = await names.template(options.template ?? "");
  const { fields } = await (await context.client()).templates.get(id).send();
  const field: string[] = [];
  for (const [fieldId, each] of Object.entries(fields ?? {})) {
    const value = await context.io.ask(each?.name ?? fieldId);
    if (value !== "") field.push(`${fieldId}=${value}`);
  }
  await createCard({ ...settled, field }, context);
}

/** A card for each line of standard input. */
async function addLines(options: AddOptions, context: Context): Promise<void> {
  if (options.attach !== undefined) throw new UsageError("--attach needs a front and a back");
  const deck = await destinationOrNew({ ...options, ...(await deckOption(options, context)) }, context);
  if (deck === undefined) throw new UsageError("no deck was given");
  let text = "";
  for await (const piece of textPieces("-", context)) text += piece;
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const { cards } = await context.client();
  const added = eachOf(lines, {}, context, async (line) => {
    const [front = "", back] = line.split("\t").map((side) => side.trim());
    if (front === "" || (back === undefined && !(await hasCloze(front))))
      throw new UsageError(`no tab between front and back: ${JSON.stringify(line)}`);
    const content = back === undefined ? front : `${front}\n---\n${back}`;
    const card = await cards.create({ content, "deck-id": deck.id, ...plainBody(options) }).send();
    return { id: card.id, document: card, sentence: `Created ${card.id} in ${deck.label}` };
  });
  await printChanges(context, listings.cards, added, true);
}

/** The view of the home screen that adds cards, in which the front is there already if it was given. */
async function addOnScreen(front: string | undefined, options: AddOptions, context: Context): Promise<void> {
  const { io, world } = context;
  if (options.attach !== undefined)
    throw new UsageError("--attach needs a front and a back", {
      hint: "It stores the file on that one card.",
    });
  if (!hasScreen({ stdin: io.stdin, stdout: io.stdout, env: world.env }))
    throw new UsageError(`missing argument "${front === undefined ? "front" : "back"}"`, {
      hint:
        front === undefined
          ? "`deckhand cards create --content-file -` creates a card of standard input, `deckhand import -` several."
          : "`deckhand cards create --content` creates a card with one side; a front with {{a cloze}} needs no back.",
    });
  const named = options.deck !== undefined || options.deckId !== undefined;
  const setting = context.settings().deck.value;
  const deck = await destinationOrNew(named || setting === undefined ? options : { deck: setting }, context);
  const { openHome } = await import("./home/home.ts");
  const adding = { deck: deck && { id: deck.id, path: deck.label }, front: front ?? "" };
  await openHome({ adding, card: plainBody(options) }, context);
}

interface Sides {
  readonly front: string;
  readonly back?: string;
}

/** The sides, with what neither of them shows below the front. */
async function withFiles(sides: Sides, paths: readonly string[]): Promise<Sides> {
  if (paths.length === 0) return sides;
  const [{ mediaLink }, { compareFiles }] = await Promise.all([
    import("../transfer/media.ts"),
    import("./shared/attach-files.ts"),
  ]);
  const { front, back = "" } = sides;
  const { hidden } = await compareFiles(`${front}\n\n---\n\n${back}`, paths);
  return { ...sides, front: [front, ...hidden.map((name) => `![](${mediaLink(name)})`)].join("\n\n") };
}

/** A front with a deletion is a question by itself. */
async function hasCloze(front: string): Promise<boolean> {
  if (!front.includes("{{")) return false;
  const [{ inlines }, { parseSide }] = await Promise.all([
    import("../cards/nodes.ts"),
    import("../cards/parse.ts"),
  ]);
  return [...inlines(parseSide(front))].some(({ type }) => type === "cloze");
}

/** The deck of the options or the settings; on a terminal one of the decks there are, or the first of all. */
async function deckOption(
  options: AddOptions,
  context: Context,
): Promise<Pick<AddOptions, "deck" | "createDeck">> {
  if (options.deck !== undefined || options.deckId !== undefined) return {};
  const deck = context.settings().deck.value;
  if (deck !== undefined) return { deck };
  const hint = "Name it with --deck, or set one for all cards: deckhand config set deck <deck>";
  if (!context.io.interactive) throw new UsageError("no deck was given", { hint });
  const names = await context.names();
  const decks = await allDecks(context);
  const live = decks.filter(({ trashed }) => !trashed);
  if (decks.length > 0 && live.length === 0)
    throw new UsageError("no deck was given, and all decks are in the trash", {
      hint: "`deckhand decks restore <deck>` takes one out of it; --deck <deck> --create-deck creates another.",
    });
  if (live.length === 0) {
    const deck = await context.io.ask("There are no decks yet. Name of the deck to create (empty to stop)");
    if (deck === "") throw new UsageError("nothing was added: there are no decks yet");
    return { deck, createDeck: true };
  }
  const all = await Promise.all(
    decks.map(async ({ id, name, trashed }) => ({
      value: id,
      label: (await names.path(id)) ?? name,
      trashed,
    })),
  );
  const choices = all.filter(({ trashed }) => !trashed);
  choices.sort((a, b) => (a.label < b.label ? -1 : 1));
  const chosen = await context.io.choose("Deck", choices, (typed) => labelOfNew(typed, all));
  // By --deck, so that messages name it.
  return choices.some(({ value }) => value === chosen)
    ? { deck: chosen }
    : { deck: chosen, createDeck: true };
}

/** Undefined for what --deck would find, also in the trash, and for a blank name. */
function labelOfNew(
  typed: string,
  decks: readonly { readonly value: string; readonly label: string }[],
): string | undefined {
  const name = typed.toLowerCase();
  const found = ({ value, label }: { value: string; label: string }) =>
    value === typed || `/${label.toLowerCase()}`.endsWith(`/${name}`);
  return !canCreate(typed) || decks.some(found) ? undefined : `Create the deck ${typed}`;
}
