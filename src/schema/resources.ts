import { attachment } from "./attachment.ts";
import { card, dueCard } from "./card.ts";
import { deck, deckItem } from "./deck.ts";
import type { ObjectKind } from "./kinds.ts";
import { template } from "./template.ts";

/** What a list prints: its documents' kind, and the default columns, which only ever grow at the end (cli.md, Output). */
export interface Listing {
  readonly name: string;
  readonly kind: ObjectKind;
  readonly columns: readonly string[];
}

export const listings = {
  cards: { name: "cards", kind: card, columns: ["id", "deck-id", "name", "tags", "created-at"] },
  decks: { name: "decks", kind: deckItem, columns: ["id", "name", "sort"] },
  deck: { name: "deck", kind: deck, columns: ["id", "name", "sort", "parent-id", "card-count"] },
  templates: { name: "templates", kind: template, columns: ["id", "name", "pos"] },
  due: { name: "due", kind: dueCard, columns: ["id", "deck-id", "name", "new?"] },
  attachments: { name: "attachments", kind: attachment, columns: ["file-name", "size", "type"] },
} as const satisfies Record<string, Listing>;
