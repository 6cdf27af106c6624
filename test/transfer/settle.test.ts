import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DeckhandError } from "../../src/errors.ts";
import type { WireAnswer, WireRequest } from "../../src/schema/index.ts";
import { openTestApplication, temporaryFolder } from "../support/service.ts";
import { clientOf, emptyAccount, importFile, wholeAccount } from "./support.ts";

const refused: WireAnswer = {
  status: 422,
  headers: { "content-type": "application/json" },
  body: '{"errors":{"content":"not today"}}',
};

/** An account of a service without extensions, as the hosted one is. */
const hosted = (onRequest: (request: WireRequest) => WireAnswer | "lost" | undefined = () => undefined) =>
  emptyAccount((request) =>
    request.method === "GET" && request.path === "/"
      ? { status: 404, headers: {}, body: "" }
      : onRequest(request),
  );

async function ndjson(lines: readonly unknown[]): Promise<string> {
  const path = join(await temporaryFolder(), "collection.ndjson");
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return path;
}

test("an edit of a card while the import runs is kept, and its references lead to the new cards", async () => {
  const transport = (await openTestApplication()).as("default");
  const user = clientOf({ as: () => transport });
  let edited: string | undefined;
  const editing = async (request: WireRequest) => {
    if (request.method === "GET" && request.path === "/") return { status: 404, headers: {}, body: "" };
    const answer = await transport.send(request);
    if (request.method !== "POST" || request.path !== "/cards" || edited !== undefined) return answer;
    const { id = "", content } = (await user.cards.list({})).docs[0] ?? {};
    edited = id;
    await user.cards.update(id, { content: `${content} and mine` });
    return answer;
  };
  const path = await ndjson([
    { deck: { id: "d", name: "D" } },
    { card: { id: "one", content: "see [[two]]", "deck-id": "d" } },
    { card: { id: "two", content: "two", "deck-id": "d" } },
  ]);
  await importFile(clientOf({ as: () => ({ ...transport, send: editing }) }), path);
  const { docs } = await user.cards.list({});
  const two = docs.find(({ id }) => id !== edited)?.id;
  expect(docs.find(({ id }) => id === edited)?.content).toBe(`see [[${two}]] and mine`);
});

test("an import that is run again puts references right to a card that failed before", async () => {
  let refuses = true;
  const client = await hosted(({ method, body }) =>
    refuses && method === "POST" && String(body).includes('"content":"late"') ? refused : undefined,
  );
  const path = await ndjson([
    { deck: { id: "d", name: "D" } },
    { card: { id: "first001", content: "[[next0001]] [[late0001]]", "deck-id": "d" } },
    { card: { id: "next0001", content: "next", "deck-id": "d" } },
    { card: { id: "late0001", content: "late", "deck-id": "d" } },
  ]);
  const options = { folder: temporaryFolder(), match: true };
  expect((await importFile(client, path, options)).failures).toHaveLength(1);
  refuses = false;
  expect((await importFile(client, path, options)).failures).toEqual([]);
  const { cards } = await wholeAccount(client);
  const [next, late] = ["next", "late"].map((text) => cards.find(({ content }) => content === text)?.id);
  expect(cards.map(({ content }) => content).toSorted()).toEqual([`[[${next}]] [[${late}]]`, "late", "next"]);
});

test("a row that was refused and corrected is created by the next run, and nothing twice", async () => {
  const client = await hosted(({ method, body }) =>
    method === "POST" && String(body).includes("wrong") ? refused : undefined,
  );
  const path = join(temporaryFolder(), "a.csv");
  const write = (row: string) => writeFileSync(path, `front,back,deck\na,1,D\nb,${row},D\nc,3,D\nc,3,D\n`);
  const options = { folder: temporaryFolder(), match: true };
  write("wrong");
  expect((await importFile(client, path, options)).failures).toHaveLength(1);
  write("2");
  expect((await importFile(client, path, options)).summary).toMatchObject({
    cards: 1,
    unchanged: 3,
    failed: 0,
  });
  const { cards } = await wholeAccount(client);
  expect(cards.map(({ content }) => content?.replace("\n---\n", "")).toSorted()).toEqual([
    "a1",
    "b2",
    "c3",
    "c3",
  ]);
});

test("what was read is what is imported, whatever happens to the source meanwhile", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "a.csv");
  writeFileSync(path, "front,back,deck,picture\na,1,A,a.png\nb,2,A,b.png\n");
  for (const name of ["a.png", "b.png"]) writeFileSync(join(folder, name), "before");
  const client = await emptyAccount();
  const { failures } = await importFile(client, path, {
    meanwhile: () => {
      writeFileSync(path, "front,back,deck,picture\nz,0,Z,a.png\na,changed,A,a.png\n");
      writeFileSync(join(folder, "b.png"), "another");
    },
  });
  const { cards, decks, files } = await wholeAccount(client);
  expect(cards.map(({ content }) => content?.split("\n")[0]).toSorted()).toEqual(["a", "b"]);
  expect(decks.map(({ name }) => name)).toEqual(["A"]);
  // A file that is another one now is named, and not sent.
  expect(failures.map(({ message }) => message)).toEqual([
    expect.stringContaining("b.png: the file was changed after it was read"),
  ]);
  expect(files.map(({ name, bytes }) => [name, Buffer.from(bytes, "base64").toString()])).toEqual([
    ["a.png", "before"],
  ]);
});

