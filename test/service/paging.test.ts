import fc from "fast-check";
import { expect, test } from "vitest";
import { docsOf, idOf, type RawAnswer, rawClient } from "../support/requests.ts";
import { openTestApplication } from "../support/service.ts";

type Ask = ReturnType<typeof rawClient>;

async function withCards(count: number) {
  const application = await openTestApplication();
  const ask = rawClient(application);
  const deck = idOf(await ask("POST", "/decks", { name: "Deck" }));
  const ids: string[] = [];
  for (let at = 0; at < count; at++)
    ids.push(idOf(await ask("POST", "/cards", { content: `${at}`, "deck-id": deck })));
  return { ask, deck, ids, application };
}

const bookmarkOf = ({ body }: RawAnswer) => encodeURIComponent(String(body["bookmark"]));
const idsOf = (answer: RawAnswer) => docsOf(answer).map((doc) => String(doc["id"]));

/** Every page of a list until an empty one; `between` runs after each. */
async function pages(ask: Ask, path: string, between: () => Promise<void> = async () => {}) {
  const found: string[][] = [];
  let bookmark: string | undefined;
  for (;;) {
    const join = path.includes("?") ? "&" : "?";
    const page = await ask("GET", bookmark === undefined ? path : `${path}${join}bookmark=${bookmark}`);
    expect(page.status).toBe(200);
    if (docsOf(page).length === 0) return found;
    found.push(idsOf(page));
    bookmark = bookmarkOf(page);
    await between();
  }
}

test("returns ten cards a page unless 1 to 100 are asked for", async () => {
  const { ask, ids } = await withCards(12);
  expect(docsOf(await ask("GET", "/cards"))).toHaveLength(10);
  expect(docsOf(await ask("GET", "/cards?limit=1"))).toHaveLength(1);
  expect(docsOf(await ask("GET", "/cards?limit=100"))).toHaveLength(ids.length);
});

test.each(["0", "101", "-1", "1.5", "ten", "", "1e1", "0x10", "%201"])(
  "refuses the limit %j",
  async (limit) => {
    const { ask } = await withCards(0);
    expect(await ask("GET", `/cards?limit=${limit}`)).toMatchObject({
      status: 422,
      body: { errors: { limit: expect.any(String) } },
    });
  },
);

test("lists 257 cards once each in pages of 100, with a bookmark after the last page, too", async () => {
  const { ask, ids } = await withCards(257);
  const found = await pages(ask, "/cards?limit=100");
  expect(found.map((page) => page.length)).toEqual([100, 100, 57]);
  expect(found.flat()).toEqual(ids);
});

test("returns the bookmark that was sent for an empty page, `nil` if none was sent", async () => {
  const { ask } = await withCards(1);
  const last = await ask("GET", "/cards");
  const after = await ask("GET", `/cards?bookmark=${bookmarkOf(last)}`);
  expect(after.body).toEqual({ docs: [], bookmark: last.body["bookmark"] });
  expect((await ask("GET", "/templates")).body).toEqual({ docs: [], bookmark: "nil" });
  expect((await ask("GET", "/templates?bookmark=nil")).body).toEqual({ docs: [], bookmark: "nil" });
  expect(docsOf(await ask("GET", "/cards?bookmark=nil"))).toHaveLength(1);
});

test("lists only the cards of the given deck, and none for an unknown one", async () => {
  const { ask, deck, ids } = await withCards(3);
  const other = idOf(await ask("POST", "/decks", { name: "Other" }));
  const card = idOf(await ask("POST", "/cards", { content: "x", "deck-id": other }));
  expect(idsOf(await ask("GET", `/cards?deck-id=${deck}`))).toEqual(ids);
  expect(await pages(ask, `/cards?deck-id=${deck}&limit=2`)).toEqual([ids.slice(0, 2), ids.slice(2)]);
  expect(idsOf(await ask("GET", `/cards?deck-id=${other}`))).toEqual([card]);
  expect((await ask("GET", "/cards?deck-id=nowhere1")).body).toEqual({ docs: [], bookmark: "nil" });
});

test("orders cards by deck id, then position by code unit, then id", async () => {
  const { ask } = await withCards(0);
  const decks = [];
  for (const name of ["a", "b"]) decks.push(idOf(await ask("POST", "/decks", { name })));
  for (const deck of decks)
    for (const pos of ["\u{1f600}", "\uffff", "a", "B", "a", "é"])
      await ask("POST", "/cards", { content: "x", "deck-id": deck, pos });
  const docs = docsOf(await ask("GET", "/cards?limit=100"));
  const keys = docs.map((card) => `${card["deck-id"]} ${card["pos"]} ${card["id"]}`);
  expect(keys).toEqual([...keys].sort());
});

