import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { isOneFile, program, serve } from "../support/cli.ts";
import { clockAhead } from "../support/clock-ahead.ts";
import { seed } from "../support/soak.ts";
import { agent, eras, home } from "./support.ts";

describe.each(eras)("the server, for a client of the %s era or version", (era) => {
  test("finds, reads, creates and changes cards", async () => {
    const a = await agent({ era });
    const { id: deck } = await a.call("decks_create", { name: "Geography" });
    expect(await a.call("decks_create", { name: "Geography" })).toEqual({ id: deck, created: false });
    const cards = [
      { content: "Capital of Norway?\n---\nOslo", deck, tags: ["europe"] },
      { content: "Capital of Peru?\n---\nLima", deck },
      { content: "Capital of Norway?\n---\nOslo", deck },
    ];
    expect(await a.call("cards_create", { cards, dryRun: true })).toMatchObject({
      outcomes: [{ status: "would create" }, { status: "would create" }, { status: "exists" }],
    });
    const made = await a.call("cards_create", { cards });
    expect(made).toMatchObject({
      outcomes: [{ status: "created" }, { status: "created" }, { status: "exists" }],
    });
    const [{ id }] = made["outcomes"] as [{ id: string }];
    expect(await a.call("cards_create", { cards: cards.slice(0, 1) })).toEqual({
      outcomes: [{ status: "exists", id }],
    });
    expect(await a.call("cards_search", { query: "capital", limit: 1 })).toMatchObject({
      count: 2,
      bookmark: 1,
    });
    expect(await a.call("cards_search", { query: "#europe" })).toEqual({
      cards: [{ id, front: "Capital of Norway?", deck }],
      count: 1,
      bookmark: null,
    });
    const changes = { cards: [{ id, tags: ["north"] }] };
    expect(await a.call("cards_update", changes)).toEqual({ outcomes: [{ id, status: "updated" }] });
    expect(await a.call("cards_get", { ids: [id, "nothing1"] })).toMatchObject({
      cards: [{ id, content: "Capital of Norway?\n---\nOslo", tags: ["north"], new: true, due: null }],
      missing: ["nothing1"],
    });
    await a.d.ok(["cards", "update", id, "--content", "Capital of Norway?\n---\nOslo, on a fjord"]);
    const { outcomes } = await a.call("cards_update", { cards: [{ id, content: "overwritten" }] });
    expect(outcomes).toMatchObject([{ status: "refused", error: expect.stringContaining("cards_get") }]);
    expect(await a.call("decks_list")).toMatchObject({ decks: [{ id: deck, path: "Geography", new: 2 }] });
    expect(await a.call("stats")).toMatchObject({
      figures: expect.arrayContaining(["Cards: 2; 2 new, 0 young, 0 mature, 0 archived."]),
    });
  });
});

describe("the list of tools", () => {
  test("costs at most 12,000 characters, and says of each what it does and answers", async () => {
    const { tools } = await agent();
    expect(tools.map(({ name }) => name).sort()).toEqual([
      ...["cards_create", "cards_get", "cards_search", "cards_update", "decks_create", "decks_list"],
      ...["review_answer", "review_next", "review_reveal", "stats"],
    ]);
    expect(JSON.stringify(tools).length).toBeLessThanOrEqual(12_000);
    for (const { outputSchema } of tools) expect(outputSchema).toBeDefined();
  });

  test("is made by a library that nothing else loads", () => {
    const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith(".ts"),
    );
    const using = files.filter((path) =>
      readFileSync(`src/${path}`, "utf8").includes('"@modelcontextprotocol/'),
    );
    expect(using.sort()).toEqual(["commands/mcp/tools.ts"]);
    expect(readFileSync("src/commands/mcp/serve.ts", "utf8")).not.toMatch(
      /^import (?!type)[^;]*(?:modelcontextprotocol|tools\.ts)/m,
    );
  });

  test.skipIf(isOneFile)("costs no other command its start", async () => {
    const d = home();
    const [hook, loaded] = [join(d.home, "hook.cjs"), join(d.home, "loaded")];
    writeFileSync(
      hook,
      `process.on("exit", () => require("node:fs").writeFileSync(${JSON.stringify(loaded)}, Object.keys(require.cache).join("\\n")));`,
    );
    const holdsLibrary = (path: string) =>
      /modelcontextprotocol|registerTool\(/.test(path.endsWith("cjs") ? readFileSync(path, "utf8") : path);
    const chunks = readdirSync("dist/chunks").map((name) => resolve("dist/chunks", name));
    expect(chunks.some(holdsLibrary)).toBe(true);
    for (const args of [["--version"], ["--help"], ["decks", "list"], ["cards", "list"]]) {
      await d.ok(args, { env: { NODE_OPTIONS: `--require=${hook}` } });
      const files = readFileSync(loaded, "utf8").split("\n");
      expect([args, files.filter(holdsLibrary)]).toEqual([args, []]);
      expect(files.some((path) => path.includes("deckhand") || path.includes("dist"))).toBe(true);
    }
  });

  test("has only what reads with --read-only", async () => {
    const { tools } = await agent({ args: ["--read-only"] });
    expect(tools.map(({ name }) => name).sort()).toEqual([
      "cards_get",
      "cards_search",
      "decks_list",
      "stats",
    ]);
  });
});

