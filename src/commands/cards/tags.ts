import type { Card } from "../../schema/card.ts";

/** The tags that were set by hand: all of the card's tags but those inline in its content. */
export async function manualTags(card: Card): Promise<string[]> {
  const { inlineTags } = await import("../../cards/index.ts");
  const inline = new Set(await inlineTags(card.content ?? ""));
  return (card.tags ?? []).filter((tag) => !inline.has(tag));
}
