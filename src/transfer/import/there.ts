import { documentOf, hashOfDocument } from "../../cards/document.ts";
import type { Client } from "../../client/index.ts";
import { DeckhandError } from "../../errors.ts";
import type { Stage } from "./stage.ts";
import { comparable, frontHash, shortHash } from "./wanted.ts";

/** A card of the account. */
export interface ThereRow {
  readonly id: string;
  /** `hashOfDocument` of it. */
  readonly hash: string;
  /** A `CardDocument`. */
  readonly document: string;
  readonly trashed: string | null;
  readonly updated: string | null;
  /** When it was reviewed last (ISO 8601; "" for never). */
  readonly reviewed: string;
}

interface ThereOptions {
  readonly client: Client;
  readonly decks: ReadonlyMap<string, string>;
  readonly deck: string | undefined;
  readonly progress: (cards: number) => void;
}

/**
 * The cards that may be of the source: all, where it has ids of its own; else those of its decks.
 *
 * @returns false if there are none
 */
export async function readThere(
  stage: Stage,
  { client, decks, deck, progress }: ThereOptions,
): Promise<boolean> {
  const keyed = stage.value<number>("select exists (select 1 from source where length(key) >= 8)") === 1;
  const own = new Set(decks.values());
  if (deck !== undefined && stage.value("select exists (select 1 from source where deck is null)") === 1)
    own.add(deck);
  let read = 0;
  for (const deckId of keyed ? [undefined] : own)
    try {
      for await (const { docs } of client.cards.pages({ deckId })) {
        for (const card of docs) {
          const document = await documentOf(card);
          const compared = comparable(document);
          stage.run(
            "insert or ignore into there values (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)",
            card.id,
            document.deck,
            frontHash(compared) ?? null,
            shortHash(compared.content),
            hashOfDocument(document),
            JSON.stringify(document),
            card["trashed?"] ?? null,
            card["updated-at"] ?? null,
            (card.reviews ?? [])
              .map(({ date }) => date ?? "")
              .toSorted()
              .at(-1) ?? "",
          );
        }
        read += docs.length;
        progress(read);
      }
    } catch (error) {
      // A deck that the service does not know has no cards; creating one there will say so.
      if (!(error instanceof DeckhandError && error.code === "not-found")) throw error;
    }
  return read > 0;
}