describe("a quiz", () => {
  const countries = Array.from({ length: 10 }, (_, number) => ({
    question: `Capital of country ${number}?`,
    answer: `Answer-${number * 7919}`,
  }));

  test("asks ten cards, and no answer comes before it is revealed", async () => {
    const a = await agent();
    const { id: deck } = await a.call("decks_create", { name: "Geography" });
    const cards = countries.map(({ question, answer }) => ({ content: `${question}\n---\n${answer}`, deck }));
    cards[3] = { content: "The capital of country 3 is {{Answer-23757}}.", deck };
    await a.call("cards_create", { cards });
    let asked = 0;
    const answerOf = (text: string) => countries[Number(/country (\d)/.exec(text)?.[1])]?.answer ?? "?";
    for (;;) {
      const next = await a.call("review_next");
      if (next["done"]) break;
      const card = next["card"];
      expect(JSON.stringify(next)).not.toMatch(/Answer-\d/);
      expect(next).toMatchObject({ deck: "Geography", type: true });
      expect(await a.fails("review_answer", { card, remembered: true })).toContain("review_reveal");
      expect(await a.call("review_next")).toEqual(next);
      const { answer } = await a.call("review_reveal", { card });
      expect(answer).toContain(answerOf(`${next["question"]}`));
      const remembered = asked++ !== 0;
      const came = await a.call("review_answer", { card, remembered });
      expect(came).toMatchObject({ card, again: !remembered, waiting: 0 });
      if (remembered) expect(Date.parse(`${came["due"]}`)).toBeGreaterThan(Date.now());
      expect(await a.fails("review_answer", { card, remembered })).toContain("review_next");
    }
    expect(asked).toBe(11);
    expect(await a.call("stats")).toMatchObject({
      figures: expect.arrayContaining([
        expect.stringMatching(/^Today: 10 reviews, 9 remembered, 10 were new/),
      ]),
    });
    await a.close();
    const log = await a.d.ok(["due", "log", "-o", "json"]);
    expect(JSON.parse(log)).toHaveLength(11);
  });

  test("refuses a card that is not asked, also the one that comes next, and says what to do", async () => {
    const a = await agent();
    expect(await a.call("review_next")).toEqual({ done: true });
    expect(await a.fails("review_reveal", { card: "stranger" })).toContain("Call review_next first");
    const { id: deck } = await a.call("decks_create", { name: "A" });
    const { outcomes } = await a.call("cards_create", {
      cards: ["one", "two"].map((front) => ({ content: `${front}\n---\nback`, deck })),
    });
    const [first, second] = (outcomes as { id: string }[]).map(({ id }) => id);
    expect(await a.call("review_next")).toMatchObject({ card: first });
    await a.call("review_reveal", { card: first });
    await a.call("review_answer", { card: first, remembered: true });
    expect(await a.fails("review_reveal", { card: second })).toContain("Call review_next first");
  });

  test("asks a card that was forgotten the day before as a card of today", async () => {
    const d = home();
    const clock = clockAhead(d.home);
    const a = await agent({ d, env: clock.env });
    const { id: deck } = await a.call("decks_create", { name: "A" });
    await a.call("cards_create", { cards: [{ content: "one", deck }] });
    const { card } = await a.call("review_next");
    await a.call("review_answer", { card, remembered: false });
    expect(await a.call("review_next")).toMatchObject({ card });
    clock.set(1);
    expect(await a.fails("review_answer", { card, remembered: true })).toContain("Call review_next first");
    expect(await a.call("review_next")).toMatchObject({ card });
    const { due } = await a.call("review_answer", { card, remembered: true });
    expect(Date.parse(`${due}`)).toBeGreaterThan(Date.now() + 86_400_000);
  });

  test("refuses a card that was answered on the command line, and asks no more of it", async () => {
    const a = await agent();
    const { id: deck } = await a.call("decks_create", { name: "A" });
    await a.call("cards_create", { cards: ["one", "two"].map((front) => ({ content: front, deck })) });
    const { card } = await a.call("review_next");
    await a.d.ok(["due", "answer", `${card}`, "remembered"]);
    expect(await a.fails("review_answer", { card, remembered: false })).toContain("Call review_next first");
    const { card: other } = await a.call("review_next");
    expect(other).not.toBe(card);
    // It has one side: nothing is to be revealed.
    expect(await a.call("review_answer", { card: other, remembered: true })).toMatchObject({ again: false });
    expect(await a.call("review_next")).toEqual({ done: true });
  });

  test("that was left open asks what is due on the day it goes on", async () => {
    const d = home();
    const clock = clockAhead(d.home);
    const a = await agent({ d, env: clock.env });
    const { id: deck } = await a.call("decks_create", { name: "A" });
    await a.call("cards_create", { cards: ["one", "two"].map((front) => ({ content: front, deck })) });
    const { card: first } = await a.call("review_next");
    expect(await a.call("review_answer", { card: first, remembered: false })).toMatchObject({ again: true });
    const { card: second } = await a.call("review_next");
    await a.call("review_answer", { card: second, remembered: true });
    const days = 30;
    clock.set(days);
    const asked = new Map<unknown, unknown>();
    for (let next = await a.call("review_next"); next["card"]; next = await a.call("review_next"))
      asked.set(
        next["card"],
        (await a.call("review_answer", { card: next["card"], remembered: true }))["due"],
      );
    expect([...asked.keys()].sort()).toEqual([first, second].sort());
    for (const due of asked.values())
      expect(Date.parse(`${due}`)).toBeGreaterThan(Date.now() + days * 86_400_000);
  });
});