test("handles positions of any length in its bookmark", async () => {
  const { ask, deck } = await withCards(0);
  // Around the room that is kept for it, and far beyond.
  const positions = Array.from({ length: 40 }, (_, at) => "m".repeat(80 + at)).concat(
    "m".repeat(4000),
    "\u{1f600}",
  );
  for (const pos of positions) await ask("POST", "/cards", { content: "x", "deck-id": deck, pos });
  let bookmark = "nil";
  for (const pos of [...positions, undefined]) {
    const page = await ask("GET", `/cards?limit=1&bookmark=${bookmark}`);
    expect(docsOf(page).map((card) => card["pos"])).toEqual(pos === undefined ? [] : [pos]);
    expect(page.text).toMatch(/"\}$/);
    bookmark = bookmarkOf(page);
  }
});

test.each(["x", "", "bm9uZQ.bm9uZQ", "WyJhIiwiYiIsImMiXQ.AAAAAAAAAAAAAAAAAAAAAA", "nil%20"])(
  "refuses the bookmark %j",
  async (bookmark) => {
    const { ask } = await withCards(0);
    for (const path of ["/cards", "/decks", "/templates"])
      expect(await ask("GET", `${path}?bookmark=${bookmark}`)).toMatchObject({
        status: 422,
        body: { errors: { bookmark: "is not a bookmark of this list" } },
      });
  },
);

test("refuses a bookmark of another list, another filter or another account", async () => {
  const { ask, deck, application } = await withCards(2);
  const bookmark = bookmarkOf(await ask("GET", "/cards?limit=1"));
  const other = rawClient(application, await application.keys.add("other"));
  expect((await ask("GET", `/decks?bookmark=${bookmark}`)).status).toBe(422);
  expect((await ask("GET", `/cards?deck-id=${deck}&bookmark=${bookmark}`)).status).toBe(422);
  expect((await other("GET", `/cards?bookmark=${bookmark}`)).status).toBe(422);
  expect((await ask("GET", `/cards?bookmark=${bookmark}&bookmark=${bookmark}`)).status).toBe(422);
});

test("reports an invalid bookmark together with the other problems of the query", async () => {
  const { ask } = await withCards(0);
  const { status, body } = await ask("GET", "/cards?limit=0&bookmark=none");
  expect({ status, body }).toEqual({
    status: 422,
    body: { errors: { limit: "must be from 1 to 100", bookmark: "is not a bookmark of this list" } },
  });
});

test("accepts a bookmark of an earlier process", async () => {
  const { ask, application, ids } = await withCards(2);
  const bookmark = bookmarkOf(await ask("GET", "/cards?limit=1"));
  const again = rawClient(await openTestApplication({ folder: application.folder }));
  expect(idsOf(await again("GET", `/cards?bookmark=${bookmark}`))).toEqual(ids.slice(1));
});

test("pages through decks and templates a hundred at a time", async () => {
  const { ask } = await withCards(0);
  for (let at = 0; at < 101; at++) {
    await ask("POST", "/decks", { name: `deck ${at}` });
    await ask("POST", "/templates", { name: `template ${at}`, content: "x", fields: {} });
  }
  for (const path of ["/decks", "/templates"]) {
    const found = await pages(ask, path);
    expect(found.map((page) => page.length)).toEqual([
      path === "/decks" ? 100 : 100,
      path === "/decks" ? 2 : 1,
    ]);
    expect(new Set(found.flat()).size).toBe(found.flat().length);
  }
});

test("lists no card twice and skips none that stays, while others are added and deleted", async () => {
  const action = fc.record({
    insert: fc.array(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 3 }),
    remove: fc.array(fc.nat(), { maxLength: 3 }),
  });
  const { ask, deck } = await withCards(0);
  await fc.assert(
    fc.asyncProperty(
      fc.array(action, { maxLength: 8 }),
      fc.integer({ min: 1, max: 5 }),
      async (actions, limit) => {
        for (const card of docsOf(await ask("GET", "/cards?limit=100")))
          await ask("DELETE", `/cards/${card["id"]}`);
        const staying = new Set<string>();
        const passing: string[] = [];
        const add = async (pos: string) =>
          idOf(await ask("POST", "/cards", { content: "x", "deck-id": deck, pos }));
        for (const pos of ["a", "b", "b", "c", "x"]) {
          staying.add(await add(pos));
          passing.push(await add(pos));
        }
        const left = [...actions];
        const found = await pages(ask, `/cards?limit=${limit}`, async () => {
          const next = left.pop();
          for (const pos of next?.insert ?? []) passing.push(await add(pos));
          for (const at of next?.remove ?? [])
            await ask("DELETE", `/cards/${passing.splice(at % passing.length, 1)[0]}`);
        });
        const seen = found.flat();
        expect(new Set(seen).size).toBe(seen.length);
        for (const id of staying) expect(seen).toContain(id);
      },
    ),
    { numRuns: 15 },
  );
});
