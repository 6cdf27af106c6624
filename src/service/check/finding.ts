import { sql } from "kysely";
import type { Aside } from "../../files/aside.ts";
import type { Store } from "../store/index.ts";

/** Something that is damaged. */
export interface Finding {
  readonly part: "database" | "cards" | "decks" | "templates" | "attachments" | "logs" | "sync";
  /** What is damaged: a table's row, a file, a line. */
  readonly item: string;
  readonly problem: string;
  /** The cards that depend on it. */
  readonly cards: readonly Affected[];
  /**
   * Keeps what is damaged in a folder and makes the rest whole; absent where nothing can be done.
   *
   * @returns what was done
   */
  readonly repair?: (aside: Aside) => Promise<string>;
}

export interface Affected {
  readonly id: string;
  /** Null where the card has none, or cannot be read. */
  readonly name: string | null;
}

/** All accounts that have anything. */
export async function accountsOf(store: Store): Promise<string[]> {
  const { rows } = await store.read((db) =>
    sql<{ account: string }>`
      select account from card union select account from deck union select account from template
      union select account from attachment union select account from account order by account`.execute(db),
  );
  return rows.map(({ account }) => account);
}
