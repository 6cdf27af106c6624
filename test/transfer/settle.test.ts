import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { NetworkError } from "../../src/errors.ts";
import type { WireAnswer, WireRequest } from "../../src/schema/index.ts";
import { openSource } from "../../src/transfer/formats/open.ts";
import { Ledger } from "../../src/transfer/import/ledger.ts";
import { noMatches } from "../../src/transfer/import/match.ts";
import { planImport } from "../../src/transfer/import/plan.ts";
import { importSource } from "../../src/transfer/import/run.ts";
import { Scratch } from "../../src/transfer/import/scratch.ts";
import { openTestApplication, temporaryFolder } from "../support/service.ts";
import { clientOf, emptyAccount, importFile, wholeAccount } from "./support.ts";

const refused: WireAnswer = {
  status: 422,
  headers: { "content-type": "application/json" },
  body: '{"errors":{"content":"not today"}}',
};

async function ndjson(lines: readonly unknown[]): Promise<string> {
  const path = join(await temporaryFolder(), "collection.ndjson");
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return path;
}

/** As if the run had ended before it got to the references. */
const forgetReferences = (journal: string) =>
  writeFileSync(journal, readFileSync(journal, "utf8").replace(/^.* references .*\n/m, ""));

test("an edit of a card while the import runs is kept, and its references lead to the new cards", async () => {
  const transport = (await openTestApplication()).as("default");
  const user = clientOf({ as: () => transport });
  let edited: string | undefined;
  const editing = async (request: WireRequest) => {
    const answer = await transport.send(request);
    if (request.method !== "POST" || request.path !== "/cards" || edited !== undefined) return answer;
    const { id = "", content } = (await user.cards.list({}).send()).docs[0] ?? {};
    edited = id;
    await user.cards.update(id, { content: `${content} and mine` }).send();
    return answer;
  };
  const path = await ndjson([
    { deck: { id: "d", name: "D" } },
    { card: { id: "one", content: "see [[two]]", "deck-id": "d" } },
    { card: { id: "two", content: "two", "deck-id": "d" } },
  ]);
  await importFile(clientOf({ as: () => ({ ...transport, send: editing }) }), path);
  const { docs } = await user.cards.list({}).send();
  const two = docs.find(({ id }) => id !== edited)?.id;
  expect(docs.find(({ id }) => id === edited)?.content).toBe(`see [[${two}]] and mine`);
});

describe("an import that is run again", () => {
  const contentsOf = async (client: Client) =>
    (await wholeAccount(client)).cards.map(({ content }) => content);

  test("leaves what was edited since, but for the ids of cards that are new", async () => {
    const client = await emptyAccount();
    const path = await ndjson([
      { deck: { id: "d", name: "D" } },
      { card: { id: "one", content: "one", "deck-id": "d" } },
      { card: { id: "two", content: "after [[one]]", "deck-id": "d" } },
    ]);
    const journal = join(await temporaryFolder(), "journal");
    await importFile(client, path, { journal });
    const { cards } = await wholeAccount(client);
    const [one, two] = ["one", "after"].map((text) => cards.find(({ content }) => content?.startsWith(text)));
    expect(two?.content).toBe(`after [[${one?.id}]]`);
    await client.cards.update(two?.id ?? "", { content: `edited [[${one?.id}]]` }).send();
    forgetReferences(journal);
    expect((await importFile(client, path, { journal })).failures).toEqual([]);
    expect((await contentsOf(client)).toSorted()).toEqual([`edited [[${one?.id}]]`, "one"]);
  });

  test("puts references right to a card that failed before, where others were right then", async () => {
    let refuses = true;
    const client = await emptyAccount(({ method, body }) =>
      refuses && method === "POST" && String(body).includes('"content":"late"') ? refused : undefined,
    );
    const path = await ndjson([
      { deck: { id: "d", name: "D" } },
      { card: { id: "first", content: "[[next]] [[late]]", "deck-id": "d" } },
      { card: { id: "next", content: "next", "deck-id": "d" } },
      { card: { id: "late", content: "late", "deck-id": "d" } },
    ]);
    const journal = join(await temporaryFolder(), "journal");
    expect((await importFile(client, path, { journal })).failures).toHaveLength(1);
    refuses = false;
    expect((await importFile(client, path, { journal })).failures).toEqual([]);
    const { cards } = await wholeAccount(client);
    const [next, late] = ["next", "late"].map((text) => cards.find(({ content }) => content === text)?.id);
    expect(cards.map(({ content }) => content)).toContain(`[[${next}]] [[${late}]]`);
  });
});

test("an import whose file gets another deck after it was read ends with its place", async () => {
  const path = join(await temporaryFolder(), "a.csv");
  writeFileSync(path, "front,deck\na,A\n");
  const source = await openSource(path);
  writeFileSync(path, "front,deck\na,A\nb,B\n");
  const client = await emptyAccount();
  const running = importSource(source, await planImport(source), {
    client,
    ledger: new Ledger(undefined),
    deck: undefined,
    reviews: true,
    attachmentList: true,
    withDecks: (create) => create(new Map()),
    matches: noMatches,
    scratch: new Scratch(),
    known: { note: () => {} },
    overwrite: false,
    now: Date.now(),
    leftFiles: () => {},
    left: () => {},
    skip: () => {},
    failed: () => {},
    progress: () => {},
  });
  await expect(running).rejects.toMatchObject({
    code: "usage",
    message: "a.csv, line 3: its deck was not there when the input was read",
  });
});

