import { describe, expect, it } from "vitest";
import { readHistory } from "../../src/review/session/history.ts";
import type { AnswerLine, LogLine } from "../../src/review/session/log.ts";
import {
  answeredHere,
  answeredMeanwhile,
  buildQueue,
  fromService,
  type QueueSettings,
} from "../../src/review/session/queue.ts";
import { Days } from "../../src/schedule/days.ts";
import { hashOf } from "../../src/schedule/easy-days.ts";
import { Scheduler } from "../../src/schedule/index.ts";
import type { DueCard } from "../../src/schema/card.ts";

const scheduler = new Scheduler({ days: new Days({ timeZone: "UTC", startsAt: 0 }) });
const schedule = (history: Parameters<Scheduler["due"]>[0]) => scheduler.due(history);
const day = 86_400_000;
const today = Date.UTC(2025, 4, 10);
const iso = (at: number) => new Date(at).toISOString();

function card(id: string, extra: Partial<DueCard> = {}): DueCard {
  return { id, content: id, "deck-id": "d", pos: id, "new?": true, reviews: [], ...extra };
}
/** A card reviewed once, due since `days` ago. */
function dueCard(id: string, days: number, extra: Partial<DueCard> = {}): DueCard {
  const review = { date: iso(today - (days + 3) * day), due: iso(today - days * day), "remembered?": true };
  return card(id, { "new?": false, reviews: [review], ...extra });
}
function answer(
  cardId: string,
  at: number,
  more: Partial<AnswerLine> & { remembered?: boolean } = {},
): AnswerLine {
  const { remembered = true, ...rest } = more;
  const review = { date: iso(at), "remembered?": remembered, duration: 1, status: "pending" } as const;
  return {
    type: "answer",
    id: `${cardId}-${at}`,
    "card-id": cardId,
    "deck-id": "d",
    at: iso(at),
    pass: "forward",
    "remembered?": remembered,
    duration: 1,
    left: remembered ? 0 : 1,
    review,
    ...rest,
  };
}
const without = ({ review: _, ...line }: AnswerLine): AnswerLine => line;

const log = (...lines: LogLine[]) => readHistory(lines.map((line) => JSON.stringify(line)).join("\n"));
const settings = (extra: Partial<QueueSettings> = {}): QueueSettings => ({
  history: readHistory(""),
  schedule,
  now: today + 9 * 3_600_000,
  startOfToday: today,
  endOfDay: today + day - 1,
  order: "due",
  newPerDay: 20,
  inSession: () => true,
  recall: () => 1,
  newInBacklog: true,
  newCards: "last",
  meanPerDay: 0,
  decks: [],
  random: () => 0.5,
  ...extra,
});
const ids = (due: DueCard[], extra: Partial<QueueSettings> = {}) =>
  buildQueue(due, settings(extra)).cards.map(({ id }) => id);

