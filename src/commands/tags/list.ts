import type { Context } from "../../context/context.ts";
import { integer, object, string } from "../../schema/kinds.ts";
import type { Listing } from "../../schema/resources.ts";
import { command, declare } from "../shared/command.ts";
import { trashOf } from "../shared/names.ts";
import { sayCount } from "../shared/pages.ts";
import { whileCounting } from "../shared/progress.ts";

const listing: Listing = {
  name: "tags",
  kind: object({
    name: string({ about: "The tag." }),
    cards: integer({ about: "How many cards have it." }),
  }),
  columns: ["name", "cards"],
};

const declared = () =>
  declare(`List the tags of all cards, with how many cards have each. Cards in the trash, also with their deck, do not count.

Examples:
  deckhand tags list
  deckhand tags list -o csv > tags.csv`);

export const listCommand = command(declared, (_options, context) => listTags(context));

async function listTags(context: Context): Promise<void> {
  const client = await context.client();
  const counts = new Map<string, number>();
  const trash = trashOf(context);
  await whileCounting("Reading cards", context, async (progress) => {
    let read = 0;
    for await (const page of client.cards.pages()) {
      context.signal.throwIfAborted();
      read += page.docs.length;
      progress(read, 0);
      const tagged = page.docs.filter(({ tags = [] }) => tags !== null && tags.length > 0);
      const inTrash = await trash(tagged);
      for (const card of tagged.filter((each) => !inTrash(each)))
        for (const tag of card.tags ?? []) counts.set(tag, (counts.get(tag) ?? 0) + 1);
    }
  });
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  const tags = [...counts].map(([name, cards]) => ({ name, cards })).sort((a, b) => compare(a.name, b.name));
  await context.print.list(listing, tags);
  sayCount(tags.length, listing.name, context);
}