describe("trashing several cards", () => {
  const prepared = async (options: Parameters<typeof agent>[0]) => {
    const a = await agent(options);
    const { id: deck } = await a.call("decks_create", { name: "A" });
    const cards = ["one", "two"].map((content) => ({ content, deck }));
    const { outcomes } = await a.call("cards_create", { cards });
    const trashed = (outcomes as { id: string }[]).map(({ id }) => ({ id, trashed: true }));
    const count = async () => (await a.call("cards_search", {}))["count"];
    return { a, trashed, count };
  };

  test.each(["current", "before"] as const)("asks the user, of the %s era", async (era) => {
    const asked: string[] = [];
    let yes = false;
    const answer = (message: string) => {
      asked.push(message);
      return yes;
    };
    const { a, trashed, count } = await prepared({ era, answer });
    expect(await a.fails("cards_update", { cards: trashed })).toContain("the user did not agree");
    expect(await count()).toBe(2);
    yes = true;
    await a.call("cards_update", { cards: trashed });
    expect([await count(), asked]).toEqual([0, Array(2).fill("Move 2 cards to the trash?")]);
  });

  test("needs an argument where the client cannot ask", async () => {
    const { a, trashed, count } = await prepared({});
    expect(await a.fails("cards_update", { cards: trashed })).toContain("confirm: true");
    await a.call("cards_update", { cards: trashed.slice(0, 1) });
    expect(await count()).toBe(1);
    await a.call("cards_update", { cards: trashed.slice(1), confirm: true });
    expect(await count()).toBe(0);
  });
});