describe("the queue", () => {
  it("asks due reviews first, the longest due before others, then new cards as the service orders them", () => {
    expect(ids([card("new2"), dueCard("b", 1), card("new1"), dueCard("a", 5)])).toEqual([
      "a",
      "b",
      "new2",
      "new1",
    ]);
  });

  it("asks by deck and position within reviews and new cards", () => {
    const due = [
      card("n1", { "deck-id": "x" }),
      card("n2", { "deck-id": "y" }),
      dueCard("r1", 9, { "deck-id": "x", pos: "b" }),
      dueCard("r2", 1, { "deck-id": "x", pos: "a" }),
      dueCard("r3", 1, { "deck-id": "y", pos: "z" }),
    ];
    expect(ids(due, { order: "deck", decks: [{ id: "y" }, { id: "x" }] })).toEqual([
      "r3",
      "r1",
      "r2",
      "n1",
      "n2",
    ]);
  });

  it("orders by chance, with every card there once, the same all day", () => {
    const due = Array.from({ length: 30 }, (_, i) => dueCard(`c${i}`, i));
    const random = (id: string) => hashOf(`7 ${id}`);
    const order = ids(due, { order: "random", random });
    expect([...order].sort()).toEqual(due.map(({ id }) => id).sort());
    expect(order).not.toEqual(ids(due));
    expect(ids(due.toReversed(), { order: "random", random })).toEqual(order);
  });

  it("takes no more new cards than are left for today, and counts those first answered today", () => {
    const due = Array.from({ length: 10 }, (_, i) => card(`n${i}`));
    expect(ids(due, { newPerDay: 4 })).toEqual(["n0", "n1", "n2", "n3"]);
    const history = log(
      answer("x", today + 1000, { "new?": true }),
      answer("x", today + 2000, { "new?": true, pass: "reverse" }),
      answer("y", today + 3000, { "new?": true }),
      { type: "undone", id: `y-${today + 3000}`, at: iso(today + 4000) },
      answer("yesterday", today - 1000, { "new?": true }),
      answer("old", today + 5000),
    );
    expect(buildQueue(due, settings({ newPerDay: 4, history }))).toMatchObject({ plan: { held: 7 } });
    expect(ids(due, { newPerDay: 4, history })).toEqual(["n0", "n1", "n2"]);
    expect(ids(due, { newPerDay: 0 })).toEqual([]);
    expect(ids(due, { newPerDay: "all", history })).toHaveLength(10);
  });

  it("asks a new card first that was begun today, and does not count it again", () => {
    const due = ["a", "b", "c"].map((id) => card(id));
    const history = log(without(answer("b", today + 1000, { "new?": true, pass: "cloze:1", left: 1 })));
    expect(ids(due, { newPerDay: 1, history })).toEqual(["b"]);
    expect(ids(due, { newPerDay: 2, history })).toEqual(["b", "a"]);
    expect(ids(due, { newPerDay: 0, history })).toEqual(["b"]);
  });

  it("limits the cards in all, reviews before new ones", () => {
    expect(ids([card("n"), dueCard("a", 2), dueCard("b", 1)], { limit: 2 })).toEqual(["a", "b"]);
  });

  it("leaves out a card answered here until its interval has passed", () => {
    const due = [dueCard("a", 1), dueCard("b", 1)];
    const history = log(answer("a", today - 2 * day));
    expect(ids(due, { history })).toEqual(["b"]);
    const until = answeredHere(due, settings({ history })).get("a")?.until ?? "";
    expect(until).toBe(
      schedule([...(due[0]?.reviews ?? []), { date: iso(today - 2 * day), "remembered?": true }]),
    );
    const later = Date.parse(until);
    expect(ids(due, { history, now: later, startOfToday: later - 1, endOfDay: later })).toEqual(["a", "b"]);
    expect(ids(due, { history, now: later, startOfToday: later - 1, endOfDay: later - 1 })).toEqual(["b"]);
  });

  it("asks a card answered here if the service has a newer review, or the same one", () => {
    const at = today - 2 * day;
    const reviews = [{ date: iso(at + 1000), due: iso(today), "remembered?": false }];
    expect(ids([card("a", { "new?": false, reviews })], { history: log(answer("a", at)) })).toEqual(["a"]);
    expect(ids([card("a", { "new?": false, reviews })], { history: log(answer("a", at + 1000)) })).toEqual([
      "a",
    ]);
  });

  it("asks a card whose answer was undone", () => {
    const line = answer("a", today);
    expect(ids([card("a")], { history: log(line, { type: "undone", id: line.id, at: line.at }) })).toEqual([
      "a",
    ]);
  });

  it("says when a card was answered here and when it is due again", () => {
    const answered = answeredHere([card("a"), card("b")], settings({ history: log(answer("a", today)) }));
    expect([...answered]).toEqual([["a", { at: iso(today), until: iso(today + 2.5 * day) }]]);
  });

  it("counts a card answered here before as a review, not as new", () => {
    const history = log(answer("a", today - 40 * day));
    expect(ids([card("n"), card("a")], { history, newPerDay: 1 })).toEqual(["a", "n"]);
  });

  it("goes on with the passes of a card that a session left half answered", () => {
    const now = today + 9 * 3_600_000;
    const history = log(
      without(answer("half", now - 1000, { pass: "cloze:1", left: 1 })),
      without(answer("done", now - 3000, { pass: "cloze:1", left: 1 })),
      answer("done", now - 2000, { pass: "cloze:2" }),
      without(answer("old", now - 13 * 3_600_000, { pass: "cloze:1" })),
    );
    expect(buildQueue([card("half")], settings({ history })).resumed).toMatchObject({
      half: { passes: { "cloze:1": true } },
    });
  });

  it("asks a card that was forgotten in the evening from its first pass in the morning", () => {
    const evening = today - 2 * 3_600_000;
    const morning = today + 7 * 3_600_000;
    const pass = (at: number, pass: string, left = 1) => without(answer("a", at, { pass, left }));
    const forgotten = [
      answer("a", evening, { pass: "cloze:1", remembered: false }),
      pass(evening + 1000, "cloze:1"),
      pass(evening + 2000, "cloze:2", 0),
    ];
    const resumed = (...lines: AnswerLine[]) =>
      buildQueue([card("a")], settings({ history: log(...lines), now: morning })).resumed;
    expect(resumed(...forgotten)).toEqual({});
    expect(resumed(...forgotten, pass(morning - 1000, "cloze:1"))).toMatchObject({
      a: { passes: { "cloze:1": true } },
    });
    // Also where the review lies longer back than what is gone on with.
    const earlier = answer("a", morning - 13 * 3_600_000, { pass: "cloze:1", remembered: false });
    expect(resumed(earlier, ...forgotten.slice(1))).toEqual({});
  });

  it("asks first what was forgotten today and not remembered since, without a second review", () => {
    const now = today + 9 * 3_600_000;
    const forgot = (id: string, at: number, left: number) => answer(id, at, { remembered: false, left });
    const again = (id: string, at: number, left: number) => without(answer(id, at, { left }));
    const history = log(
      forgot("back", now - 9000, 1),
      forgot("done", now - 8000, 1),
      again("done", now - 7000, 0),
      forgot("half", now - 6000, 2),
      again("half", now - 5000, 1),
      forgot("elsewhere", now - 4000, 1),
      answer("yesterday", today - 1000, { remembered: false, left: 1 }),
    );
    const inSession = ({ id }: { id: string }) => id !== "elsewhere";
    const queue = buildQueue([dueCard("due", 1)], settings({ history, inSession }));
    expect(queue.cards.map(({ id }) => id)).toEqual(["back", "half", "due"]);
    expect(queue.resumed["back"]).toMatchObject({ passes: { forward: false }, review: false });
    expect(queue.resumed["half"]).toMatchObject({ passes: { forward: true }, review: false });
    expect(queue.resumed["done"]).toBeUndefined();
  });

  it("asks no more cards than the day takes, those answered today counted, but all that come back", () => {
    const now = today + 9 * 3_600_000;
    const history = log(
      answer("x", now - 9000, { left: 0 }),
      answer("y", now - 8000, { remembered: false, left: 1 }),
    );
    const due = [dueCard("a", 3), dueCard("b", 2), card("n")];
    expect(ids(due, { history, maxPerDay: 3 })).toEqual(["y", "a"]);
    expect(buildQueue(due, settings({ history, maxPerDay: 3 })).plan.left).toBe(1);
    expect(ids(due, { history, maxPerDay: 1 })).toEqual(["y"]);
  });

  it("asks the cards first that are least, or most, likely to be recalled", () => {
    const chances: Record<string, number> = { a: 0.9, b: 0.4, c: 0.7 };
    const due = ["a", "b", "c"].map((id, index) => dueCard(id, index + 1));
    const byDate = new Map(due.map((each) => [each.reviews?.[0]?.date, each.id]));
    const recall = ([review]: readonly { date?: string | null | undefined }[]) =>
      chances[byDate.get(review?.date ?? "") ?? ""] ?? 1;
    expect(ids([card("n"), ...due], { order: "hardest", recall })).toEqual(["b", "c", "a", "n"]);
    expect(ids([card("n"), ...due], { order: "easiest", recall })).toEqual(["a", "c", "b", "n"]);
  });

  it("treats a card as answered meanwhile if it has a later review than was known, and is not due now", () => {
    const now = today + 9 * 3_600_000;
    const review = (at: number, due: number) => ({ date: iso(at), due: iso(due), "remembered?": true });
    const before = [review(today - 3 * day, today)];
    const meanwhile = (...reviews: object[]) => answeredMeanwhile(reviews, before, now);
    expect(meanwhile(...before, review(now - 1000, now + day))).toBe(true);
    expect(meanwhile(...before)).toBe(false);
    expect(meanwhile(review(today - 3 * day + 999, now + day))).toBe(false);
    expect(meanwhile(...before, review(today - day, now - 1000))).toBe(false);
    expect(meanwhile(...before, { date: null }, {})).toBe(false);
    expect(answeredMeanwhile([review(now, now + day)], [], now)).toBe(true);
  });

  it("leaves out what was put off today, until the next day or until that is taken back", () => {
    const due = [dueCard("a", 1), dueCard("b", 1)];
    const off = (at: number, off = true) => ({ type: "put-off", "card-id": "a", at: iso(at), off }) as const;
    expect(ids(due, { history: log(off(today + 1000)) })).toEqual(["b"]);
    expect(ids(due, { history: log(off(today - 1000)) })).toEqual(["a", "b"]);
    expect(ids(due, { history: log(off(today + 1000), off(today + 2000, false)) })).toEqual(["a", "b"]);
  });

  it("asks the easiest first and begins no new cards where more is due than the usual day holds", () => {
    const due = [...Array.from({ length: 60 }, (_, i) => dueCard(`r${i}`, i)), card("n")];
    const usual = { order: undefined, newInBacklog: false };
    const { plan } = buildQueue(due, settings(usual));
    expect(plan).toMatchObject({ order: "easiest", backlog: true, left: 0, held: 1 });
    expect(buildQueue(due, settings({ ...usual, meanPerDay: 40 })).plan).toMatchObject({
      order: "due",
      backlog: false,
      held: 0,
    });
  });

  it("of the service leaves out what only the log knows to be answered, and goes on with what was forgotten", () => {
    const now = today + 9 * 3_600_000;
    const forgot = [{ date: iso(now - 9000), due: iso(today + day), "remembered?": false }];
    const again = (id: string) => ({ ...card(id, { "new?": false, reviews: forgot }), asked: "again" });
    const history = log(
      answer("sent", now - 8000),
      answer("back", now - 9000, { remembered: false, left: 1 }),
      answer("done", now - 9000, { remembered: false, left: 1 }),
      without(answer("done", now - 7000, { left: 0 })),
    );
    const asked = [again("back"), again("done"), again("elsewhere"), dueCard("sent", 1), dueCard("due", 1)];
    const queue = fromService(asked, settings({ history }));
    expect(queue.cards.map(({ id }) => id)).toEqual(["back", "elsewhere", "due"]);
    expect(queue.settled).toEqual(["done"]);
    expect(queue.resumed).toMatchObject({
      back: { passes: { forward: false }, review: false },
      elsewhere: { passes: {}, review: false },
    });
  });

  it("of the service asks again what another machine forgot, whatever this one answered before", () => {
    const now = today + 9 * 3_600_000;
    const again = ["decided", "half", "twice"].map((id) => ({
      ...card(id, {}),
      reviews: [],
      asked: "again",
    }));
    const history = log(
      answer("decided", now - 9000, { left: 0 }),
      without(answer("half", now - 9000, { pass: "cloze:1", left: 1 })),
      without(answer("twice", now - 9000, { remembered: false, left: 1 })),
    );
    const queue = fromService(again, settings({ history, schedule: () => undefined }));
    expect(queue.cards.map(({ id }) => id)).toEqual(["decided", "half", "twice"]);
    expect(queue.settled).toEqual([]);
    expect(queue.resumed).toEqual({
      decided: { passes: {}, review: false },
      half: { passes: { "cloze:1": true }, review: false },
      twice: { passes: { forward: false }, review: false },
    });
  });

  it("accepts cards without reviews, positions and dates", () => {
    const odd = { id: "odd", reviews: [{ date: null }, { date: "x" }] } as unknown as DueCard;
    expect(ids([odd, { id: "bare" } as DueCard])).toEqual(["odd", "bare"]);
  });
});
