import { expect, test } from "vitest";
import { Days } from "../../src/schedule/days.ts";
import { Scheduler } from "../../src/schedule/index.ts";
import { studyStats } from "../../src/study/pages.ts";
import type { StudyService } from "../../src/study/ports.ts";

/** A service that holds these documents, whatever is wrong with them. */
function serviceOf(documents: Readonly<Record<string, readonly object[]>>): StudyService {
  const days = new Days();
  return {
    send: async (_account, { path }) => ({
      ...{ status: 200, headers: { "content-type": "application/json" } },
      body: JSON.stringify({ docs: documents[path] ?? [], bookmark: null }),
    }),
    asked: async () => [],
    days: async () => days,
    scheduler: async () => new Scheduler({ days }),
    now: () => Date.UTC(2031, 4, 10, 12),
    onError() {},
  };
}

const statsOf = (documents: Parameters<typeof serviceOf>[0]) => studyStats(serviceOf(documents), "a");

const totalsOf = (page: string) =>
  Object.fromEntries(
    [...page.matchAll(/<dt>(\w+)<\/dt><dd>([^<]*)<\/dd>/g)].map(([, key, value]) => [key, value]),
  );

test("the statistics count the cards of archived decks and those under them, and none of decks in the trash", async () => {
  const decks = [
    { id: "below", "parent-id": "old" },
    { id: "old", "archived?": true },
    { id: "gone", "trashed?": "2031-01-01T00:00:00Z" },
    { id: "under", "parent-id": "gone", "archived?": true },
    { id: "kept" },
  ];
  const cards = [...decks, { id: "none" }].map(({ id }) => ({ id: `card-${id}`, "deck-id": id }));
  const page = await statsOf({ "/decks": decks, "/cards": cards });
  expect(totalsOf(page)).toMatchObject({ cards: "4", archived: "2", new: "2" });
});

test("the statistics are there although decks are each other's parents", async () => {
  const decks = [
    { id: "one", "parent-id": "two" },
    { id: "two", "parent-id": "one" },
  ];
  const cards = [{ id: "card", "deck-id": "one" }];
  const page = await statsOf({ "/decks": decks, "/cards": cards });
  expect(totalsOf(page)).toMatchObject({ cards: "1", new: "1" });
});
