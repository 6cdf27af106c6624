import type { Context } from "../../context/context.ts";
import type { CardChange, Done, Undo, UndoStep } from "../../home/ports.ts";
import { count } from "../../output/words.ts";
import { oneLine } from "../../review/panels.ts";
import type { Card, CardCreate } from "../../schema/index.ts";
import { sessionClient } from "../due/recorder.ts";
import { changeCard } from "../due/session-world.ts";
import type { FoundCards } from "./found-cards.ts";

/** Changes of cards and decks, each with what takes it back. */

/**
 * Creates a card, and not twice: our services know the creation by its id, elsewhere it is looked for where it was sent
 * before.
 *
 * @param sent `isAgain`: whether it was sent before and the answer was lost
 */
export async function createOnce(
  body: CardCreate,
  { id, isAgain }: { readonly id: string; readonly isAgain: boolean },
  context: Context,
): Promise<Card> {
  const { apply } = await import("../../client/apply/index.ts");
  const client = await context.client();
  if (isAgain && !(await client.service.has("ids")))
    for await (const { docs } of client.cards.pages({ deckId: body["deck-id"] })) {
      const made = docs.find(
        ({ content, "trashed?": trashed }) => content === body.content && trashed == null,
      );
      if (made !== undefined) return made;
    }
  async function* task() {
    yield { operation: { kind: "cards.create" as const, id, body }, tag: undefined };
  }
  for await (const { outcome } of apply(task(), { client, signal: context.signal, oneByOne: true })) {
    if (outcome.state === "refused") throw outcome.error;
    if (outcome.state === "done") return outcome.document as Card;
  }
  throw new Error("the card was not created");
}

/** From the root: `Capitals` is not one that is under another. */
export async function createDeck(path: string, context: Context): Promise<Done & { readonly id?: string }> {
  const { createMissing, deckOrMissing } = await import("../shared/names.ts");
  const found = await deckOrMissing({ deck: `/${path}`, createDeck: true }, context, true);
  if (found === undefined) return { text: "" };
  if (found.missing === undefined) return { text: `There is a deck ${oneLine(path)} already.`, id: found.id };
  const steps: UndoStep[] = [];
  const { id } = await createMissing(found, context, (deck) => {
    steps.unshift({ deck: deck.id, change: { trashed: true } });
  });
  return { id, text: `Made the deck ${oneLine(path)}.`, undo: { text: "the new deck", steps } };
}

export async function updateDeck(
  id: string,
  body: { name: string } | { "trashed?": string | null },
  context: Context,
) {
  const names = await context.names();
  const deck = await (await context.client()).decks.update(id, body).send();
  if (deck === undefined) names.forgetDeck(id);
  else names.noteDeck(deck);
}

interface Changing {
  readonly cards: FoundCards;
  readonly context: Context;
}

export async function changeAll(
  ids: readonly string[],
  change: CardChange,
  what: string,
  { cards, context }: Changing,
): Promise<Done> {
  const client = await sessionClient(context, 1);
  const steps: UndoStep[] = [];
  let failure: string | undefined;
  for (const id of ids) {
    const before = cards.get(id) ?? (await client.cards.get(id).send());
    const outcome = await changeCard(id, change, client, context);
    if (!outcome.ok) {
      failure ??= outcome.reason;
      continue;
    }
    const { after, inverse } = await changed(before, change, context);
    cards.put(after);
    steps.push({ card: id, change: inverse });
  }
  const done = `${count(steps.length, "card")} ${what}`;
  const failed = ids.length - steps.length;
  const text = failure === undefined ? `${done}; u takes it back.` : `${done}, ${failed} not: ${failure}`;
  return { text, undo: steps.length === 0 ? undefined : { text: done, steps } };
}

/** The card after a change, and what takes the change back. */
async function changed(
  card: Card,
  change: CardChange,
  { clock }: Context,
): Promise<{ readonly after: Card; readonly inverse: CardChange }> {
  if ("deck" in change)
    return { after: { ...card, "deck-id": change.deck }, inverse: { deck: card["deck-id"] ?? "" } };
  if ("archived" in change)
    return { after: { ...card, "archived?": change.archived }, inverse: { archived: !change.archived } };
  if ("trashed" in change) {
    const at = change.trashed ? new Date(clock.now()).toISOString() : null;
    return { after: { ...card, "trashed?": at }, inverse: { trashed: !change.trashed } };
  }
  if (!("tags" in change)) return { after: card, inverse: change };
  const { manualTagsOf } = await import("../../cards/document.ts");
  const manual = await manualTagsOf(card);
  const kept = manual.filter((tag) => change.tags.includes(tag) || !change.before.includes(tag));
  const tags = [...new Set([...kept, ...change.tags.filter((tag) => !change.before.includes(tag))])];
  const inText = (card.tags ?? []).filter((tag) => !manual.includes(tag));
  return { after: { ...card, tags: [...tags, ...inText] }, inverse: { tags: manual, before: tags } };
}

/** @throws what kept the first step from being made */
export async function takeBack({ steps }: Undo, { cards, context }: Changing): Promise<void> {
  const client = await sessionClient(context, 1);
  for (const step of steps) {
    if ("deck" in step) {
      const at = new Date(context.clock.now()).toISOString();
      const body = "name" in step.change ? step.change : { "trashed?": step.change.trashed ? at : null };
      await updateDeck(step.deck, body, context);
      continue;
    }
    const outcome = await changeCard(step.card, step.change, client, context);
    if (!outcome.ok) throw new Error(outcome.reason);
    const before = cards.get(step.card);
    if (before !== undefined) cards.put((await changed(before, step.change, context)).after);
  }
}