describe("an import that is run again after a card with references was deleted", () => {
  const collection = [
    { deck: { id: "d", name: "D" } },
    { card: { id: "one", content: "one", "deck-id": "d" } },
    { card: { id: "two", content: "after [[one]]", "deck-id": "d" } },
  ];

  async function runTwice(betweenRuns: (journal: string) => void) {
    const requests: string[] = [];
    const client = await emptyAccount(({ method, path }) => {
      requests.push(`${method} ${path}`);
      return undefined;
    });
    const path = await ndjson(collection);
    const journal = join(await temporaryFolder(), "journal");
    await importFile(client, path, { journal });
    const two = (await wholeAccount(client)).cards.find(({ content }) => content?.startsWith("after"));
    await client.cards.delete(two?.id ?? "").send();
    betweenRuns(journal);
    requests.length = 0;
    const { failures } = await importFile(client, path, { journal });
    return { failures, asked: requests.filter((request) => request.includes(`/cards/${two?.id}`)) };
  }

  test("asks for nothing that the journal knows to be right", async () => {
    expect(await runTwice(() => {})).toEqual({ failures: [], asked: [] });
  });

  test("has nothing to put right where the first run did not get to the references", async () => {
    const { failures, asked } = await runTwice(forgetReferences);
    expect(failures).toEqual([]);
    expect(asked).toEqual([expect.stringMatching(/^GET /)]);
  });
});

describe("an import whose answer was lost", () => {
  test.each([
    ["in the next run", 0],
    ["two runs later", 1],
  ])(
    "finds a card again that was sent when fewer of those that it names were there, %s",
    async (_, stopped) => {
      let mode: "first" | "gone" | "well" = "first";
      let left = Number.POSITIVE_INFINITY;
      const client = await emptyAccount(({ method, path, body }) => {
        if (mode === "gone" || left <= 0) throw new Error("gone");
        if (method === "POST") left--;
        if (mode === "well" || method !== "POST" || path !== "/cards") return undefined;
        if (String(body).includes('"content":"one"')) return refused;
        if (!String(body).includes("refers")) return undefined;
        // The program gets no further: it can't even look whether the card is there.
        mode = "gone";
        return "lost";
      });
      const path = await ndjson([
        { deck: { id: "d", name: "D" } },
        { card: { id: "zero", content: "zero", "deck-id": "d" } },
        { card: { id: "one", content: "one", "deck-id": "d" } },
        { card: { id: "two", content: "refers to [[zero]] and [[one]]", "deck-id": "d" } },
      ]);
      const journal = join(await temporaryFolder(), "journal");
      await expect(importFile(client, path, { journal })).rejects.toThrow();
      mode = "well";
      // As if it had been killed before it could write that.
      if (stopped > 0) writeFileSync(journal, readFileSync(journal, "utf8").replace(/.*"unknown".*\n$/, ""));
      for (let run = 0; run < stopped; run++) {
        // It gets as far as the card that was refused.
        left = 1;
        await expect(importFile(client, path, { journal })).rejects.toThrow();
      }
      left = Number.POSITIVE_INFINITY;
      const { failures } = await importFile(client, path, { journal });
      expect(failures).toEqual([]);
      const { cards } = await wholeAccount(client);
      const [zero, one] = ["zero", "one"].map((name) => cards.find(({ content }) => content === name)?.id);
      expect(cards.map(({ content }) => content).toSorted()).toEqual([
        "one",
        `refers to [[${zero}]] and [[${one}]]`,
        "zero",
      ]);
    },
  );

  test("does not take a card that was there before for its own, where the service counts no cards", async () => {
    let lose = true;
    const client = await emptyAccount(({ method, path, body }) => {
      if (method === "GET" && /^\/decks\/./.test(path))
        return {
          status: 200,
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ id: path.slice(7), name: "D" }),
        };
      if (!lose || method !== "POST" || !String(body).includes("equal")) return undefined;
      lose = false;
      throw new NetworkError("it did not arrive", { uncertain: true });
    });
    const deck = await client.decks.create({ name: "D" }).send();
    lose = false;
    await client.cards.create({ content: "equal", "deck-id": deck.id }).send();
    lose = true;
    const path = join(await temporaryFolder(), "a.csv");
    writeFileSync(path, "content\nequal\n");
    const { failures } = await importFile(client, path, { deck: deck.id });
    expect(failures).toEqual([]);
    expect((await wholeAccount(client)).cards.map(({ content }) => content)).toEqual(["equal", "equal"]);
  });

  test("does not begin while it can't be known what the deck holds", async () => {
    const client = await emptyAccount(({ method, path }) =>
      method === "GET" && /^\/decks\/./.test(path) ? { ...refused, status: 500 } : undefined,
    );
    const deck = await client.decks.create({ name: "D" }).send();
    const path = join(await temporaryFolder(), "a.csv");
    writeFileSync(path, "content\nnew\n");
    await expect(importFile(client, path, { deck: deck.id })).rejects.toThrow(/500/);
    const cards: unknown[] = [];
    for await (const page of client.cards.pages()) cards.push(...page.docs);
    expect(cards).toEqual([]);
  });
});
