import type { AccountSchedule } from "./store/accounts.ts";
import { rowById } from "./store/documents.ts";
import type { Db, DeckDocument, DeckRow } from "./store/tables.ts";

type Needed = "retention" | "new-per-day" | "new-cards" | "balance" | "easy-days";

/** How accounts learn for which nothing else is set (docs/design/review.md); without a limit a day if that is absent. */
export type Learning = { readonly [N in Needed]-?: NonNullable<AccountSchedule[N]> } & Pick<
  AccountSchedule,
  "max-per-day"
>;

export const defaultLearning: Learning = {
  retention: 0.9,
  "new-per-day": 20,
  "new-cards": "last",
  balance: true,
  "easy-days": "",
};

/** @param set what is set for the account */
export const learningBy = (set: AccountSchedule, defaults: Learning) => ({ ...defaults, ...set }) as Learning;

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
