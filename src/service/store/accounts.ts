import type { Db } from "./tables.ts";

/** What is set for an account's days; null where the service's default holds. */
export interface AccountDays {
  /** An IANA name. */
  readonly timeZone: string | null;
  /** Minutes after midnight. */
  readonly startsAt: number | null;
}

/** @returns undefined if nothing was ever set for the account */
export async function accountDays(db: Db, account: string): Promise<AccountDays | undefined> {
  const row = await db
    .selectFrom("account")
    .select(["time_zone", "day_starts_at"])
    .where("account", "=", account)
    .executeTakeFirst();
  return row && { timeZone: row.time_zone, startsAt: row.day_starts_at };
}

/** Sets what is given and keeps the rest. @returns what is set now */
export async function setAccountDays(
  db: Db,
  account: string,
  days: Partial<AccountDays>,
): Promise<AccountDays> {
  const { timeZone, startsAt } = {
    timeZone: null,
    startsAt: null,
    ...(await accountDays(db, account)),
    ...days,
  };
  const values = { time_zone: timeZone, day_starts_at: startsAt };
  await db
    .insertInto("account")
    .values({ account, ...values })
    .onConflict((conflict) => conflict.column("account").doUpdateSet(values))
    .execute();
  return { timeZone, startsAt };
}
