import type { NewCards } from "../schema/today.ts";
import { type AccountSchedule, accountSchedule } from "./store/accounts.ts";
import { rowById } from "./store/documents.ts";
import type { Db, DeckDocument, DeckRow } from "./store/tables.ts";

/** How an account learns (docs/design/review.md): what is set for it, else what the program was started with. */
export interface Learning {
  /** The share of cards to be remembered when they are due. */
  readonly retention: number;
  readonly newPerDay: number;
  /** Without a limit if absent. */
  readonly maxPerDay?: number | undefined;
  readonly newCards: NewCards;
  /** Whether the day on which a card comes back is chosen by how many are due on it. */
  readonly balance: boolean;
  /** As `parseEasyDays` reads it. */
  readonly easyDays: string;
}

export const defaultLearning: Learning = {
  retention: 0.9,
  newPerDay: 20,
  newCards: "last",
  balance: true,
  easyDays: "",
};

export async function learningOf(db: Db, account: string, defaults: Learning): Promise<Learning> {
  return learningBy((await accountSchedule(db, account)) ?? {}, defaults);
}

/** @param set what is set for the account */
export function learningBy(set: AccountSchedule, defaults: Learning): Learning {
  return {
    retention: set.retention ?? defaults.retention,
    newPerDay: set["new-per-day"] ?? defaults.newPerDay,
    maxPerDay: set["max-per-day"] ?? defaults.maxPerDay,
    newCards: set["new-cards"] ?? defaults.newCards,
    balance: set.balance ?? defaults.balance,
    easyDays: set["easy-days"] ?? defaults.easyDays,
  };
}

/** The retention of a deck: its own, else that of the nearest deck above that has one; undefined for the account's. */
export async function retentionOfDeck(db: Db, account: string, deckId: string): Promise<number | undefined> {
  const seen = new Set<string>();
  for (let id: string | null = deckId; id !== null && !seen.has(id); ) {
    seen.add(id);
    const row: DeckRow | undefined = await rowById(db, "deck", account, id);
    if (row === undefined) return undefined;
    const { retention } = JSON.parse(row.document) as DeckDocument;
    if (typeof retention === "number") return retention;
    id = row.parent_id;
  }
  return undefined;
}
