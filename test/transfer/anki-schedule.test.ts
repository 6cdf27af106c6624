import { describe, expect, test } from "vitest";
import { scheduleOf } from "../../src/transfer/formats/anki/schedule-write.ts";
import { ankiPackage, type PackageCard, type PackageNoteType } from "./anki-package.ts";
import { emptyAccount, importFile, readAll, wholeAccount } from "./support.ts";

const basic: PackageNoteType = {
  name: "Basic",
  fields: ["Front", "Back"],
  templates: [["Card 1", "{{Front}}", "{{FrontSide}}<hr id=answer>{{Back}}"]],
};
const cloze: PackageNoteType = {
  name: "Cloze",
  cloze: true,
  fields: ["Text"],
  templates: [["Cloze", "{{cloze:Text}}", "{{cloze:Text}}"]],
};

const day = 86_400_000;
/** A collection of this day, at 20:00 in a zone two hours ahead of UTC. */
const created = Date.UTC(2024, 0, 10, 18) / 1000;
const noon = (month: number, date: number) => new Date(2024, month, date, 12).toISOString();

async function imported(cards: readonly PackageCard[], noteType = basic, fields = ["front", "back"]) {
  const path = ankiPackage({ noteTypes: [noteType], notes: [{ fields, cards }], created, offset: -120 });
  return readAll(path);
}

describe("the schedule of a card of Anki", () => {
  test("in review is due at noon of the day that Anki counts from the creation of the collection", async () => {
    const review = (date: number) => [Date.UTC(2024, 0, date, 9), 3, 7] as const;
    const { cards } = await imported([
      { type: 2, due: 22, ivl: 7, factor: 2500, reviews: [review(20), review(25)] },
    ]);
    expect(cards[0]?.reviews).toEqual([
      { date: "2024-01-20T09:00:00.000Z", "remembered?": true, duration: 2, due: "2024-01-27T09:00:00.000Z" },
      { date: "2024-01-25T09:00:00.000Z", "remembered?": true, duration: 2, due: noon(1, 1) },
    ]);
  });

  test("counts from the day that it was in the collection's own time zone", async () => {
    // Half past midnight on 10 January, 13 hours ahead of UTC.
    const path = ankiPackage({
      noteTypes: [basic],
      notes: [{ fields: ["front", "back"], cards: [{ type: 2, due: 22, ivl: 7 }] }],
      created: Date.UTC(2024, 0, 9, 11, 30) / 1000,
      offset: -13 * 60,
    });
    expect((await readAll(path)).cards[0]?.reviews?.at(-1)?.due).toBe(noon(1, 1));
  });

  test("without a history becomes one review, an interval before it is due", async () => {
    const { cards } = await imported([{ type: 2, due: 30, ivl: 10 }]);
    const due = noon(1, 9);
    expect(cards[0]?.reviews).toEqual([
      {
        date: new Date(Date.parse(due) - 10 * day).toISOString(),
        "remembered?": true,
        due,
        madeUp: true,
      },
    ]);
  });

  test("in learning is due at its instant", async () => {
    const at = Date.UTC(2024, 0, 12, 8, 30);
    const { cards } = await imported([
      { type: 1, queue: 1, due: at / 1000, reviews: [[at - 600_000, 1, -600]] },
    ]);
    expect(cards[0]?.reviews).toMatchObject([{ "remembered?": false, due: "2024-01-12T08:30:00.000Z" }]);
  });

  test("in a filtered deck is the one that it had before, in its own deck", async () => {
    const { source, cards } = await imported([{ type: 2, due: -100000, odue: 22, odid: 1, ivl: 3 }]);
    expect(cards[0]?.reviews?.at(-1)?.due).toBe(noon(1, 1));
    const deck = source.decks.find(({ key }) => key === cards[0]?.deck);
    expect(deck?.body.name).toBe("Home");
  });

  test("that is suspended is kept in an archived card; a buried one is not", async () => {
    const { cards } = await imported([
      { type: 2, queue: -1, due: 22, ivl: 3, factor: 2100, data: '{"s":12.3,"d":5}' },
    ]);
    expect(cards[0]).toMatchObject({ body: { "archived?": true }, reviews: [{ due: noon(1, 1) }] });
    const buried = await imported([{ type: 2, queue: -2, due: 22, ivl: 3 }]);
    expect(buried.cards[0]?.body["archived?"]).toBeUndefined();
  });

  test("that was reset has no reviews left, and says how many there were", async () => {
    const { cards, skipped } = await imported([
      {
        type: 0,
        due: 5,
        reviews: [
          [1.7e12, 3, 1],
          [1.71e12, 3, 5],
        ],
      },
    ]);
    expect(cards[0]?.reviews).toEqual([]);
    expect(skipped).toMatchObject([{ what: "reviews", why: "their cards were reset to new", count: 2 }]);
  });

  test("has a review without a duration where the log has 0 milliseconds", async () => {
    const path = ankiPackage({
      noteTypes: [basic],
      notes: [{ fields: ["front", "back"], cards: [{ type: 2, due: 9, ivl: 2, reviews: [[1.7e12, 3, 1]] }] }],
      sql: "update revlog set time = 0",
    });
    const { cards } = await readAll(path);
    expect(cards[0]?.reviews).toHaveLength(1);
    expect(cards[0]?.reviews?.[0]).not.toHaveProperty("duration");
  });

  test("leaves out the reviews of cards that are no longer in the package", async () => {
    const path = ankiPackage({
      noteTypes: [basic],
      notes: [{ fields: ["front", "back"], cards: [{ type: 2, due: 9, ivl: 2, reviews: [[1.7e12, 3, 1]] }] }],
      sql: `insert into revlog values (1600000000000, 7, 0, 3, 1, 1, 2500, 2000, 1);
        insert into revlog values (1600000000001, 8, 0, 1, 1, 1, 2500, 2000, 1);
        insert into revlog values (1600000000002, 8, 0, 0, 1, 1, 2500, 2000, 4)`,
    });
    const { cards, skipped } = await readAll(path);
    expect(cards[0]?.reviews).toHaveLength(1);
    expect(skipped).toEqual([]);
  });

  test("leaves out entries of the log that are no answers", async () => {
    const { cards, skipped } = await imported([
      {
        type: 2,
        due: 9,
        ivl: 2,
        reviews: [
          [1.7e12, 3, 1],
          [1.71e12, 0, 5],
        ],
      },
    ]);
    expect(cards[0]?.reviews).toHaveLength(1);
    expect(skipped).toEqual([]);
  });

  test("is equal on the service after the import", async () => {
    const client = await emptyAccount();
    const path = ankiPackage({
      noteTypes: [basic],
      notes: Array.from({ length: 20 }, (_, index) => ({
        fields: [`front ${index}`, "back"],
        cards: [{ type: 2, due: 40 + index, ivl: 5, reviews: [[1.7e12 + index * 60_000, 3, 5]] as const }],
      })),
      created,
      offset: -120,
    });
    await importFile(client, path);
    const { cards } = await wholeAccount(client);
    const due = cards.map((card) => card.reviews?.at(-1)?.due).sort();
    expect(due).toEqual(Array.from({ length: 20 }, (_, index) => noon(1, 19 + index)));
  });
});

