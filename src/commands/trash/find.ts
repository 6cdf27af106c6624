import type { Context } from "../../context/context.ts";
import { whileCounting } from "../shared/progress.ts";

/** A card or a deck in the trash. */
export interface Trashed {
  readonly id: string;
  readonly kind: "card" | "deck";
  readonly name: string | null;
  readonly "trashed?": string | null;
}

/** What is in the trash: decks first, then cards. */
export async function findTrashed(context: Context): Promise<readonly Trashed[]> {
  const client = await context.client();
  const names = await context.names();
  const found: Trashed[] = [];
  const decks = await whileCounting("Reading decks", context, (progress) =>
    names.decks({ now: true, progress }),
  );
  for (const { id, trashed } of decks) {
    if (!trashed) continue;
    const deck = await client.decks.get(id).send();
    found.push({
      id,
      kind: "deck",
      name: (await names.path(id)) ?? null,
      "trashed?": deck["trashed?"] ?? null,
    });
  }
  await whileCounting("Reading cards", context, async (progress) => {
    let read = 0;
    for await (const page of client.cards.pages()) {
      read += page.docs.length;
      progress(read, 0);
      for (const card of page.docs)
        if (card["trashed?"] != null)
          found.push({ id: card.id, kind: "card", name: card.name ?? null, "trashed?": card["trashed?"] });
    }
  });
  return found;
}
