import { describe, expect, test } from "vitest";
import { fuzzRange } from "../../src/schedule/choose-day.ts";
import { idOf, type RawAnswer, rawClient } from "../support/requests.ts";
import { openTestApplication } from "../support/service.ts";

const day = 86_400_000;
const noon = Date.parse("2026-11-20T12:00:00.000Z");

async function collection(options: Parameters<typeof openTestApplication>[0] = {}) {
  const clock = { now: noon };
  const application = await openTestApplication({
    now: () => clock.now,
    days: { timeZone: "UTC" },
    ...options,
  });
  const ask = rawClient(application);
  const deck = async (name: string, body: object = {}) =>
    idOf(await ask("POST", "/decks", { name, ...body }));
  const cards = async (deckId: string, count: number) => {
    const ids: string[] = [];
    for (let index = 0; index < count; index++)
      ids.push(idOf(await ask("POST", "/cards", { content: `card ${index}`, "deck-id": deckId })));
    return ids;
  };
  const review = (id: string, remembered: boolean, body: object = {}) =>
    ask("POST", `/cards/${id}/reviews`, { "remembered?": remembered, ...body });
  /** A card that was reviewed once, and is due after so many days. */
  const reviewed = async (deckId: string, ago: number, dueIn: number) => {
    const [id = ""] = await cards(deckId, 1);
    const due = new Date(noon + dueIn * day).toISOString();
    await review(id, true, { date: new Date(noon - ago * day).toISOString(), due });
    return id;
  };
  const figures = async (query = "") => (await ask("GET", `/today${query}`)).body as unknown as Figures;
  const queue = async (query = "") => {
    const { body } = await ask("GET", `/today/cards${query}`);
    return (body["docs"] as unknown as { id: string; asked: string }[]).map(({ id, asked }) => [id, asked]);
  };
  return { ask, clock, deck, cards, review, reviewed, figures, queue };
}

interface Figures {
  readonly today: Readonly<Record<string, number>>;
  readonly decks: readonly Readonly<Record<string, unknown>>[];
  readonly done: Readonly<Record<string, number>>;
  readonly streak: number;
  readonly tomorrow: number;
  readonly order: string;
  readonly backlog: boolean;
}

const dueOf = ({ body }: RawAnswer) =>
  (body["reviews"] as unknown as { due: { date: string } }[]).at(-1)?.due.date ?? "";