describe("the cards of a cloze note", () => {
  const text = ["{{c1::a}} {{c2::b}} {{c3::c}}"];

  test("become one card with all reviews, due when the first of them is that is not suspended", async () => {
    const { cards, skipped } = await imported(
      [
        { ord: 0, type: 2, due: 30, ivl: 5, reviews: [[Date.UTC(2024, 0, 20), 3, 5]] },
        { ord: 1, type: 2, due: 22, ivl: 5, flags: 1, reviews: [[Date.UTC(2024, 0, 15), 1, 5]] },
        { ord: 2, type: 2, queue: -1, due: 12, ivl: 5, reviews: [[Date.UTC(2024, 0, 20, 1), 3, 5]] },
      ],
      cloze,
      text,
    );
    expect(cards).toHaveLength(1);
    expect(cards[0]?.body).toMatchObject({ "manual-tags": ["flag-red"] });
    expect(cards[0]?.body["archived?"]).toBeUndefined();
    expect(cards[0]?.reviews?.map((review) => [review.date, review["remembered?"]])).toEqual([
      ["2024-01-15T00:00:00.000Z", false],
      ["2024-01-20T00:00:00.000Z", true],
      ["2024-01-20T01:00:00.000Z", true],
    ]);
    expect(cards[0]?.reviews?.at(-1)?.due).toBe(noon(1, 1));
    expect(skipped).toMatchObject([{ what: "further cards of cloze notes", count: 2 }]);
  });

  test("are archived if all of them are suspended, and new if none was reviewed", async () => {
    const suspended = [0, 1].map((ord) => ({ ord, type: 0, queue: -1 }));
    const { cards, skipped } = await imported(suspended, cloze, text);
    expect(cards).toMatchObject([{ body: { "archived?": true }, reviews: [] }]);
    expect(skipped.map(({ what }) => what)).toEqual(["further cards of cloze notes"]);
  });
});

test("reviews of any date and duration have numbers that Anki can hold", () => {
  const [first, last] = ["-271821-04-20T00:00:00.000Z", "+275760-09-13T00:00:00.000Z"];
  const schedule = scheduleOf([
    { date: first, due: last, "remembered?": true, duration: 1e308 },
    { date: last, due: first, "remembered?": false, duration: -1 },
  ]);
  expect(schedule?.reviews.map(({ time }) => time)).toEqual([2 ** 31 - 1, 0]);
  for (const each of [schedule, ...(schedule?.reviews ?? [])])
    for (const value of Object.values(each ?? {}))
      if (typeof value === "number") expect(value).toSatisfy(Number.isInteger);
});
