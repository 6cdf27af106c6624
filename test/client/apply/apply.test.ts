import { describe, expect, test } from "vitest";
import { type Applied, apply, type Operation, type Task } from "../../../src/client/apply/index.ts";
import { type Client, createClient } from "../../../src/client/index.ts";
import { newId } from "../../../src/schema/index.ts";
import { makeCards, withTransport } from "../../support/collection.ts";
import { httpTo } from "../../support/http.ts";
import { losingProxy } from "../../support/losing-proxy.ts";
import { startTestServer } from "../../support/service.ts";

type Kind = "with batches" | "without extensions";

/** A service that loses the answers that `loses` names, and the collection behind it. */
async function surroundings(kind: Kind, loses: (request: string) => boolean = () => false) {
  const server = await startTestServer();
  const proxy = await losingProxy(server.url, loses, kind === "without extensions");
  const client = createClient(await httpTo(proxy.url, { key: server.key }));
  const behind = <T>(work: (client: Client) => Promise<T>) =>
    withTransport(server.application.as("default"), work);
  return { client, behind, proxy };
}

async function* tasksOf(operations: readonly Operation[]): AsyncGenerator<Task<number>> {
  for (const [tag, operation] of operations.entries()) yield { operation, tag };
}

async function run(client: Client, operations: readonly Operation[]): Promise<Applied<number>[]> {
  const done: Applied<number>[] = [];
  const { signal } = new AbortController();
  for await (const each of apply(tasksOf(operations), { client, signal })) done.push(each);
  return done;
}

const statesOf = (applied: readonly Applied<number>[]) =>
  applied.map(({ outcome }) => (outcome.state === "done" ? "done" : outcome.error.code));

const cardsIn = async (client: Client) => {
  const cards: string[] = [];
  for await (const { docs } of client.cards.pages()) cards.push(...docs.map(({ content }) => content ?? ""));
  return cards.sort();
};

describe.each<Kind>(["with batches", "without extensions"])("operations on a service %s", (kind) => {
  test("are carried out in order, with the ids that the caller or the service chose", async () => {
    const { client, behind } = await surroundings(kind);
    const [deck, card] = [newId(), newId()];
    const applied = await run(client, [
      { kind: "decks.create", id: deck, body: { name: "Europe" } },
      { kind: "cards.create", id: card, body: { content: "Lisbon", "deck-id": deck } },
      { kind: "cards.update", id: card, body: { "manual-tags": ["eu"] } },
      { kind: "cards.create", id: newId(), body: { content: "", "deck-id": deck } },
      {
        kind: "cards.create",
        id: newId(),
        body: { content: "Oslo", "deck-id": deck },
        trashed: "2026-11-19T10:00:00.000Z",
      },
    ]);
    expect(applied.map(({ task }) => task.tag)).toEqual([0, 1, 2, 3, 4]);
    expect(statesOf(applied)).toEqual(["done", "done", "done", "validation", "done"]);
    await behind(async (local) => {
      const [europe] = await local.decks.all();
      const cards = (await local.cards.list()).docs;
      expect(cards.map(({ content, tags, ...rest }) => [content, tags, rest["deck-id"]])).toEqual([
        ["Lisbon", ["eu"], europe?.id],
        ["Oslo", [], europe?.id],
      ]);
      expect(cards[1]?.["trashed?"]).toMatch(/^2026-11-19/);
    });
  });

  test("create nothing twice where answers are lost", async () => {
    let sent = 0;
    const { client, behind, proxy } = await surroundings(
      kind,
      (request) => request.startsWith("POST") && ++sent % 3 === 0,
    );
    const deck = newId();
    const creations = Array.from({ length: 1200 }, (_, at): Operation => {
      const body = { content: `card ${Math.floor(at / 2) % 20}`, "deck-id": deck };
      return { kind: "cards.create", id: newId(), body };
    }).slice(0, kind === "with batches" ? 1200 : 40);
    const applied = await run(client, [
      { kind: "decks.create", id: deck, body: { name: "Europe" } },
      ...creations,
    ]);
    expect(new Set(statesOf(applied))).toEqual(new Set(["done"]));
    expect(proxy.lost()).toBeGreaterThan(0);
    const wanted = creations.map(({ kind, ...rest }) => ("body" in rest ? rest.body : {}));
    await behind(async (local) => {
      expect(await local.decks.all()).toHaveLength(1);
      expect(await cardsIn(local)).toEqual(
        wanted.map((body) => ("content" in body ? body.content : "")).sort(),
      );
    });
    expect(new Set(applied.map(({ outcome }) => outcome.state === "done" && outcome.id)).size).toBe(
      creations.length + 1,
    );
  });

  test("do not take an equal card that was there before for one whose answer was lost", async () => {
    let down = true;
    const { client, behind } = await surroundings(kind, (request) => down && request === "POST /cards");
    await behind((local) => makeCards(local, ["Lisbon"]));
    const deck = await behind(async (local) => (await local.decks.all())[0]?.id ?? "");
    const operation: Operation = {
      kind: "cards.create",
      id: newId(),
      body: { content: "Lisbon", "deck-id": deck },
    };
    const [applied] = await run(client, [operation]);
    down = false;
    expect(applied?.outcome.state).toBe("done");
    expect(await behind(cardsIn)).toEqual(["Lisbon", "Lisbon"]);
  });
});

test("what is to be sent is recorded before, and sent again it is what is there", async () => {
  const { client, behind } = await surroundings("with batches");
  const deck = await behind(async (local) => (await local.decks.create({ name: "d" })).id);
  const operations = [1, 2].map(
    (at): Operation => ({
      kind: "cards.create",
      id: newId(),
      body: { content: `${at}`, "deck-id": deck },
    }),
  );
  const recorded: string[] = [];
  const { signal } = new AbortController();
  const target = {
    client,
    signal,
    beforeSend: (tasks: readonly Task<number>[]) => {
      recorded.push(...tasks.map(({ operation }) => operation.id));
    },
  };
  for await (const { task } of apply(tasksOf(operations), target))
    expect(recorded).toContain(task.operation.id);
  const again = await run(client, operations);
  expect(again.map(({ outcome }) => outcome.state === "done" && outcome.before)).toEqual([true, true]);
  expect(await behind(cardsIn)).toEqual(["1", "2"]);
});
