import type { Context } from "../context/context.ts";
import { instant, keyword, string } from "../schema/kinds.ts";
import { listingOf } from "../schema/resources.ts";
import { command, declare } from "./shared/command.ts";
import { allDecks, cardPages, sayCount } from "./shared/lists.ts";
import { deletePermanently, wholeDecks } from "./shared/removal.ts";

const listing = listingOf("items in the trash", {
  id: keyword({ about: "The card or deck." }),
  kind: string({ about: "card or deck." }),
  name: string({ about: "The card's name, the deck's path." }),
  "trashed?": instant({ about: "When it was trashed." }),
});

const declaredList = () =>
  declare(`List the cards and decks in the trash.

"deckhand cards restore" and "deckhand decks restore" restore them.

  deckhand trash list
  deckhand trash list -o json --jq '.[] | select(.kind == "card").id'`);

export const listCommand = command(declaredList, async (_options, context) => {
  const found = await findTrashed(context);
  await context.print.list(listing, found);
  sayCount(found.length, listing.name, context);
});

const declaredEmpty = () =>
  declare(`Delete everything in the trash permanently: cards, and decks with all decks and cards under them.

  deckhand trash empty
  deckhand trash empty --dry-run
  deckhand trash empty --yes`).option("--fail-fast", "stop at the first item that fails");

export const emptyCommand = command(declaredEmpty, async (options, context) => {
  const found = await findTrashed(context);
  if (found.length === 0) return context.io.note("The trash is empty");
  const ids = (kind: string) => found.filter((each) => each.kind === kind).map(({ id }) => id);
  const { cards, decks } = await wholeDecks(ids("deck"), context);
  const named = found.map(({ kind, name, id }) => `${kind} ${name || id}`);
  await deletePermanently(
    { cards: [...new Set([...cards, ...ids("card")])], decks },
    named,
    options,
    context,
  );
});

/** What is in the trash: decks first, then cards. */
async function findTrashed(context: Context) {
  const client = await context.client();
  const names = await context.names();
  const found: { id: string; kind: string; name: string | null; "trashed?": string | null }[] = [];
  const decks = await allDecks(context, { now: true });
  for (const { id, trashed } of decks) {
    if (!trashed) continue;
    const { "trashed?": date = null } = await client.decks.get(id);
    found.push({ id, kind: "deck", name: (await names.path(id)) ?? null, "trashed?": date });
  }
  for await (const page of cardPages(context))
    for (const card of page)
      if (card["trashed?"] != null)
        found.push({ id: card.id, kind: "card", name: card.name ?? null, "trashed?": card["trashed?"] });
  return found;
}
