import type { Client } from "../../client/index.ts";
import { DeckhandError } from "../../errors.ts";
import type { Card } from "../../schema/card.ts";

/** The tags that were set by hand. */
export async function manualTags(card: Card): Promise<string[]> {
  return (await import("../../cards/document.ts")).manualTagsOf(card);
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
    const card = await client.cards.get(id, noteTag).send();
    const conditional = tag !== undefined && (await client.service.has("conditional-writes"));
    try {
      return await change(card, conditional ? tag : undefined);
    } catch (error) {
      const changed = error instanceof DeckhandError && error.status === 412;
      if (!changed || attempt === attempts) throw error;
    }
  }
}