describe("bad input", () => {
  test("gets an error that says what to do next", async () => {
    const a = await agent();
    const { id: deck } = await a.call("decks_create", { name: "A" });
    expect(await a.fails("cards_create", { cards: [] })).toContain("1 to 50");
    const many = Array.from({ length: 51 }, (_, number) => ({ content: `${number}`, deck }));
    expect(await a.fails("cards_create", { cards: many })).toContain("several calls");
    expect(await a.fails("cards_get", { ids: many.map(({ content }) => content) })).toContain(
      "several calls",
    );
    const updates = many.map(({ content }) => ({ id: content, tags: [] }));
    expect(await a.fails("cards_update", { cards: updates })).toContain("several calls");
    expect(await a.fails("cards_create", { cards: [{ content: "x", dek: deck }] })).toMatch(/additional|dek/);
    const refusedOf = async (card: object) =>
      ((await a.call("cards_create", { cards: [card] }))["outcomes"] as { error: string }[])[0]?.error;
    expect(await refusedOf({ content: "x" })).toContain("decks_list");
    expect(await refusedOf({ content: "x", deck: "stranger" })).toContain("decks_list");
    expect(await refusedOf({ content: " ", deck })).toContain("a line of three dashes");
    expect(await refusedOf({ content: "x", deck, fields: { a: "b" } })).toContain("Give the template");
    const template = JSON.parse(
      await a.d.ok([
        "templates",
        "create",
        "T",
        "--field",
        "Front",
        "--content",
        "<< Front >>",
        "-o",
        "json",
      ]),
    );
    expect(await refusedOf({ content: "", deck, template: template.id })).toContain("(Front)");
    expect(await a.call("cards_update", { cards: [{ id: "stranger", tags: [] }] })).toMatchObject({
      outcomes: [{ status: "refused", error: expect.stringContaining("cards_search") }],
    });
    expect(await a.fails("cards_search", { bookmark: "x" })).toContain("bookmark");
    expect(await a.call("cards_search", {})).toMatchObject({ count: 0 });
  });

  test("of fields is refused by their names and the template's, and cards of one template are told apart", async () => {
    const a = await agent();
    const { id: deck } = await a.call("decks_create", { name: "A" });
    const fields = ["--field", "Question", "--field", "Answer"];
    const made = await a.d.ok([
      "templates",
      "create",
      "T",
      ...fields,
      "--content",
      "<< Question >>",
      "-o",
      "json",
    ]);
    const { id: template } = JSON.parse(made);
    const of = (values: object) => ({ content: "", deck, template, fields: values });
    const cards = [
      of({ Answer: "1945", Question: "End of the war?" }),
      of({ Answer: "1945", Question: "UN founded?" }),
      of({ Question: "UN founded?", Answer: "1945" }),
      of({ Frage: "?" }),
    ];
    const { outcomes } = await a.call("cards_create", { cards });
    const [{ id }] = outcomes as [{ id: string }];
    expect(outcomes).toMatchObject([
      { status: "created" },
      { status: "created" },
      { status: "exists", id: expect.any(String) },
      { status: "refused", error: expect.stringContaining("The fields are: Question (") },
    ]);
    expect(await a.call("cards_search", { query: '"End of the war"' })).toMatchObject({
      cards: [{ id, front: expect.stringContaining("End of the war?") }],
    });
    const update = async (values: object) =>
      ((await a.call("cards_update", { cards: [{ id, fields: values }] }))["outcomes"] as object[])[0];
    expect(await update({ answer: "8 May 1945" })).toEqual({ id, status: "updated" });
    expect(await update({ Antwort: "1946" })).toMatchObject({ status: "refused" });
    expect(Object.values(JSON.parse(await a.d.ok(["cards", "get", id, "-o", "json"])).fields)).toMatchObject([
      { value: "8 May 1945" },
      { value: "End of the war?" },
    ]);
  });

  test("of a deck in the trash, or below one, is refused", async () => {
    const a = await agent();
    const { id: above } = await a.call("decks_create", { name: "A" });
    const { id: deck } = await a.call("decks_create", { name: "B", parent: above });
    const { outcomes } = await a.call("cards_create", { cards: [{ content: "one", deck }] });
    const [{ id }] = outcomes as [{ id: string }];
    await a.d.ok(["decks", "trash", `${above}`]);
    expect(await a.call("decks_list")).toEqual({ decks: [] });
    expect(await a.call("cards_get", { ids: [id] })).toEqual({ cards: [], missing: [id] });
    expect(await a.call("cards_create", { cards: [{ content: "two", deck }] })).toMatchObject({
      outcomes: [{ status: "refused", error: expect.stringContaining("decks_list") }],
    });
  });

  test("of a server confined to a deck includes what is outside of it", async () => {
    const d = home();
    for (const name of ["A", "B"]) await d.ok(["decks", "create", name]);
    const inB = JSON.parse(
      await d.ok(["cards", "create", "--content", "outside", "--deck", "B", "-o", "json"]),
    );
    const a = await agent({ d, args: ["--deck", "A"] });
    await a.call("cards_create", { cards: [{ content: "inside" }] });
    const { id: below } = await a.call("decks_create", { name: "Below" });
    await a.call("cards_create", { cards: [{ content: "below", deck: below }] });
    expect(await a.call("cards_search", {})).toMatchObject({ count: 2 });
    expect(await a.call("cards_get", { ids: [inB.id] })).toEqual({ cards: [], missing: [inB.id] });
    expect(await a.fails("decks_create", { name: "C", parent: inB["deck-id"] })).toContain("decks_list");
    expect(((await a.call("decks_list"))["decks"] as object[]).length).toBe(2);
  });
});

