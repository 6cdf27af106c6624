import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planToday, type TodayCard, type TodayInput } from "../../src/schedule/today.ts";

type Card = TodayCard & { readonly recall?: number | undefined };

const review = (id: string, deck = "a", recall?: number): Card => ({ id, deck, new: false, recall });
const fresh = (id: string, deck = "a"): TodayCard => ({ id, deck, new: true });
const many = (count: number, make: (id: string) => Card) =>
  Array.from({ length: count }, (_, index) => make(String(index)));

const day = (input: Partial<TodayInput<Card>>) =>
  planToday({
    cards: [],
    decks: [{ id: "a" }, { id: "b" }, { id: "c", parent: "b" }],
    done: [],
    again: [],
    putOff: new Set(),
    newPerDay: 20,
    newCards: "last",
    meanPerDay: 0,
    recall: ({ recall = 1 }) => recall,
    random: (id) => Number(id),
    ...input,
  });
const ids = (input: Partial<TodayInput<Card>>) => day(input).queue.map(({ id }) => id);

describe("the new cards of a day", () => {
  test("are taken from the decks in turn, so that a large deck does not keep a small one waiting", () => {
    const cards = [...many(400, (id) => fresh(`a${id}`)), ...many(5, (id) => fresh(`b${id}`, "b"))];
    expect(ids({ cards, newPerDay: 6 })).toEqual(["a0", "b0", "a1", "b1", "a2", "b2"]);
    expect(ids({ cards }).filter((id) => id.startsWith("b"))).toHaveLength(5);
    expect(day({ cards }).held).toBe(385);
  });

  test("are fewer by those that were begun today", () => {
    expect(ids({ cards: many(9, fresh), newPerDay: 5, done: [{ deck: "a", reviews: 7, new: 3 }] })).toEqual([
      "0",
      "1",
    ]);
  });

  test.each([
    ["first", "n0 n1 r0 r1 r2 r3"],
    ["mixed", "r0 n0 r1 n1 r2 r3"],
    ["last", "r0 r1 r2 r3 n0 n1"],
  ] as const)("come %s", (newCards, expected) => {
    const cards = [...many(4, (id) => review(`r${id}`)), ...many(2, (id) => fresh(`n${id}`))];
    expect(ids({ cards, newCards }).join(" ")).toBe(expected);
  });

  test("are not begun in a backlog, until it is worked off, unless they are asked for", () => {
    const cards = [...many(51, (id) => review(`r${id}`)), fresh("n")];
    expect(day({ cards })).toMatchObject({ backlog: true, order: "easiest", held: 1, left: 0 });
    expect(ids({ cards, newInBacklog: true })).toContain("n");
    expect(ids({ cards: [fresh("n")], done: [{ deck: "a", reviews: 51, new: 0 }] })).toEqual(["n"]);
  });
});

describe("a backlog", () => {
  test("is more than twice the usual day, counting what was done today", () => {
    const cards = many(60, review);
    expect(day({ cards, meanPerDay: 30 }).backlog).toBe(false);
    expect(day({ cards, meanPerDay: 20 }).backlog).toBe(true);
    expect(day({ cards, meanPerDay: 30, done: [{ deck: "a", reviews: 1, new: 0 }] }).backlog).toBe(true);
  });

  test("of a limit takes the cards that are most likely to be recalled, and counts the others", () => {
    const cards = [review("low", "a", 0.2), review("high", "a", 0.9), review("middle", "a", 0.5)];
    const plan = day({ cards, maxPerDay: 2 });
    expect(plan.queue.map(({ id }) => id)).toEqual(["high", "middle"]);
    expect(plan).toMatchObject({ backlog: true, order: "easiest", left: 1 });
    expect(ids({ cards, maxPerDay: 2, order: "hardest" })).toEqual(["low", "middle"]);
    expect(ids({ cards, maxPerDay: 2, order: "due" })).toEqual(["low", "high"]);
  });

  test("of one deck keeps only its own new cards back", () => {
    const decks = [{ id: "a" }, { id: "b", maxPerDay: 2 }, { id: "c", parent: "b" }];
    const cards = [...many(3, (id) => review(id, "c")), fresh("x", "a"), fresh("y", "c")];
    const plan = day({ decks, cards });
    expect(plan.queue.map(({ id }) => id)).toEqual(["0", "1", "x"]);
    expect(plan).toMatchObject({ backlog: false, left: 1, held: 1 });
  });
});

test("a deck's limit holds for the decks under it together", () => {
  const decks = [
    { id: "b", newPerDay: 3 },
    { id: "c", parent: "b", newPerDay: 2 },
    { id: "d", parent: "b" },
  ];
  const cards = [...many(9, (id) => fresh(`c${id}`, "c")), ...many(9, (id) => fresh(`d${id}`, "d"))];
  expect(ids({ decks, cards })).toEqual(["c0", "d0", "c1"]);
});

test("what was forgotten comes first and is never limited; what was put off does not come", () => {
  const again = [
    { id: "x", deck: "a" },
    { id: "off", deck: "a" },
  ];
  const plan = day({ again, cards: [review("1"), review("2")], maxPerDay: 0, putOff: new Set(["off", "1"]) });
  expect(plan.queue).toEqual([{ id: "x", deck: "a", kind: "again" }]);
  expect(plan.decks.get("a")).toEqual({ reviews: 0, new: 0, forgotten: 1 });
});

test("decks whose parents go round in a circle end nothing", () => {
  const decks = [
    { id: "a", parent: "b", newPerDay: 1 },
    { id: "b", parent: "a" },
  ];
  expect(ids({ decks, cards: many(3, fresh) })).toEqual(["0"]);
});

test("the queue has each card at most once, holds every limit, and its figures add up", () => {
  const card = fc.record({
    deck: fc.constantFrom("a", "b", "c"),
    new: fc.boolean(),
    recall: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(
      fc.array(card, { maxLength: 120 }),
      fc.record({
        newPerDay: fc.nat(15),
        maxPerDay: fc.option(fc.nat(60), { nil: undefined }),
        order: fc.constantFrom(undefined, "due", "easiest", "hardest", "deck", "random"),
        newCards: fc.constantFrom("first", "mixed", "last"),
        newInBacklog: fc.boolean(),
      }),
      fc.nat(12),
      (parts, options, limit) => {
        const cards = parts
          .map((each, index) => ({ ...each, id: String(index) }))
          .sort((x, y) => Number(x.new) - Number(y.new));
        const decks = [{ id: "a" }, { id: "b", newPerDay: limit }, { id: "c", parent: "b" }];
        const plan = day({ ...(options as Partial<TodayInput>), cards, decks });
        const { queue } = plan;
        expect(new Set(queue.map(({ id }) => id)).size).toBe(queue.length);
        const begun = queue.filter(({ kind }) => kind === "new");
        expect(begun.length).toBeLessThanOrEqual(options.newPerDay);
        expect(begun.filter(({ deck }) => deck !== "a").length).toBeLessThanOrEqual(limit);
        expect(queue.length).toBeLessThanOrEqual(options.maxPerDay ?? queue.length);
        const sums = [...plan.decks.values()].reduce((sum, each) => sum + each.reviews + each.new, 0);
        expect(sums).toBe(queue.length);
        expect(queue.length + plan.left + plan.held).toBe(cards.length);
      },
    ),
  );
});
