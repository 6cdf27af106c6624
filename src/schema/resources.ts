import { attachment } from "./attachment.ts";
import { card, dueCard } from "./card.ts";
import { deck, deckItem } from "./deck.ts";
import { instant, integer, type ObjectKind, object, string } from "./kinds.ts";
import { template } from "./template.ts";

/** What a list prints. The default columns are part of the contract: new ones are added at the end (docs/design/cli.md). */
export interface Listing {
  readonly name: string;
  readonly kind: ObjectKind;
  readonly columns: readonly string[];
  /** Columns that the documents do not carry, computed from each. JSON has them only if --columns names them. */
  readonly derived?: Readonly<Record<string, (document: Readonly<Record<string, unknown>>) => string>>;
}

/** A list of documents of its own. @param columns all of its fields, if absent */
export const listingOf = (
  name: string,
  fields: ObjectKind["fields"],
  columns: readonly string[] = Object.keys(fields),
): Listing => ({ name, kind: object(fields), columns });

/** The state of a card or a deck; empty for an active one that was reviewed. */
export function stateOf(document: Readonly<Record<string, unknown>>): "trashed" | "archived" | "new" | "" {
  if (document["trashed?"] != null && document["trashed?"] !== false) return "trashed";
  if (document["archived?"] === true) return "archived";
  return document["new?"] === true ? "new" : "";
}

const state = string({
  // A table without it shows a card in the trash like any other.
  essential: true,
  about:
    "new, archived or trashed; in a table also in trash where the deck is trashed, and orphaned where it or a deck above it was deleted.",
});
const path = string({ about: "The path of the deck; it may cost requests." });
const due = integer({
  about: "Reviews that are asked today of the deck and of those under it; it costs requests.",
});
const fresh = integer({ about: "New cards that are asked today, the same way." });

const front = string({ about: "What the card asks: its name." });
const nextDue = instant({ day: true, about: "When it is due; empty for a new card." });
const cards = integer({ about: "The cards of the deck and of those under it; it costs requests." });

const frontOf = ({ name }: Readonly<Record<string, unknown>>): string =>
  typeof name === "string" ? name : "";

/** When a card is due by its last review; empty where it has none. */
export function dueOf({ reviews }: Readonly<Record<string, unknown>>): string {
  const last = Array.isArray(reviews) ? (reviews.at(-1) as { due?: unknown } | null | undefined) : undefined;
  return typeof last?.due === "string" ? last.due : "";
}

/** A due card in lists: the service's fields, and when it was answered on this machine. */
const dueItem = object({
  ...dueCard.fields,
  answered: instant({ about: "When it was answered on this machine, if the service does not know of that." }),
});

export const listings = {
  cards: {
    name: "cards",
    kind: object({ ...card.fields, deck: path, state, front, due: nextDue }),
    columns: ["id", "deck-id", "name", "tags", "created-at", "state", "front", "due"],
    derived: { state: stateOf, front: frontOf, due: dueOf },
  },
  decks: {
    name: "decks",
    kind: object({ ...deckItem.fields, deck: path, due, new: fresh, cards, state }),
    columns: ["id", "name", "sort", "state", "due", "new", "cards"],
    derived: { state: stateOf },
  },
  deck: {
    name: "deck",
    kind: object({ ...deck.fields, deck: path, state }),
    columns: ["id", "name", "sort", "parent-id", "card-count", "state"],
    derived: { state: stateOf },
  },
  templates: { name: "templates", kind: template, columns: ["id", "name", "pos"] },
  due: {
    name: "due",
    kind: object({ ...dueItem.fields, deck: path, front, due: nextDue }),
    columns: ["id", "deck-id", "name", "new?", "answered", "front", "due"],
    derived: { front: frontOf, due: dueOf },
  },
  attachments: { name: "attachments", kind: attachment, columns: ["file-name", "size", "type"] },
} as const satisfies Record<string, Listing>;
