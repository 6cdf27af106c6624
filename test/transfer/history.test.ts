import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { historyOf, newerReviews, sentReviews } from "../../src/transfer/history.ts";
import { temporaryFolder } from "../support/folder.ts";
import { emptyAccount, importFile } from "./support.ts";

const remembered = { "remembered?": true } as const;

describe("the history of an imported card", () => {
  test("keeps every review of the same instant, a minute apart", () => {
    const day = "2024-03-01T00:00:00.000Z";
    const history = historyOf([
      { date: "2024-03-02T00:00:00.000Z", ...remembered },
      { date: day, ...remembered },
      { date: day, "remembered?": false },
      { date: "2024-03-01T00:00:30.000Z", ...remembered },
    ]);
    expect(history.map(({ date }) => date)).toEqual([
      day,
      "2024-03-01T00:01:00.000Z",
      "2024-03-01T00:02:00.000Z",
      "2024-03-02T00:00:00.000Z",
    ]);
    expect(history[1]?.["remembered?"]).toBe(false);
    expect(historyOf(history)).toEqual(history);
  });

  test("goes on with a review that came seconds after the last one, not with one that was moved by milliseconds", () => {
    const reviewAt = (ms: number) => ({
      date: new Date(Date.UTC(2024, 2, 1) + ms).toISOString(),
      ...remembered,
    });
    const reviews = [reviewAt(0), reviewAt(3), reviewAt(40_000)];
    expect(newerReviews(reviews, reviewAt(0).date)).toEqual([reviewAt(40_000)]);
  });

  test("gives the card's due date to its last review", () => {
    const due = "2024-05-01T12:00:00.000Z";
    const history = historyOf(
      [
        { date: "2024-03-02T00:00:00.000Z", ...remembered, due: "2024-03-09T00:00:00.000Z" },
        { date: "2024-03-01T00:00:00.000Z", ...remembered, interval: 1 },
      ],
      { due },
    );
    expect(history.map((review) => review.due)).toEqual(["2024-03-02T00:00:00.000Z", due]);
  });

  test("is one remembered review, made up, an interval before the due date, where only that is known", () => {
    expect(historyOf([], { due: "2024-05-11T00:00:00.000Z", interval: 10 })).toEqual([
      {
        date: "2024-05-01T00:00:00.000Z",
        "remembered?": true,
        due: "2024-05-11T00:00:00.000Z",
        madeUp: true,
      },
    ]);
    expect(historyOf([])).toEqual([]);
  });
});

test("a card with a long history is imported whole, with few requests", async () => {
  const requests: string[] = [];
  const client = await emptyAccount(({ method, path }) => void requests.push(`${method} ${path}`));
  const reviews = Array.from({ length: 1200 }, (_, number) => ({
    date: new Date(Date.UTC(2020, 0, 1) + number * 86_400_000).toISOString(),
    "remembered?": number % 7 !== 0,
  }));
  const file = join(temporaryFolder(), "cards.ndjson");
  writeFileSync(file, JSON.stringify({ card: { id: "c", content: "q\n---\na", reviews } }));
  const { id: deck } = await client.decks.create({ name: "D" });
  expect((await importFile(client, file, { deck })).summary).toMatchObject({ reviews: 1200, failed: 0 });
  const [card] = (await client.cards.list()).docs;
  expect(requests.filter((request) => request.startsWith("POST ")).length).toBeLessThan(5);
  expect(card?.reviews?.map(({ date }) => date)).toEqual(reviews.map(({ date }) => date));
});

test("a review that is made up for a due date ahead is not of today, whose work it would seem to be", () => {
  const now = Date.parse("2026-03-20T08:00:00.000Z");
  const made = historyOf([], { due: "2026-04-10T08:00:00.000Z" });
  expect(sentReviews(made, now)).toMatchObject([
    { date: "2026-03-19T08:00:00.000Z", due: "2026-04-10T08:00:00.000Z" },
  ]);
  const earlier = historyOf([], { due: "2026-03-10T08:00:00.000Z", interval: 3 });
  expect(sentReviews(earlier, now)).toMatchObject([{ date: "2026-03-07T08:00:00.000Z" }]);
});
