import { type Kysely, sql } from "kysely";
import type { Tables } from "../../tables.ts";
import type { Claim, TurnRefusal, Turns } from "../engine.ts";

// Leases are measured by the clock of the database, which all servers share.
const clock = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/**
 * One row an account in an unlogged table: turns need not survive a crash of the database. A row is claimed in one
 * statement; a lock of the session would be lost or kept behind a pooler.
 */
export class TurnTable implements Turns {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async take(account: string, { holder, lease, burst }: Claim): Promise<TurnRefusal | undefined> {
    const recent = burst === undefined ? sql`'{}'` : sql`array[${burst.now}::bigint]`;
    const before =
      burst === undefined
        ? sql`'{}'::bigint[]`
        : sql`array(select at from unnest(turn.recent) at where at > ${burst.since} and at <= ${burst.now} order by at)`;
    const most = burst?.requests ?? 1;
    const taken = await sql`
      insert into turn (account, holder, until, recent)
      values (${account}, ${holder}, ${clock} + ${lease}::bigint, ${recent})
      on conflict (account) do update
      set holder = excluded.holder, until = excluded.until, recent = ${before} || excluded.recent
      where (turn.until <= ${clock} or turn.holder = excluded.holder) and cardinality(${before}) < ${most}
      returning 1`.execute(this.#db);
    if (taken.rows.length > 0) return undefined;
    return burst === undefined ? { reason: "active" } : this.#refusal(account, burst);
  }

  async #refusal(account: string, burst: NonNullable<Claim["burst"]>): Promise<TurnRefusal> {
    const found = await sql<{ free: boolean; recent: number[] }>`
      select until <= ${clock} as free, recent from turn where account = ${account}`.execute(this.#db);
    const row = found.rows[0];
    if (row === undefined || !row.free) return { reason: "active" };
    const counted = row.recent.filter((at) => at > burst.since && at <= burst.now).sort((a, b) => a - b);
    const oldest = counted[counted.length - burst.requests];
    return oldest === undefined ? { reason: "active" } : { reason: "burst", oldest };
  }

  async renew(held: ReadonlyMap<string, string>, lease: number): Promise<void> {
    await sql`
      update turn set until = ${clock} + ${lease}::bigint
      where account = any(${[...held.keys()]}) and holder = any(${[...held.values()]})`.execute(this.#db);
  }

  async give(account: string, holder: string): Promise<void> {
    await sql`update turn set until = 0, holder = '' where account = ${account} and holder = ${holder}`.execute(
      this.#db,
    );
  }
}
