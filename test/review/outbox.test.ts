import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recorderOf, sessionClient } from "../../src/commands/due/recording.ts";
import type { Context } from "../../src/context/context.ts";
import { DeckhandError } from "../../src/errors.ts";
import { readHistory } from "../../src/review/session/history.ts";
import type { AnswerLine, LogLine } from "../../src/review/session/log.ts";
import { Outbox, type Outcome, openTasks } from "../../src/review/session/outbox.ts";

const ok: Outcome = { ok: true };
const later: Outcome = { ok: false, kind: "later", reason: "no answer" };
const fault: Outcome = { ok: false, kind: "fault", reason: "no (500)" };
const refusal: Outcome = { ok: false, kind: "refused", reason: "not found" };

function answer(n: number): AnswerLine {
  const at = new Date(Date.UTC(2025, 0, 1, 0, 0, n)).toISOString();
  return {
    type: "answer",
    id: `a${n}`,
    "card-id": `c${n % 3}`,
    "deck-id": "d",
    at,
    pass: "front",
    "remembered?": n % 2 === 0,
    duration: 1,
    left: n % 2,
    review: { date: at, "remembered?": n % 2 === 0, duration: 1, status: "pending" },
  };
}

/** A service that records as the extension does, whose answers are given, or lost, when a test says so. */
function service() {
  const reviews = new Map<string, number>();
  const calls: string[] = [];
  const waiting: { act: () => void; resolve: (outcome: Outcome) => void }[] = [];
  const request = (name: string, act: () => void) => {
    calls.push(name);
    return new Promise<Outcome>((resolve) => waiting.push({ act, resolve }));
  };
  return {
    reviews,
    calls,
    waiting,
    recorder: {
      send: (cardId: string, { date }: { date: string }) =>
        request(`send ${cardId} ${date}`, () => reviews.set(`${cardId} ${date}`, 1)),
      withdraw: (cardId: string, date: string) =>
        request(`withdraw ${cardId} ${date}`, () => reviews.delete(`${cardId} ${date}`)),
    },
    /** Lets the oldest request end: done or not, and with or without its answer. */
    async answer(outcome: Outcome, carriedOut = outcome.ok) {
      const next = waiting.shift();
      if (next === undefined) return;
      if (carriedOut) next.act();
      next.resolve(outcome);
      await settled();
    },
  };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

function setUp() {
  const remote = service();
  const lines: LogLine[] = [];
  let now = 0;
  const outbox = new Outbox([], {
    recorder: remote.recorder,
    note: (line) => lines.push(line),
    now: () => now,
  });
  return { remote, lines, outbox, pass: (ms: number) => (now += ms) };
}

describe("the outbox", () => {
  it("sends one review at a time, in the order of the answers, and notes each", async () => {
    const { remote, lines, outbox } = setUp();
    for (const n of [1, 2, 3]) outbox.add(answer(n));
    expect(remote.waiting).toHaveLength(1);
    for (let i = 0; i < 3; i++) await remote.answer(ok);
    expect(remote.calls.map((call) => call.split(" ")[1])).toEqual(["c1", "c2", "c0"]);
    expect(lines).toEqual([1, 2, 3].map((n) => ({ type: "sent", id: `a${n}` })));
    expect(outbox.status()).toEqual({ waiting: 0, away: undefined, refused: [] });
  });

  it("keeps what cannot be sent, and tries again with a later answer or at the end", async () => {
    const { remote, outbox, pass } = setUp();
    outbox.add(answer(1));
    await remote.answer(later);
    expect(outbox.status()).toMatchObject({ waiting: 1, away: "no answer" });
    outbox.add(answer(2));
    expect(remote.waiting).toHaveLength(0);
    pass(5000);
    outbox.add(answer(3));
    await remote.answer(later);
    const flushed = outbox.flush();
    for (let i = 0; i < 3; i++) await remote.answer(ok);
    expect((await flushed).waiting).toBe(0);
    expect(remote.reviews.size).toBe(3);
  });

  it("sends the others where the service fails at one card, and tries that one with the next chance", async () => {
    const { remote, outbox, pass } = setUp();
    for (const n of [1, 2, 3, 4]) outbox.add(answer(n));
    await remote.answer(fault);
    for (let i = 0; i < 2; i++) await remote.answer(ok);
    // Both that wait are of the card c1.
    expect(remote.waiting).toHaveLength(0);
    expect(outbox.status()).toMatchObject({ waiting: 2, away: undefined, failing: "no (500)" });
    outbox.add(answer(5));
    await remote.answer(ok);
    expect(outbox.status().waiting).toBe(2);
    pass(5000);
    outbox.add(answer(6));
    for (let i = 0; i < 3; i++) await remote.answer(ok);
    expect(outbox.status()).toEqual({ waiting: 0, refused: [] });
    expect(remote.reviews.size).toBe(6);
  });

  it("sends what comes after cards that the service always fails with, each card's in order", async () => {
    const { remote, outbox } = setUp();
    const numbers = [...Array(40).keys()];
    for (const n of numbers) outbox.add({ ...answer(n), "card-id": `c${n >> 1}` });
    const failsWith = (card: string) => Number(card.slice(1)) < 8;
    const sent: { card: string; date: string }[] = [];
    const answerAll = async () => {
      while (remote.waiting.length > 0) {
        const [, card = "", date = ""] = remote.calls.at(-1)?.split(" ") ?? [];
        if (!failsWith(card)) sent.push({ card, date });
        await remote.answer(failsWith(card) ? fault : ok);
      }
    };
    await answerAll();
    void outbox.flush();
    await answerAll();
    const others = numbers.map((n) => `c${n >> 1}`).filter((card) => !failsWith(card));
    expect(sent.map(({ card }) => card).sort()).toEqual(others.sort());
    for (const of of others) {
      const dates = sent.flatMap(({ card, date }) => (card === of ? [date] : []));
      expect(dates).toEqual(dates.toSorted());
    }
    expect(outbox.status().waiting).toBe(16);
  });

  it("sends in one run what comes after any number of cards that the service fails with", async () => {
    const { remote, outbox } = setUp();
    for (const n of [...Array(12).keys()]) outbox.add({ ...answer(n), "card-id": `card ${n}` });
    for (const outcome of [...Array<Outcome>(9).fill(fault), ok, fault, ok]) await remote.answer(outcome);
    expect(remote.waiting).toHaveLength(0);
    expect([...remote.reviews.keys()].map((key) => key.slice(0, 7))).toEqual(["card 9 ", "card 11"]);
    expect(outbox.status()).toMatchObject({ waiting: 10, away: undefined, failing: "no (500)" });
    const flushed = outbox.flush();
    for (let i = 0; i < 10; i++) await remote.answer(ok);
    expect((await flushed).waiting).toBe(0);
  });

  it("tries again after a clock was set back", async () => {
    const { remote, outbox, pass } = setUp();
    outbox.add(answer(1));
    await remote.answer(later);
    pass(-3_600_000);
    outbox.add(answer(2));
    expect(remote.waiting).toHaveLength(1);
  });

  it("sends no review that was undone before it went out", async () => {
    const { remote, lines, outbox } = setUp();
    outbox.add(answer(1));
    outbox.add(answer(2));
    outbox.takeBack(answer(2));
    for (let i = 0; i < 2; i++) await remote.answer(ok);
    expect(remote.calls.map((call) => call.split(" ")[0])).toEqual(["send", "withdraw"]);
    expect(lines.at(-1)).toEqual({ type: "withdrawn", id: "a2" });
  });

  it("withdraws what was undone while it was on its way, after it arrived", async () => {
    const { remote, lines, outbox } = setUp();
    outbox.add(answer(1));
    outbox.takeBack(answer(1));
    await remote.answer(ok);
    expect(remote.calls.at(-1)).toMatch(/^withdraw/);
    await remote.answer(ok);
    expect(remote.reviews.size).toBe(0);
    expect(lines.at(-1)).toEqual({ type: "withdrawn", id: "a1" });
    expect(outbox.status().waiting).toBe(0);
  });

  it.each(["before", "after"])(
    "withdraws what another process sent %s it was undone here, with the next session",
    async (when) => {
      const log: LogLine[] = [answer(1)];
      const remote = service();
      const open = (recorder = remote.recorder) =>
        new Outbox(openTasks(readHistory(log.map((line) => JSON.stringify(line)).join("\n"))), {
          recorder,
          note: (line) => log.push(line),
          now: () => 0,
        });
      const away = async () => later;
      const here = new Outbox([], {
        recorder: { send: away, withdraw: away },
        note: (l) => log.push(l),
        now: () => 0,
      });
      here.add(answer(0));
      await settled();
      here.add(answer(1));
      const sync = open();
      const flushed = sync.flush();
      const undo = () => {
        log.push({ type: "undone", id: "a1", at: answer(1).at });
        here.takeBack(answer(1));
      };
      if (when === "after") undo();
      await remote.answer(ok);
      await flushed;
      if (when === "before") undo();
      expect(remote.reviews.size).toBe(1);
      const next = open().flush();
      await remote.answer(ok);
      await next;
      expect(remote.reviews.size).toBe(0);
      expect(openTasks(readHistory(log.map((line) => JSON.stringify(line)).join("\n")))).toEqual([]);
    },
  );

  it("withdraws what had been sent", async () => {
    const { remote, outbox } = setUp();
    outbox.add(answer(1));
    await remote.answer(ok);
    outbox.takeBack(answer(1));
    await remote.answer(ok);
    expect(remote.reviews.size).toBe(0);
  });

  it("continues after a review that the service refuses, and reports it", async () => {
    const { remote, lines, outbox } = setUp();
    outbox.add(answer(1));
    outbox.add(answer(2));
    await remote.answer(refusal);
    await remote.answer(ok);
    expect(outbox.status()).toMatchObject({ waiting: 0, refused: [{ reason: "not found" }] });
    expect(lines[0]).toEqual({ type: "refused", id: "a1", reason: "not found" });
  });

  it("ends a flush when it is aborted, and leaves the rest for later", async () => {
    const { remote, outbox } = setUp();
    outbox.add(answer(1));
    const stop = new AbortController();
    const flushed = outbox.flush(stop.signal);
    stop.abort();
    expect((await flushed).waiting).toBe(1);
    outbox.close();
    await remote.answer(ok);
    expect(outbox.status().waiting).toBe(0);
  });

  it("brings exactly the answers that stand to the service, whatever is lost on the way and wherever it is killed", async () => {
    const steps = fc.array(
      fc.record({
        what: fc.constantFrom(
          "add",
          "add",
          "add",
          "undo",
          "answer",
          "answer",
          "lost",
          "drop",
          "fault",
          "crash",
          "time",
        ),
        n: fc.nat(30),
      }),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const remote = service();
        let lines: LogLine[] = [];
        let now = 0;
        let given = 0;
        const start = (): Outbox => {
          const from = openTasks(readHistory(lines.map((line) => JSON.stringify(line)).join("\n")));
          return new Outbox(from, {
            recorder: remote.recorder,
            note: (line) => lines.push(line),
            now: () => now,
          });
        };
        let outbox = start();
        const standing = () =>
          readHistory(lines.map((line) => JSON.stringify(line)).join("\n")).answers.flatMap((answer) => {
            const line = answer.read();
            return answer.status === "undone" || line === undefined ? [] : [line];
          });
        for (const { what, n } of all) {
          if (what === "add") {
            const line = answer(given++);
            lines.push(line);
            outbox.add(line);
          } else if (what === "undo") {
            const line = standing().at(-1);
            if (line === undefined) continue;
            lines.push({ type: "undone", id: line.id, at: line.at });
            outbox.takeBack(line);
          } else if (what === "answer") await remote.answer(ok);
          else if (what === "lost") await remote.answer(later, true);
          else if (what === "drop") await remote.answer(later, false);
          else if (what === "fault") await remote.answer(fault, n % 2 === 0);
          else if (what === "time") now += 6000;
          else {
            // Killed: a request under way may still be carried out; what was only noted may not have reached the disk.
            outbox.close();
            while (remote.waiting.length > 0) {
              const orphan = remote.waiting.shift();
              if (n % 2 === 0) orphan?.act();
            }
            const last = lines.at(-1);
            if (n % 3 === 0 && (last?.type === "sent" || last?.type === "withdrawn"))
              lines = lines.slice(0, -1);
            outbox = start();
          }
        }
        const flushed = outbox.flush();
        while (outbox.status().waiting > 0) {
          await remote.answer(ok);
          if (remote.waiting.length === 0) void outbox.flush();
        }
        await flushed;
        const expected = standing().map((line) => `${line["card-id"]} ${line.review?.date}`);
        expect([...remote.reviews.keys()].sort()).toEqual(expected.sort());
      }),
      { numRuns: 300 },
    );
  });
});

it("repeats no request of many while the service fails at each", async () => {
  const retries: (number | undefined)[] = [];
  let fails = true;
  const http = {
    async call(_operation: unknown, input: { readonly retries?: number }) {
      retries.push(input.retries);
      if (fails) throw new DeckhandError("server", "no (500)", { status: 500 });
      return { id: "c" };
    },
  };
  const context = { http: async () => http } as unknown as Context;
  const recorder = recorderOf(await sessionClient(context, 1));
  const withdraw = () => recorder.withdraw("c", "2025-01-01T00:00:00.000Z");
  expect(await withdraw()).toMatchObject({ kind: "fault" });
  await withdraw();
  fails = false;
  await withdraw();
  await withdraw();
  expect(retries).toEqual([1, 0, 0, 1]);
});
