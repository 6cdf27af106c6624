import type { Context, Io } from "../../context/context.ts";
import { orElse } from "../../errors.ts";
import { shellWord } from "../../output/words.ts";
import type { Card, CardCreate, CardUpdate } from "../../schema/card.ts";
import type { NamedDeck } from "../shared/names.ts";

type Texts = Pick<Card | CardUpdate, "content" | "fields">;

/** Warns of tags in new texts that the card is shown without, as of `Vec<T>`; not of those that it had `before`. */
export async function warnOfUnseen(id: string, texts: Texts, io: Io, before: Texts = {}): Promise<void> {
  const unseen = await unseenIn(texts);
  const old = unseen.length === 0 ? [] : await unseenIn(before);
  const tags = unseen.filter((tag) => !old.includes(tag)).map(shortened);
  const [first] = tags;
  if (first === undefined) return;
  const more = tags.length > 3 ? ` and ${tags.length - 3} more` : "";
  io.warn(
    `card ${id} is shown without ${tags.slice(0, 3).join(", ")}${more}: write \\${first}, or put it in backticks`,
  );
}

/** A script or a comment, which is named whole, may be long. */
function shortened(html: string): string {
  const words = html.replace(/\s+/g, " ");
  return words.length <= 40 ? words : `${words.slice(0, 39)}…`;
}

/** Each tag once. Loads the parser only if there may be one. */
async function unseenIn({ content, fields }: Texts): Promise<string[]> {
  const texts = [content ?? "", ...Object.values(fields ?? {}).map((field) => field?.value ?? "")];
  const suspects = texts.filter((text) => /<[a-z/!?]/i.test(text));
  if (suspects.length === 0) return [];
  const [{ splitSides }, { unseenHtml }] = await Promise.all([
    import("../../cards/index.ts"),
    import("../../cards/parse.ts"),
  ]);
  return [...new Set(suspects.flatMap(splitSides).flatMap(unseenHtml))];
}

/**
 * Warns of a text given to a card of a template: its sides come from the template and its fields alone. A template that
 * was deleted, or cannot be had, is not reported.
 */
export async function warnOfTemplate(id: string, templateId: string, context: Context): Promise<void> {
  const template = await orElse((await context.client()).templates.get(templateId).send(), undefined);
  if (template === undefined) return;
  const names = Object.entries(template.fields ?? {}).map(([key, field]) => field?.name || key);
  const options = names.slice(0, 3).map((each) => `--field ${shellWord(each)}=...`);
  const instead = options.length === 0 ? "" : `; change them with ${options.join(" or ")}`;
  context.io.warn(
    `card ${id} does not show this text: its sides come from its template ${JSON.stringify(template.name ?? templateId)}${instead}`,
  );
}

/**
 * Warns of a card that asks the same as a new one, in the same deck. Only on a terminal and in the local collection:
 * scripts and accounts on the network should not pay for reading the deck. A failure to read it is ignored.
 */
export async function warnOfSameFront(
  id: string,
  body: CardCreate,
  deck: NamedDeck,
  context: Context,
): Promise<void> {
  if (context.io.stderr.isTTY !== true || context.account().kind !== "local") return;
  const same = await orElse(cardWithFront(body, deck.id, context, id), undefined);
  if (same !== undefined) context.io.warn(`card ${same} in ${deck.label} has the same front`);
}

/** The id of a card of a deck that asks the same, if there is one. @param except the id of a card that does not count */
export async function cardWithFront(
  body: CardCreate,
  deckId: string,
  context: Context,
  except?: string,
): Promise<string | undefined> {
  const { frontHashOf } = await import("../../transfer/import/wanted.ts");
  const front = frontHashOf(body);
  if (front === undefined) return undefined;
  for await (const { docs } of (await context.client()).cards.pages({ deckId })) {
    const same = docs.find(
      (card) => card.id !== except && card["trashed?"] == null && frontHashOf(card) === front,
    );
    if (same !== undefined) return same.id;
  }
  return undefined;
}
