import type { Client } from "../client/index.ts";
import type { Context } from "../context/context.ts";
import { DeckhandError, UsageError } from "../errors.ts";
import type { Card } from "../schema/card.ts";
import { integer, string } from "../schema/kinds.ts";
import { listingOf, listings } from "../schema/resources.ts";
import { tagsFrom } from "./cards/card-options.ts";
import { command, declare } from "./shared/command.ts";
import { type EachOptions, eachOf, printChanges } from "./shared/items.ts";
import { cardPages, sayCount } from "./shared/lists.ts";
import { trashOf } from "./shared/names.ts";

const listing = listingOf("tags", {
  name: string({ about: "The tag." }),
  cards: integer({ about: "How many cards have it." }),
});

const declaredList = () =>
  declare(`List the tags of all cards, with how many cards have each. Cards in the trash, also with their deck, do not count.

  deckhand tags list
  deckhand tags list -o csv > tags.csv`);

export const listCommand = command(declaredList, async (_options, context) => {
  const counts = new Map<string, number>();
  const trash = trashOf(context);
  for await (const page of cardPages(context)) {
    const tagged = page.filter(({ tags = [] }) => tags !== null && tags.length > 0);
    const inTrash = await trash(tagged);
    for (const card of tagged.filter((each) => !inTrash(each)))
      for (const tag of card.tags ?? []) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  const tags = [...counts].map(([name, cards]) => ({ name, cards })).sort((a, b) => compare(a.name, b.name));
  await context.print.list(listing, tags);
  sayCount(tags.length, listing.name, context);
});

const declaredRename = () =>
  declare(`Rename a tag on every card that has it. A tag in the content of a card stays. Where the new name exists already, the two become one.

  deckhand tags rename europe eu
  deckhand tags rename europe eu --dry-run`)
    .argument("<tag>", "the tag as it is")
    .argument("<name>", "its new name")
    .option("--fail-fast", "stop at the first item that fails");

export const renameCommand = command(declaredRename, async (from, to, options, context) => {
  const [tag = "", name = ""] = [...tagsFrom([from]), ...tagsFrom([to])];
  if (tag === name) throw new UsageError("the two names are the same");
  await changeTags(new Set([tag]), name, options, context);
});

const declaredRemove = () =>
  declare(`Remove tags from every card that has them. A tag in the content of a card stays.

  deckhand tags remove europe
  deckhand tags remove europe capital --dry-run`)
    .argument("<tag...>", "the tags")
    .option("--fail-fast", "stop at the first item that fails");

export const removeCommand = command(declaredRemove, async (given, options, context) => {
  await changeTags(new Set(tagsFrom(given)), undefined, options, context);
});

/**
 * Changes the manual tags of cards. A tag in the content of a card stays, with a warning: the text is the user's.
 *
 * @param into the name that the old ones get; undefined where they are removed
 * @throws DeckhandError not-found for a tag that no card has
 */
async function changeTags(
  old: ReadonlySet<string>,
  into: string | undefined,
  options: EachOptions,
  context: Context,
): Promise<void> {
  const cards: string[] = [];
  const has = new Set<string>();
  for await (const page of cardPages(context))
    for (const { id, tags } of page) {
      const found = (tags ?? []).filter((tag) => old.has(tag));
      if (found.length > 0) cards.push(id);
      for (const tag of found) has.add(tag);
    }
  const unknown = [...old].find((tag) => !has.has(tag));
  if (unknown !== undefined)
    throw new DeckhandError("not-found", `no card has the tag ${JSON.stringify(unknown)}`, {
      hint: "`deckhand tags list` lists them.",
    });
  const client = await context.client();
  const changes = eachOf(cards, options, context, (id) =>
    // The list is older than the changes before this one.
    changeAsItIs(id, client, async (card, ifMatch) => {
      const before = await manualTags(card);
      for (const tag of card.tags ?? [])
        if (old.has(tag) && !before.includes(tag))
          context.io.warn(
            `the tag ${JSON.stringify(tag)} is in the content of ${id} and stays: deckhand cards edit ${id}`,
          );
      if (!before.some((tag) => old.has(tag))) return undefined;
      const after = [...new Set(before.flatMap((tag) => (old.has(tag) ? (into ?? []) : [tag])))];
      const document = await client.cards.update(id, { "manual-tags": after }, ifMatch);
      return { id, document, sentence: `Updated ${id}` };
    }),
  );
  await printChanges(context, listings.cards, changes, true);
}

export async function manualTags(card: Card): Promise<string[]> {
  return (await import("../cards/document.ts")).manualTagsOf(card);
}

/** How often a change is made again of what others made of the card meanwhile. */
const attempts = 50;

/**
 * Makes a change of what a card is now, and again where somebody else changed the card before it arrived. Only a service
 * with conditional writes notices that; elsewhere an edit in the milliseconds between is lost.
 */
export async function changeAsItIs<T>(
  id: string,
  client: Client,
  change: (card: Card, ifMatch: string | undefined) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    let tag: string | undefined;
    const noteTag = (given: string) => {
      tag = given;
    };
    const card = await client.cards.get(id, noteTag);
    const conditional = tag !== undefined && (await client.service.has("conditional-writes"));
    try {
      return await change(card, conditional ? tag : undefined);
    } catch (error) {
      const changed = error instanceof DeckhandError && error.status === 412;
      if (!changed || attempt === attempts) throw error;
    }
  }
}