test("fifty parallel calls of two servers never meet at a service that takes one request at a time", async () => {
  const d = home();
  const served = await serve(d);
  const counted = await counting(served.url);
  const env = { DECKHAND_BASE_URL: counted.url, DECKHAND_API_KEY: served.key };
  const [one, other] = [await agent({ d, env }), await agent({ d, env })];
  const { id: deck } = await one.call("decks_create", { name: "A" });
  const create = (number: number) =>
    (number % 2 ? one : other).call("cards_create", { cards: [{ content: `card ${number}`, deck }] });
  await Promise.all(Array.from({ length: 50 }, (_, number) => create(number)));
  expect(await one.call("cards_search", {})).toMatchObject({ count: 50 });
  expect(counted.most()).toBe(1);
  await served.stop();
}, 120_000);

/** A proxy that counts how many requests are there at the same time. */
async function counting(url: string) {
  let [now, most] = [0, 0];
  const server = createServer((request, response) => {
    most = Math.max(most, ++now);
    const { method, headers } = request;
    const passed = forward(new URL(request.url ?? "/", url), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
      answer.on("end", () => now--);
    });
    request.pipe(passed);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, most: () => most };
}

test("a kill in the middle of a creation and the same call again make each card once", async () => {
  const d = home();
  await d.ok(["decks", "create", "A"]);
  const [deck] = JSON.parse(await d.ok(["decks", "list", "-o", "json"]));
  const cards = Array.from({ length: 50 }, (_, number) => ({ content: `card ${number}`, deck: deck.id }));
  for (const wait of [0, 1, 2]) {
    const a = await raw(d);
    a.send({
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: { name: "cards_create", arguments: { cards } },
    });
    if (wait === 0) a.child.stdin.end();
    else await new Promise((resolve) => setTimeout(resolve, wait * 40));
    if (wait > 0) a.child.kill("SIGKILL");
    await a.ended;
  }
  const last = await agent({ d });
  await last.call("cards_create", { cards });
  expect(await last.call("cards_search", {})).toMatchObject({ count: 50 });
});

test("a client that closes the pipe of its answers finds every card of its call, once", async () => {
  const d = home();
  await d.ok(["decks", "create", "A"]);
  const [deck] = JSON.parse(await d.ok(["decks", "list", "-o", "json"]));
  const cards = Array.from({ length: 50 }, (_, number) => ({ content: `card ${number}`, deck: deck.id }));
  const { child, ended, send } = await raw(d);
  send({
    jsonrpc: "2.0",
    id: 2,
    method: "tools/call",
    params: { name: "cards_create", arguments: { cards } },
  });
  child.stdout.destroy();
  // It ends though its input stays open: there is no one to answer.
  expect(await ended).toBe(0);
  expect(await d.ok(["cards", "list", "--count"])).toBe("50\n");
});

/** A server that is spoken to line by line. */
async function raw(d: ReturnType<typeof home>) {
  const child = spawn(process.execPath, [program, "mcp"], { env: d.env, stdio: ["pipe", "pipe", "ignore"] });
  const ended = new Promise((resolve) => child.on("close", resolve));
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const params = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "raw", version: "1" },
  };
  send({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  expect(JSON.parse((await lines.next()).value)).toMatchObject({
    id: 1,
    result: { serverInfo: { name: "deckhand" } },
  });
  send({ jsonrpc: "2.0", method: "notifications/initialized" });
  return { child, ended, send };
}

test("every answer is valid whatever the collection holds, as the client of each era sees it", async () => {
  const a = await agent();
  const { id: deck } = await a.call("decks_create", { name: "A" });
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.constantFrom("---", "{{x}}", "#tag a", "```\n"),
  );
  const card = fc.record(
    {
      content: fc.array(text, { minLength: 1, maxLength: 4 }).map((lines) => `c${lines.join("\n")}`),
      tags: fc.uniqueArray(fc.constantFrom("a", "b b", "ü"), { maxLength: 2 }),
      archived: fc.boolean(),
      reverse: fc.boolean(),
    },
    { requiredKeys: ["content"] },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(card, { minLength: 1, maxLength: 3 }), async (cards) => {
      const given = cards.map((each) => ({ ...each, deck }));
      const { outcomes } = await a.call("cards_create", { cards: given });
      const ids = (outcomes as { id?: string }[]).flatMap(({ id }) => id ?? []);
      if (ids.length > 0) await a.call("cards_get", { ids });
      await a.call("cards_search", { query: "", full: true, limit: 100 });
      await a.call("decks_list");
      await a.call("stats");
      const { card } = await a.call("review_next");
      if (card === undefined) return;
      await a.call("review_reveal", { card });
      await a.call("review_answer", { card, remembered: cards.length > 1 });
    }),
    { seed, numRuns: 20 },
  );
}, 120_000);
