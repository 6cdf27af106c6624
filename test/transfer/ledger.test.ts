import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type DeckhandError, NetworkError, ServiceError, UsageError } from "../../src/errors.ts";
import { Journal } from "../../src/transfer/import/journal.ts";
import { Ledger } from "../../src/transfer/import/ledger.ts";
import { temporaryFolder } from "../support/service.ts";

describe("a journal", () => {
  test("settles what may have been created by asking the service, and only then sends again", async () => {
    const path = join(await temporaryFolder(), "journal");
    const header = { command: "test", account: "a" };
    const journal = await Journal.open(path, header);
    let there = false;
    let sent = 0;
    const step = {
      item: "line 1",
      sent: { a: 1 },
      send: async () => {
        sent++;
        if (sent === 1) throw new NetworkError("lost", { uncertain: true });
        return { id: "second" };
      },
      settle: async () => (there ? { id: "first" } : undefined),
    };
    expect(await new Ledger(journal).perform(step)).toMatchObject({ state: "done", id: "second" });
    expect(sent).toBe(2);
    await expect(Journal.open(path, header)).rejects.toThrow(/another process \(\d+\) is using this journal/);
    journal.close();

    // Killed after the next item was sent, before its outcome was written.
    const resumed = await Journal.open(path, header);
    const ledger = new Ledger(resumed);
    there = true;
    expect(await ledger.perform(step)).toMatchObject({ id: "second", before: true });
    expect(await ledger.perform({ ...step, item: "line 2" })).toMatchObject({ id: "first", before: false });
    there = false;
    expect(await ledger.perform({ ...step, item: "line 3" })).toMatchObject({ id: "second" });
    expect(sent).toBe(3);
    expect([...resumed.ids()]).toEqual(["second", "first"]);
    resumed.close();
  });

  test("looks again in the next run for what was looked for and not found", async () => {
    const path = join(await temporaryFolder(), "journal");
    const header = { command: "test", account: "a" };
    const refusal = new ServiceError("validation", "no", { status: 422 });
    const lost = new NetworkError("lost", { uncertain: true });
    /** A run whose first sending is lost; whether the service had done it shows only at the next. */
    const run = async (sent: unknown, failure: DeckhandError, first: DeckhandError = lost) => {
      const journal = await Journal.open(path, header);
      let sendings = 0;
      const result = await new Ledger(journal).perform({
        item: "line 1",
        sent,
        send: async () => {
          throw sendings++ === 0 ? first : failure;
        },
        settle: async () => undefined,
      });
      journal.close();
      return result;
    };
    const goOn = async (sent: unknown) => {
      const journal = await Journal.open(path, header);
      const made = { send: async () => ({ id: "made now" }), settle: async () => ({ id: "made late" }) };
      const result = await new Ledger(journal).perform({ item: "line 1", sent, ...made });
      journal.close();
      return result;
    };
    for (const failure of [lost, refusal]) {
      expect(await run({ a: 1 }, failure)).toMatchObject({ state: "failed" });
      expect(await goOn({ a: 1 })).toMatchObject({ id: "made late" });
      rmSync(path);
    }
    // A run in between that was refused at once knows no better.
    await run({ a: 1 }, refusal);
    await run({ a: 1 }, refusal, refusal);
    expect(await goOn({ a: 1 })).toMatchObject({ id: "made late" });
    rmSync(path);
    // What was mended since is another thing than what may be there.
    await run({ a: 1 }, refusal);
    expect(await goOn({ a: 2 })).toMatchObject({ id: "made now" });
  });

  test("that can't be written for a moment does not take what was made for a failure", async () => {
    const path = join(await temporaryFolder(), "journal");
    const header = { command: "test", account: "a" };
    const journal = await Journal.open(path, header);
    const record = journal.record.bind(journal);
    journal.record = (outcome) => {
      journal.record = record;
      throw new UsageError(`the journal can't be written: ${outcome.item}`);
    };
    let made = 0;
    const step = {
      item: "line 1",
      sent: { a: 1 },
      send: async () => ({ id: `made ${++made}` }),
      settle: async () => (made > 0 ? { id: `made ${made}` } : undefined),
    };
    await expect(new Ledger(journal).perform(step)).rejects.toThrow("can't be written");
    journal.close();
    const resumed = await Journal.open(path, header);
    expect(await new Ledger(resumed).perform(step)).toMatchObject({ id: "made 1", found: true });
    expect(made).toBe(1);
    resumed.close();
  });
});
