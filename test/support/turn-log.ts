import { onTestFinished } from "vitest";
import { runOn } from "./postgres.ts";

/**
 * Lets the database log who takes the turn of an account and who gives it back, in their order.
 *
 * @returns reads how often a turn was taken, and how often while another server had it
 */
export async function logTurns(url: string): Promise<() => Promise<{ taken: number; overlaps: number }>> {
  await runOn(
    url,
    `create table turn_log (id bigint generated always as identity, account text, holder text, taken boolean);
     create function log_turn() returns trigger language plpgsql as
       'begin insert into turn_log (account, holder, taken) values (new.account, new.holder, new.until > 0); return new; end';
     create trigger log_turn after insert or update on turn for each row execute function log_turn()`,
  );
  onTestFinished(async () => {
    await runOn(url, "drop trigger log_turn on turn; drop function log_turn; drop table turn_log");
  });
  return async () => {
    const events = await runOn(url, "select account, holder, taken from turn_log order by id");
    const holders = new Map<unknown, unknown>();
    let [taken, overlaps] = [0, 0];
    for (const event of events) {
      const holder = holders.get(event["account"]);
      // A lease that is renewed is no other turn.
      const isNew = event["taken"] === true && holder !== event["holder"];
      if (isNew) taken++;
      if (isNew && holder !== undefined) overlaps++;
      holders.set(event["account"], event["taken"] === true ? event["holder"] : undefined);
    }
    return { taken, overlaps };
  };
}