describe("the extension today", () => {
  test("says what is asked, and gives the same cards in their order, through the day's work", async () => {
    const { deck, cards, reviewed, review, figures, queue } = await collection();
    const [large, small] = [await deck("large"), await deck("small")];
    const due = await reviewed(large, 9, -1);
    const tomorrow = await reviewed(small, 9, 1);
    const many = await cards(large, 30);
    const few = await cards(small, 2);
    expect(await figures()).toMatchObject({
      today: { reviews: 1, new: 20, forgotten: 0, count: 21, seconds: 168 },
      decks: [
        { id: large, reviews: 1, new: 18, forgotten: 0 },
        { id: small, reviews: 0, new: 2, forgotten: 0 },
      ],
      done: { reviews: 0, new: 0 },
      tomorrow: 1,
      order: "due",
      backlog: false,
      held: 12,
    });
    const asked = await queue();
    expect(asked.slice(0, 5)).toEqual([
      [due, "review"],
      [many[0], "new"],
      [few[0], "new"],
      [many[1], "new"],
      [few[1], "new"],
    ]);
    expect(asked).toHaveLength(21);
    await review(due, false);
    await review(few[0] ?? "", true);
    expect(await figures()).toMatchObject({
      today: { reviews: 0, new: 19, forgotten: 1, count: 20 },
      done: { reviews: 1, new: 1 },
    });
    expect((await queue())[0]).toEqual([due, "again"]);
    expect(await queue(`?deck-id=${small}`)).toEqual([[few[1], "new"]]);
    expect(asked.map(([id]) => id)).not.toContain(tomorrow);
  });

  test("gives the queue a page at a time, and begins again where the last card was answered meanwhile", async () => {
    const { ask, deck, cards, review } = await collection();
    const ids = await cards(await deck("d"), 5);
    const first = await ask("GET", "/today/cards?limit=2");
    expect((first.body["docs"] as unknown as { id: string }[]).map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const next = `/today/cards?limit=2&bookmark=${first.body["bookmark"]}`;
    const idsOf = ({ body }: RawAnswer) => (body["docs"] as unknown as { id: string }[]).map(({ id }) => id);
    expect(idsOf(await ask("GET", next))).toEqual(ids.slice(2, 4));
    await review(ids[1] ?? "", true);
    expect(idsOf(await ask("GET", next))).toEqual([ids[0], ids[2]]);
  });

  test("puts a card off until the next day, and takes that back", async () => {
    const { ask, clock, deck, reviewed, queue } = await collection();
    const id = await reviewed(await deck("d"), 9, -1);
    expect((await ask("PUT", `/cards/${id}/today`, { "put-off": true })).status).toBe(204);
    expect(await queue()).toEqual([]);
    await ask("PUT", `/cards/${id}/today`, { "put-off": false });
    expect(await queue()).toEqual([[id, "review"]]);
    const { body: before } = await ask("GET", "/today");
    await ask("PUT", `/cards/${id}/today`, { "put-off": true });
    const { body: after } = await ask("GET", "/today");
    expect([before, after]).toMatchObject([
      { tomorrow: 0, "put-off": 0 },
      { tomorrow: 1, "put-off": 1 },
    ]);
    clock.now += day;
    expect(await queue()).toEqual([[id, "review"]]);
    expect((await ask("PUT", "/cards/nothing1/today", { again: true })).status).toBe(404);
  });

  test("asks a forgotten card again until it is remembered or taken back, on that day only", async () => {
    const { ask, clock, deck, reviewed, review, queue } = await collection();
    const deckId = await deck("d");
    const [a, b] = [await reviewed(deckId, 9, -1), await reviewed(deckId, 9, -2)];
    await review(a, false);
    clock.now += 1000;
    await review(b, false);
    expect(await queue()).toEqual([
      [a, "again"],
      [b, "again"],
    ]);
    await ask("PUT", `/cards/${a}/today`, { again: false });
    await ask("DELETE", `/cards/${b}/reviews/${new Date(noon + 1000).toISOString()}`);
    expect(await queue()).toEqual([[b, "review"]]);
    await review(b, false);
    clock.now += day;
    expect((await queue()).every(([, asked]) => asked === "review")).toBe(true);
  });

  test("counts the days in a row with a review, however many, until today or yesterday", async () => {
    const { ask, clock, deck, cards, figures } = await collection();
    const [one = "", two = ""] = await cards(await deck("words"), 2);
    const reviewsOn = async (id: string, ...ago: number[]) => {
      const reviews = ago.map((each) => ({
        date: new Date(noon - each * day).toISOString(),
        "remembered?": true,
      }));
      expect((await ask("POST", `/cards/${id}/history`, { reviews })).status).toBeLessThan(300);
    };
    const streak = async () => (await figures("?overview=yes")).streak;
    expect(await streak()).toBe(0);
    await reviewsOn(one, ...Array.from({ length: 150 }, (_, index) => 150 - index), 152);
    expect(await streak()).toBe(150);
    clock.now += day;
    expect(await streak()).toBe(0);
    clock.now -= day;
    await reviewsOn(two, 0);
    expect(await streak()).toBe(151);
  });

  test("asks the most likely to be recalled first where more is due than the day holds", async () => {
    const { deck, reviewed, figures, queue, cards } = await collection({ learning: { "max-per-day": 2 } });
    const deckId = await deck("d");
    const [long, short, middle] = [
      await reviewed(deckId, 300, -5),
      await reviewed(deckId, 2, -1),
      await reviewed(deckId, 30, -4),
    ];
    await cards(deckId, 1);
    expect(await figures()).toMatchObject({ order: "easiest", backlog: true, left: 1, today: { new: 0 } });
    expect((await queue()).map(([id]) => id)).toEqual([short, middle]);
    expect((await queue("?order=hardest")).map(([id]) => id)).toEqual([long, middle]);
    expect((await queue("?order=due")).map(([id]) => id)).toEqual([long, middle]);
    expect((await queue("?max-per-day=9&new-in-backlog=yes")).map(([, asked]) => asked)).toContain("new");
  });

  test("lets the decks take turns with new cards, whether or not one of them has a limit of its own", async () => {
    const { ask, deck, cards, figures } = await collection();
    const decks: string[] = [];
    for (let index = 0; index < 30; index++) {
      decks.push(await deck(`deck ${index}`));
      await cards(decks[index] ?? "", 3);
    }
    const perDeck = async () =>
      (await figures("?new-per-day=20")).decks.map(({ id, new: fresh }) => [id, fresh]);
    const one = (ids: readonly string[]) => ids.map((id) => [id, 1]);
    expect(await perDeck()).toEqual(one(decks.slice(0, 20)));
    await ask("POST", `/decks/${decks[2]}`, { "new-per-day": 0 });
    expect(await perDeck()).toEqual(one(decks.slice(0, 21).filter((id) => id !== decks[2])));
    await ask("POST", `/decks/${decks[1]}`, { "archived?": true });
    await ask("POST", `/decks/${decks[2]}`, { "new-per-day": null });
    expect(await perDeck()).toEqual(one(decks.slice(0, 21).filter((id) => id !== decks[1])));
  });

  test("leaves out decks that are archived, and the decks under them", async () => {
    const { ask, deck, cards, figures } = await collection();
    const above = await deck("above");
    await cards(await deck("below", { "parent-id": above }), 2);
    expect((await figures()).today["new"]).toBe(2);
    await ask("POST", `/decks/${above}`, { "archived?": true });
    expect(await figures()).toMatchObject({ today: { count: 0 }, held: 0 });
  });
});

describe("the due date of a card", () => {
  const datesOf = ({ body }: RawAnswer) =>
    (body["reviews"] as unknown as { date: { date: string } }[]).map(({ date }) => date.date);

  test("is moved, and its reviews stay", async () => {
    const { ask, deck, reviewed, review } = await collection();
    const id = await reviewed(await deck("d"), 9, -1);
    const before = datesOf(await ask("GET", `/cards/${id}`));
    const due = "2026-12-24T12:00:00.000Z";
    const answer = await ask("PUT", `/cards/${id}/due`, { due });
    expect([dueOf(answer), datesOf(answer)]).toEqual([due, before]);
    // A review that arrives late does not move it.
    const late = new Date(noon - 30 * day).toISOString();
    expect(dueOf(await review(id, true, { date: late }))).toBe(due);
  });

  test("is taken away: the card is new again, and its reviews can be given back", async () => {
    const { ask, deck, reviewed, queue } = await collection();
    const id = await reviewed(await deck("d"), 9, 5);
    const reviews = (await ask("GET", `/cards/${id}`)).body["reviews"] as unknown as {
      date: { date: string };
    }[];
    expect((await ask("PUT", `/cards/${id}/due`, { due: null })).body).toMatchObject({
      reviews: [],
      "new?": true,
    });
    expect(await queue()).toEqual([[id, "new"]]);
    const past = reviews.map(({ date }) => ({ date: date.date, "remembered?": true }));
    expect(datesOf(await ask("POST", `/cards/${id}/history`, { reviews: past }))).toHaveLength(1);
  });

  test("of a card that was never reviewed is refused", async () => {
    const { ask, deck, cards } = await collection();
    const [id] = await cards(await deck("d"), 1);
    expect(await ask("PUT", `/cards/${id}/due`, { due: "2026-12-24" })).toMatchObject({
      status: 422,
      body: { errors: { due: "cannot be set for a card that was never reviewed" } },
    });
  });
});

describe("settings of a deck", () => {
  test("hold for it and the decks under it together, and can be taken away", async () => {
    const { ask, deck, cards, figures } = await collection();
    const above = await deck("above", { "new-per-day": 3 });
    const below = await deck("below", { "parent-id": above });
    await cards(above, 5);
    await cards(below, 5);
    expect((await figures()).today["new"]).toBe(3);
    expect((await ask("GET", `/decks/${above}`)).body).toMatchObject({ "new-per-day": 3 });
    await ask("POST", `/decks/${above}`, { "new-per-day": null });
    expect((await figures()).today["new"]).toBe(10);
    expect((await ask("GET", `/decks/${above}`)).body).not.toHaveProperty("new-per-day");
  });

  test("give the cards under a deck its retention when they are reviewed", async () => {
    const { deck, cards, review } = await collection({ learning: { balance: false } });
    const above = await deck("above", { retention: 0.97 });
    const [strict = "", plain = ""] = [
      ...(await cards(await deck("below", { "parent-id": above }), 1)),
      ...(await cards(await deck("other"), 1)),
    ];
    const secondDue = async (id: string) => {
      await review(id, true, { date: new Date(noon - 9 * day).toISOString() });
      return Date.parse(dueOf(await review(id, true)));
    };
    expect(await secondDue(strict)).toBeLessThan(await secondDue(plain));
  });

  test("are refused where they are no share or no number of cards", async () => {
    const { ask } = await collection();
    const answer = await ask("POST", "/decks", {
      name: "d",
      retention: 1.2,
      "new-per-day": -1,
      "max-per-day": "x",
    });
    expect(Object.keys(answer.body["errors"] ?? {}).sort()).toEqual([
      "max-per-day",
      "new-per-day",
      "retention",
    ]);
  });
});

describe("the day on which a card comes back", () => {
  test("spreads cards that were reviewed together, inside the range of FSRS", async () => {
    const { deck, cards, review } = await collection();
    const dues = new Set<string>();
    for (const id of await cards(await deck("d"), 24)) {
      await review(id, true, { date: new Date(noon - 12 * day).toISOString() });
      dues.add(dueOf(await review(id, true)));
    }
    const intervals = [...dues].map((due) => Math.round((Date.parse(due) - noon) / day));
    const plain = await collection({ learning: { balance: false } });
    const [id = ""] = await plain.cards(await plain.deck("d"), 1);
    await plain.review(id, true, { date: new Date(noon - 12 * day).toISOString() });
    const interval = Math.round((Date.parse(dueOf(await plain.review(id, true))) - noon) / day);
    const { least, most } = fuzzRange(interval, 12);
    expect(dues.size).toBe(Math.min(24, most - least + 1));
    expect(intervals.every((each) => each >= least && each <= most)).toBe(true);
  });

  test("once chosen stands: an earlier review that is taken back or a later one moves no other", async () => {
    const { ask, deck, cards, review } = await collection();
    const [id = ""] = await cards(await deck("d"), 1);
    await review(id, true, { date: new Date(noon - 20 * day).toISOString() });
    const chosen = dueOf(await review(id, true, { date: new Date(noon - 8 * day).toISOString() }));
    await review(id, true);
    await ask("DELETE", `/cards/${id}/reviews/${new Date(noon).toISOString()}`);
    expect(dueOf(await ask("GET", `/cards/${id}`))).toBe(chosen);
  });

  test("is no easy day with a share of 0", async () => {
    const { deck, cards, review } = await collection({ learning: { "easy-days": "sat 0, sun 0" } });
    for (const id of await cards(await deck("d"), 12)) {
      await review(id, true, { date: new Date(noon - 12 * day).toISOString() });
      const due = new Date(dueOf(await review(id, true)));
      expect([0, 6]).not.toContain(due.getUTCDay());
    }
  });
});
