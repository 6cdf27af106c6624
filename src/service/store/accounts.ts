import type { SchedulePut } from "../../schema/index.ts";
import { type Db, same, type Tables } from "./tables.ts";

/** What is set for an account's days; null where the service's default holds. */
export interface AccountDays {
  /** An IANA name. */
  readonly timeZone: string | null;
  /** Minutes after midnight. */
  readonly startsAt: number | null;
}

/** @returns undefined if nothing was ever set for the account */
export async function accountDays(db: Db, account: string): Promise<AccountDays | undefined> {
  const query = db.selectFrom("account").select(["time_zone", "day_starts_at"]).where(same({ account }));
  const row = await query.executeTakeFirst();
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
  await set(db, account, { time_zone: timeZone, day_starts_at: startsAt });
  return { timeZone, startsAt };
}

async function set(db: Db, account: string, values: Partial<Tables["account"]>): Promise<void> {
  await db
    .insertInto("account")
    .values({ account, ...values })
    .onConflict((conflict) => conflict.column("account").doUpdateSet(values))
    .execute();
}

/** What was set for an account's schedule. */
export type AccountSchedule = Omit<SchedulePut, "reschedule" | "preview" | "deck-id">;

export async function accountSchedule(db: Db, account: string): Promise<AccountSchedule> {
  const query = db.selectFrom("account").select("schedule").where(same({ account }));
  const row = await query.executeTakeFirst();
  return JSON.parse(row?.schedule ?? "{}") as AccountSchedule;
}

export const setAccountSchedule = (db: Db, account: string, given: AccountSchedule): Promise<void> =>
  set(db, account, { schedule: JSON.stringify(given) });
