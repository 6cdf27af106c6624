import { manualTagsOf } from "../../cards/document.ts";
import { inlineTags } from "../../cards/index.ts";
import type { Card, CardUpdate } from "../../schema/index.ts";
import { cardHash } from "../card-hash.ts";
import type { SourceCard } from "../model.ts";
import { noteCard } from "./known.ts";
import type { Result } from "./ledger.ts";
import { differing, hashesOf, partsOfCard, partsOfSource, updateOf } from "./parts.ts";
import type { ImportTarget } from "./target.ts";

/** `cardHash` of a card as services give it back after an update. */
export async function hashAfter(was: Card, update: CardUpdate): Promise<string> {
  const manual = update["manual-tags"] ?? (await manualTagsOf(was));
  const inline = await inlineTags(update.content ?? was.content ?? "");
  return cardHash({ ...was, ...update, tags: [...new Set([...manual, ...inline])] } as Card);
}

interface CardToUpdate {
  /** With the new ids of the cards that it names. */
  readonly card: SourceCard;
  /** `sourceHash` of the card as it was read. */
  readonly source: string;
  readonly number: number;
  /** Of the card in the account. */
  readonly id: string;
  /** Whether only the source changed it since the last import or export. */
  readonly untouched: boolean;
  readonly partial: boolean;
}

/**
 * Changes a card of the account to what the source says. The card as it was is written to the journal first, and only
 * what differs is sent; its reviews are never touched.
 */
export function updateCard(
  { client, ledger, known }: ImportTarget,
  { card, source, number, id, untouched, partial }: CardToUpdate,
): Promise<Result> {
  const wanted = partsOfSource(card, partial);
  return ledger.perform({
    item: `card ${number} update`,
    sent: [id, wanted],
    send: async () => {
      const was = await client.cards.get(id).send();
      const there = await partsOfCard(was);
      // A sheet may have columns for some of the fields only.
      const fields = partial && wanted.fields ? { ...there.fields, ...wanted.fields } : wanted.fields;
      const parts = { ...wanted, fields };
      const update: CardUpdate = updateOf(parts, differing(hashesOf(parts), hashesOf(there)), card.trashed);
      if (Object.keys(update).length === 0) return {};
      ledger.journal?.keep({ was, to: await hashAfter(was, update), untouched });
      const now = (await client.cards.update(id, update).send()) ?? (await client.cards.get(id).send());
      return { of: id, card: noteCard(known, card.key, now, source), source };
    },
  });
}
