import type { Context } from "../context/context.ts";
import { DeckhandError, UsageError } from "../errors.ts";
import { reviewReverseOption } from "./cards/card-options.ts";
import { createCard } from "./cards/create.ts";
import { command, declare } from "./shared/command.ts";
import { assertCanCreate, canCreate } from "./shared/create-deck.ts";
import { deckFrom } from "./shared/names.ts";
import { collect, collectTags } from "./shared/options.ts";
import { whileCounting } from "./shared/progress.ts";

interface AddOptions {
  readonly deck?: string;
  readonly deckId?: string;
  readonly createDeck?: boolean;
  readonly tag?: readonly string[];
  readonly attach?: readonly string[];
  readonly reviewReverse?: boolean;
}

export const addCommand = command(
  () =>
    declare(`Add a card: its front and back. Without them, on a terminal, it asks for one card after the other.

"deckhand cards create" has more options: templates, positions, your editor.

Examples:
  deckhand add "Capital of Norway?" Oslo --deck Geography
  deckhand add "Capital of Kenya?" Nairobi --deck Geography/Africa --create-deck
  deckhand add sol sun --deck Languages/Spanish --review-reverse
  deckhand add "The capital of Peru is {{Lima}}" --deck Geography
  deckhand add "Whose flag is this?" Norway --deck Geography --attach flag.svg
  deckhand config set deck Geography && deckhand add "Capital of Peru?" Lima`)
      .argument("[front]", "the first side")
      .argument("[back]", "the second side; not needed where the front has a cloze")
      .option("-d, --deck <deck>", "the deck (id, name or path); by default that of `config set deck`")
      .option("--deck-id <id>", "the deck, by id without a lookup")
      .option("--create-deck", "create the deck if it does not exist")
      .option("--tag <tag>", "a tag, with or without its # (repeatable, or a,b)", collectTags)
      .option(
        "--attach <file>",
        "store a file on it (repeatable); what no side shows goes below the front",
        collect,
      )
      .addOption(reviewReverseOption()),
  addCards,
);

async function addCards(
  front: string | undefined,
  back: string | undefined,
  options: AddOptions,
  context: Context,
): Promise<void> {
  const { io } = context;
  const cloze = front !== undefined && back === undefined && (await hasCloze(front));
  if (back === undefined && !cloze && !io.interactive)
    throw new UsageError(`missing argument "${front === undefined ? "front" : "back"}"`, {
      hint:
        front === undefined
          ? "`deckhand cards create --content-file -` creates a card of standard input, `deckhand import -` several."
          : "`deckhand cards create --content` creates a card with one side; a front with {{a cloze}} needs no back.",
    });
  if (front === undefined && options.attach !== undefined)
    throw new UsageError("--attach needs a front", { hint: "It stores the file on that one card." });
  let settled = { ...options, ...(await deckOption(options, context)) };
  // Before anything is typed that would be lost.
  if (back === undefined && !cloze) settled = { ...settled, createDeck: await mayCreate(settled, context) };
  const add = async (sides: Sides) =>
    createCard({ ...settled, ...(await withFiles(sides, options.attach ?? [])) }, context);
  if (front !== undefined)
    return add(cloze ? { front } : back === undefined ? await withBack(front, context) : { front, back });
  let added = 0;
  for (let typed = await io.ask(question); typed !== ""; typed = await io.ask(question)) {
    await add((await hasCloze(typed)) ? { front: typed } : await withBack(typed, context));
    added++;
  }
  if (added === 0) io.say("Nothing was added");
}

const question = "Front (empty to stop)";

/** Asks for the back. Enter alone, which may be one too many, is asked about once more. */
async function withBack(front: string, { io }: Context): Promise<Sides> {
  const back = (await io.ask("Back")) || (await io.ask("Back (Enter again for a card with one side)"));
  return back === "" ? { front } : { front, back };
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

/**
 * Whether the deck may be created: with --create-deck, or if the user says so where it does not exist.
 * @throws UsageError where it cannot be
 */
async function mayCreate(options: AddOptions, context: Context): Promise<boolean> {
  if (options.deck === undefined) return options.createDeck === true;
  if (options.createDeck) {
    assertCanCreate(options.deck);
    return true;
  }
  try {
    await deckFrom(options, context);
    return false;
  } catch (error) {
    if (!(error instanceof DeckhandError && error.code === "not-found")) throw error;
    assertCanCreate(options.deck);
    const sentence = error.message.replace(/^d/, "D");
    await context.io.confirm(`${sentence}. Create it?`, "nothing was added");
    return true;
  }
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
  const decks = await whileCounting("Reading decks", context, (progress) => names.decks({ progress }));
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
