import { attachment } from "./attachment.ts";
import { card, dueCard } from "./card.ts";
import { deck, deckItem } from "./deck.ts";
import { instant, type ObjectKind, object } from "./kinds.ts";
import { template } from "./template.ts";

/** What a list prints: its documents' kind, and the default columns, to which new ones are only added at the end. */
export interface Listing {
  readonly name: string;
  readonly kind: ObjectKind;
  readonly columns: readonly string[];
}

/** A due card in lists: the service's fields, and when it was answered on this machine. */
const dueItem = object({
  ...dueCard.fields,
  answered: instant({ about: "When it was answered on this machine, if the service does not know of that." }),
});

export const listings = {
  cards: { name: "cards", kind: card, columns: ["id", "deck-id", "name", "tags", "created-at"] },
  decks: { name: "decks", kind: deckItem, columns: ["id", "name", "sort"] },
  deck: { name: "deck", kind: deck, columns: ["id", "name", "sort", "parent-id", "card-count"] },
  templates: { name: "templates", kind: template, columns: ["id", "name", "pos"] },
  due: { name: "due", kind: dueItem, columns: ["id", "deck-id", "name", "new?", "answered"] },
  attachments: { name: "attachments", kind: attachment, columns: ["file-name", "size", "type"] },
} as const satisfies Record<string, Listing>;
