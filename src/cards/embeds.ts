import type { Card } from "../schema/card.ts";
import type { Template } from "../schema/template.ts";
import { inlines } from "./nodes.ts";
import { type Presentation, type PresentInput, presentCard } from "./passes.ts";

/** A card that another card embeds (docs/design/cards.md, `![[card-id]]`). */
export interface EmbeddedCard {
  readonly name: string | undefined;
  readonly presentation: Presentation;
}

/** The most embedded cards that are shown in one card; of others only the name is shown. */
const most = 20;

/** The ids of the cards that a card embeds, without duplicates. */
export function embedsOf({ sides }: Presentation): string[] {
  const ids = new Set<string>();
  for (const side of sides)
    if (side.source.includes("![["))
      for (const node of inlines(side.blocks)) if (node.type === "embed") ids.add(node.target);
  return [...ids].slice(0, most);
}

/**
 * Fetches the cards that a card embeds, one after the other. A card without embeds is not parsed.
 *
 * @param read returns a card with its template; where it fails, for whatever reason, only the name of the card is shown
 * @param known cards that need not be fetched; fetched cards are added to it.
 */
export async function fetchEmbeds(
  input: PresentInput,
  read: (id: string) => Promise<{ card: Card; template: Template | undefined }>,
  known: Map<string, EmbeddedCard>,
): Promise<void> {
  if (!JSON.stringify(input).includes("[[")) return;
  for (const id of embedsOf(presentCard(input))) {
    if (known.has(id)) continue;
    const found = await read(id).catch(() => undefined);
    if (found === undefined) continue;
    known.set(id, { name: found.card.name ?? undefined, presentation: presentCard(found) });
  }
}
