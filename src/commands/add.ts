import { basename } from "node:path";
import type { Context } from "../context/context.ts";
import { hasScreen } from "../context/has-screen.ts";
import { UsageError } from "../errors.ts";
import { listings } from "../schema/resources.ts";
import { plainBody, reviewReverseOption } from "./cards/card-options.ts";
import { createCard } from "./cards/create.ts";
import { collect, collectTags, command, declare, type LooseOptionsOf } from "./shared/command.ts";
import { eachOf, printChanges } from "./shared/items.ts";
import { destinationOrNew } from "./shared/names.ts";
import { readText } from "./shared/text.ts";

const declared = () =>
  declare(`Add a card: its front and back. Without them, on a terminal, a screen adds one card after the other.

"deckhand cards create" has more options: templates, positions, your editor.

  deckhand add "Capital of Norway?" Oslo --deck Geography
  deckhand add "Capital of Kenya?" Nairobi --deck Geography/Africa --create-deck
  deckhand add "The capital of Peru is {{Lima}}" --deck Geography
  deckhand add "Whose flag is this?" Norway --deck Geography --attach flag.svg
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
      "store a file on it, shown below the front if on no side (repeatable)",
      collect,
    )
    .addOption(reviewReverseOption());

type AddOptions = LooseOptionsOf<typeof declared>;

export const addCommand = command(declared, async (front, back, given, context) => {
  const options = hasDeck(given) ? given : { ...given, deck: context.settings().deck.value };
  if (options.template !== undefined) return addByFields(options, context);
  if (front === "-" && back === undefined) return addLines(options, context);
  const isWhole = back !== undefined || (front !== undefined && hasCloze(front));
  const isDeckAsked = !hasDeck(options) && options.attach === undefined && hasScreen(context.world);
  if (front === undefined || !isWhole || isDeckAsked) return addOnScreen(front, back, options, context);
  assertDeck(options);
  return createCard({ ...options, ...(await withFiles({ front, back }, options.attach ?? [])) }, context);
});

/** Asks for each field of a template; what is left empty is left out. */
async function addByFields(options: AddOptions, context: Context): Promise<void> {
  if (!context.io.interactive)
    throw new UsageError("--template asks for the fields on a terminal", {
      hint: "`deckhand cards create --template <template> --field <name>=<value>` gives them.",
    });
  assertDeck(options);
  const names = await context.names();
  const { id } = await names.template(options.template ?? "");
  const { fields } = await (await context.client()).templates.get(id);
  const field: string[] = [];
  for (const [fieldId, each] of Object.entries(fields ?? {})) {
    const value = await context.io.ask(each?.name ?? fieldId);
    if (value !== "") field.push(`${fieldId}=${value}`);
  }
  await createCard({ ...options, field }, context);
}

async function addLines(options: AddOptions, context: Context): Promise<void> {
  if (options.attach !== undefined) throw new UsageError("--attach needs a front and a back");
  assertDeck(options);
  const deck = await destinationOrNew(options, context);
  if (deck === undefined) return;
  const lines = (await readText("-", context)).split(/\r?\n/).filter((line) => line.trim() !== "");
  const { cards } = await context.client();
  const added = eachOf(lines, {}, context, async (line) => {
    const [front = "", back] = line.split("\t").map((side) => side.trim());
    if (front === "" || (back === undefined && !hasCloze(front)))
      throw new UsageError(`no tab between front and back: ${JSON.stringify(line)}`);
    const content = back === undefined ? front : `${front}\n---\n${back}`;
    const card = await cards.create({ content, "deck-id": deck.id, ...plainBody(options) });
    return { id: card.id, document: card, sentence: `Created ${card.id} in ${deck.label}` };
  });
  await printChanges(context, listings.cards, added, true);
}

/** The view of the home screen that adds cards, in which what was given is there already. */
async function addOnScreen(
  front: string | undefined,
  back: string | undefined,
  options: AddOptions,
  context: Context,
): Promise<void> {
  if (options.attach !== undefined)
    throw new UsageError("--attach needs a front and a back", {
      hint: "It stores the file on that one card.",
    });
  if (!hasScreen(context.world))
    throw new UsageError(`missing argument "${front === undefined ? "front" : "back"}"`, {
      hint:
        front === undefined
          ? "`deckhand cards create --content-file -` creates a card of standard input, `deckhand import -` several."
          : "`deckhand cards create --content` creates a card with one side; a front with {{a cloze}} needs no back.",
    });
  const deck = await destinationOrNew(options, context);
  const { openHome } = await import("./home/home.ts");
  const adding = { deck: deck && { id: deck.id, path: deck.label }, front: front ?? "", back: back ?? "" };
  await openHome({ adding, card: plainBody(options) }, context);
}

interface Sides {
  readonly front: string;
  readonly back?: string | undefined;
}

/** The sides, with the files that neither of them names below the front. */
async function withFiles(sides: Sides, paths: readonly string[]): Promise<Sides> {
  if (paths.length === 0) return sides;
  const { mediaLink } = await import("../transfer/media.ts");
  const text = `${sides.front}\n${sides.back ?? ""}`;
  const hidden = paths
    .map((path) => basename(path).normalize("NFC"))
    .filter((name) => !text.includes(name) && !text.includes(encodeURI(name)));
  return { ...sides, front: [sides.front, ...hidden.map((name) => `![](${mediaLink(name)})`)].join("\n\n") };
}

/** A front with a deletion, not in code, is a question by itself. */
const hasCloze = (front: string): boolean => /\{\{.+?\}\}/s.test(front.replace(/`[^`]*`/g, ""));

const hasDeck = ({ deck, deckId }: AddOptions) => deck !== undefined || deckId !== undefined;

/** @throws UsageError where neither the options nor the settings name a deck */
function assertDeck(options: AddOptions): void {
  if (hasDeck(options)) return;
  throw new UsageError("no deck was given", {
    hint: "Name it with --deck, or set one for all cards: deckhand config set deck <deck>",
  });
}
