import type { Card } from "../schema/card.ts";
import type { Template } from "../schema/template.ts";
import { inlines } from "./nodes.ts";
import { type Presentation, type PresentInput, presentCard } from "./passes.ts";

/** A card that another one shows in itself (cards.md, `![[card-id]]`). */
export interface EmbeddedCard {
  readonly name: string | undefined;
  readonly presentation: Presentation;
}

/** More than so many in one card are named only. */
const most = 20;

/** The ids of the cards that a card shows in itself, each once. */
export function embedsOf({ sides }: Presentation): string[] {
  const ids = new Set<string>();
  for (const side of sides)
    if (side.source.includes("![["))
      for (const node of inlines(side.blocks)) if (node.type === "embed") ids.add(node.target);
  return [...ids].slice(0, most);
}

/**
 * Fetches the cards that a card shows in itself, one after the other. One that embeds nothing is not even parsed.
 *
 * @param get gives a card with its template, undefined where it cannot be had: it is then named only.
 * @param known those that need not be fetched; what is fetched is added.
 */
export async function fetchEmbeds(
  input: PresentInput,
  get: (id: string) => Promise<{ card: Card; template: Template | undefined } | undefined>,
  known: Map<string, EmbeddedCard>,
): Promise<void> {
  if (!mayEmbed(input)) return;
  for (const id of embedsOf(presentCard(input))) {
    if (known.has(id)) continue;
    const found = await get(id);
    if (found === undefined) continue;
    known.set(id, { name: found.card.name ?? undefined, presentation: presentCard(found) });
  }
}

/** Whether a card's texts hold what an embed begins with; a template may put one together of its own and a field's. */
function mayEmbed({ card, template }: PresentInput): boolean {
  const values = Object.values(card.fields ?? {}).map((field) => field?.value);
  return [card.content, template?.content, ...values].some((text) => text?.includes("[[") === true);
}