test("of several cards with one front none is taken for another, and equal ones are counted", async () => {
  const client = await hosted();
  const deck = await client.decks.create({ name: "D" });
  const create = (content: string) => client.cards.create({ content, "deck-id": deck.id });
  for (const content of ["a\n---\n1", "b\n---\n1", "c\n---\n1", "c\n---\n2"]) await create(content);
  const path = join(temporaryFolder(), "a.csv");
  // Two that match one, one twice that is there once, one that matches two.
  writeFileSync(path, "front,back\na,2\na,3\nb,1\nb,1\nc,3\n");
  const { plan, summary } = await importFile(client, path, { deck: deck.id, match: true, update: true });
  expect(plan.there).toEqual({ same: 1, changed: 0, differs: 3 });
  expect(summary).toMatchObject({ cards: 1, updated: 0, unchanged: 1 });
  const { cards } = await wholeAccount(client);
  expect(cards.map(({ content }) => content?.replace("\n---\n", "")).toSorted()).toEqual([
    ...["a1", "b1", "b1", "c1", "c2"],
  ]);
});

test("of two cards of a source whose ids lead to one card of the account, the second is left", async () => {
  const client = await emptyAccount();
  const options = { folder: temporaryFolder(), match: true, update: true };
  const cards = (...given: readonly (readonly [id: string, content: string])[]) =>
    ndjson([
      { deck: { id: "deck0001", name: "D" } },
      ...given.map(([id, content]) => ({ card: { id, content, "deck-id": "deck0001" } })),
    ]);
  await importFile(client, await cards(["elsewhere1", "text"]), options);
  const [made] = (await wholeAccount(client)).cards;
  // Its id in another account, and the one that it has here since.
  const both = await cards(["elsewhere1", "text of one"], [made?.id ?? "", "text of the other"]);
  const { plan, summary } = await importFile(client, both, options);
  expect(plan.there).toEqual({ same: 0, changed: 1, differs: 1 });
  expect(summary).toMatchObject({ cards: 0, updated: 1 });
  expect((await wholeAccount(client)).cards.map(({ content }) => content)).toEqual(["text of one"]);
});

describe("an import whose answer was lost", () => {
  test("finds a card again that was sent when fewer of those that it names were there", async () => {
    let mode: "first" | "gone" | "well" = "first";
    const client = await hosted(({ method, path, body }) => {
      if (mode === "gone") throw new Error("gone");
      if (mode === "well" || method !== "POST" || path !== "/cards") return undefined;
      if (String(body).includes('"content":"one"')) return refused;
      if (!String(body).includes("refers")) return undefined;
      // The program gets no further: it can't even look whether the card is there.
      mode = "gone";
      return "lost";
    });
    const path = await ndjson([
      { deck: { id: "d", name: "D" } },
      { card: { id: "zero0001", content: "zero", "deck-id": "d" } },
      { card: { id: "one00001", content: "one", "deck-id": "d" } },
      { card: { id: "two00001", content: "refers to [[zero0001]] and [[one00001]]", "deck-id": "d" } },
    ]);
    const options = { folder: temporaryFolder(), match: true };
    await expect(importFile(client, path, options)).rejects.toThrow();
    mode = "well";
    expect((await importFile(client, path, options)).failures).toEqual([]);
    const { cards } = await wholeAccount(client);
    const [zero, one] = ["zero", "one"].map((name) => cards.find(({ content }) => content === name)?.id);
    expect(cards.map(({ content }) => content).toSorted()).toEqual([
      "one",
      `refers to [[${zero}]] and [[${one}]]`,
      "zero",
    ]);
  });

  test("does not take a card that was there before for its own, where the service counts no cards", async () => {
    let lose = true;
    const client = await hosted(({ method, path, body }) => {
      if (method === "GET" && /^\/decks\/./.test(path))
        return {
          status: 200,
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ id: path.slice(7), name: "D" }),
        };
      if (!lose || method !== "POST" || !String(body).includes("equal")) return undefined;
      lose = false;
      throw new DeckhandError("network", "it did not arrive", { uncertain: true });
    });
    const deck = await client.decks.create({ name: "D" });
    lose = false;
    await client.cards.create({ content: "equal", "deck-id": deck.id });
    lose = true;
    const path = join(await temporaryFolder(), "a.csv");
    writeFileSync(path, "content\nequal\n");
    const { failures } = await importFile(client, path, { deck: deck.id });
    expect(failures).toEqual([]);
    expect((await wholeAccount(client)).cards.map(({ content }) => content)).toEqual(["equal", "equal"]);
  });

  test("creates nothing while it can't be known what the deck holds", async () => {
    const client = await hosted(({ method, path }) =>
      method === "GET" && /^\/decks\/./.test(path) ? { ...refused, status: 500 } : undefined,
    );
    const deck = await client.decks.create({ name: "D" });
    const path = join(await temporaryFolder(), "a.csv");
    writeFileSync(path, "content\nnew\n");
    const { failures } = await importFile(client, path, { deck: deck.id });
    expect(failures.map(({ status }) => status)).toEqual([500]);
    const cards: unknown[] = [];
    for await (const page of client.cards.pages()) cards.push(...page.docs);
    expect(cards).toEqual([]);
  });
});
