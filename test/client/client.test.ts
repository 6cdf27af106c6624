import { describe, expect, it } from "vitest";
import { createClient, shortMemory } from "../../src/client/index.ts";
import { fakeService, type Handler, sendJson } from "../support/fake-service.ts";
import { httpTo } from "../support/http.ts";
import { closingAfterEach } from "../support/opened.ts";

const opened = closingAfterEach();

async function clientOf(handler: Handler, retries = 0) {
  const service = await opened(fakeService(handler));
  return { client: createClient(await opened(httpTo(service.url, { retries }))), requests: service.requests };
}
const answering = (value: unknown) => clientOf((_, response) => sendJson(response, 200, value));

describe("the client", () => {
  it("asks for the base URL where a list is not there", async () => {
    const { client } = await clientOf((_, response) => sendJson(response, 404, { errors: ["not found"] }));
    const hint = "Is the base URL that of the service?";
    for (const { list } of [client.cards, client.decks, client.templates, client.due])
      await expect(list()).rejects.toMatchObject({ code: "not-found", hint });
    for (const call of [
      () => client.cards.list({ "deck-id": "d" }),
      () => client.decks.get("d"),
      () => client.cards.get("card1234"),
    ])
      await expect(call()).rejects.toMatchObject({ code: "not-found", hint: undefined });
  });

  it("sends each operation as the interface documents it", async () => {
    const { client, requests } = await clientOf((request, response) => {
      const list = /^\/(cards|decks|templates)(\?|$)/.test(request.url) && request.method === "GET";
      const value = list
        ? { docs: [{ id: "x" }] }
        : { id: "x", cards: [{ id: "c" }], docs: [{ "file-name": "f" }], "file-name": "f" };
      sendJson(response, 200, value);
    });
    const upload = {
      fileName: "ä.png",
      source: async () => ({
        stream: (await import("node:stream")).Readable.from([Buffer.from("x")]),
        size: 1,
      }),
    };
    const card = { content: "a", "deck-id": "d" };
    const date = "2024-01-02T00:00:00.000Z";
    const sent: [string, () => Promise<unknown>][] = [
      ["GET /cards?limit=5", () => client.cards.list({ limit: 5 })],
      ["GET /cards/a%20b", () => client.cards.get("a b")],
      ["POST /cards", () => client.cards.create(card)],
      ["POST /cards/c", () => client.cards.update("c", { "archived?": false })],
      ["DELETE /cards/c", () => client.cards.delete("c")],
      ["POST /cards/c/attachments/%C3%A4.png", () => client.attachments.add("c", upload)],
      ["DELETE /cards/c/attachments/f", () => client.attachments.remove("c", "f")],
      ["GET /cards/c/attachments", () => client.attachments.list("c")],
      ["GET /decks?bookmark=b", () => client.decks.list({ bookmark: "b" })],
      ["GET /decks/d", () => client.decks.get("d")],
      ["POST /decks", () => client.decks.create({ name: "n" })],
      ["POST /decks/d", () => client.decks.update("d", { "parent-id": null })],
      ["DELETE /decks/d", () => client.decks.delete("d")],
      ["GET /templates", () => client.templates.list()],
      ["GET /templates/t", () => client.templates.get("t")],
      ["POST /templates", () => client.templates.create({ name: "n", content: "c", fields: {} })],
      ["GET /due", () => client.due.list()],
      [`GET /due?date=${encodeURIComponent(date)}`, () => client.due.list({ date })],
      ["GET /due/d", () => client.due.deck("d")],
      ["POST /cards/c/reviews", () => client.reviews.create("c", { "remembered?": true })],
      ["POST /cards/c/history", () => client.reviews.add("c", [{ date, "remembered?": true }])],
      [`DELETE /cards/c/reviews/${encodeURIComponent(date)}`, () => client.reviews.delete("c", date)],
    ];
    // What the service can do is requested once, before the first call that depends on it.
    await client.service.describe();
    const described = requests.length;
    for (const [expected, call] of sent) {
      await call();
      const request = requests.at(-1);
      expect(`${request?.method} ${request?.url}`).toBe(expected);
    }
    expect(requests).toHaveLength(described + sent.length);
  });

  it("refuses a body that fails validation before it is sent, with every field", async () => {
    const { client, requests } = await answering({ id: "c" });
    const call = client.decks.create({ name: " ", sort: 1.5 });
    await expect(call).rejects.toMatchObject({
      code: "usage",
      exitCode: 2,
      fields: { name: "cannot be blank", sort: "must be a whole number" },
    });
    expect(requests).toHaveLength(0);
  });

  it("takes an answer without ids for a bad response", async () => {
    const bad = { exitCode: 8, code: "bad-response" };
    for (const value of [{}, { id: "" }, { id: null }, { docs: [{ id: "a" }, {}] }, { cards: [{}] }]) {
      const { client } = await answering(value);
      await expect(client.cards.get("c")).rejects.toMatchObject(bad);
      await expect(client.cards.create({ content: "a", "deck-id": "d" })).rejects.toMatchObject({
        ...bad,
        uncertain: true,
        message: expect.stringContaining("it may have been carried out"),
      });
      await expect(client.cards.list()).rejects.toMatchObject(bad);
      await expect(client.decks.all()).rejects.toMatchObject(bad);
      await expect(client.due.list()).rejects.toMatchObject(bad);
      await expect(client.attachments.list("c")).rejects.toMatchObject(bad);
    }
  });

  it("takes an answer with ids that no request can name for a bad response", async () => {
    for (const id of ["a\u0001", "\u001b[31m", "..", "\ud800"]) {
      const { client } = await answering({ id, docs: [{ id: "x" }, { id }], cards: [{ id }] });
      const { cards, decks, due } = client;
      for (const call of [() => cards.get("c"), cards.list, decks.list, due.list])
        await expect(call(), JSON.stringify(id)).rejects.toMatchObject({ code: "bad-response" });
      const created = client.cards.create({ content: "x", "deck-id": "d" });
      await expect(created).rejects.toMatchObject({ code: "bad-response", uncertain: true });
      expect(await client.cards.update("c", { content: "x" })).toBeUndefined();
    }
  });

  it("takes an empty or undocumented answer to an update for done", async () => {
    for (const value of [undefined, true, {}, { ok: true }]) {
      const { client } = await clientOf((_, response) =>
        value === undefined ? void response.writeHead(204).end() : sendJson(response, 200, value),
      );
      expect(await client.cards.update("c", { content: "b" })).toBeUndefined();
      expect(await client.decks.update("d", { name: "b" })).toBeUndefined();
      expect(await client.cards.delete("c")).toBeUndefined();
      expect(await client.attachments.remove("c", "f")).toBeUndefined();
    }
  });

  it("keeps unknown fields of an answer", async () => {
    const { client } = await answering({ id: "c", "something-new": { a: 1 } });
    expect(await client.cards.get("c")).toEqual({ id: "c", "something-new": { a: 1 } });
  });
});

describe("the files of all cards", () => {
  const file = (name: string) => ({ "card-id": "c", "file-name": name });

  it("come complete, whether the last page has a bookmark or not", async () => {
    for (const last of [{}, { bookmark: null }, { bookmark: "nil" }, { bookmark: "two" }]) {
      const { client } = await clientOf((request, response) => {
        const first = !request.url.includes("bookmark");
        const more = request.url.includes("bookmark=two");
        const page = { docs: [file("a"), file("b")], bookmark: "one" };
        sendJson(response, 200, first ? page : { docs: more ? [] : [file("c")], ...last });
      });
      const names = [];
      for await (const page of client.attachments.all()) names.push(...page.map((each) => each["file-name"]));
      expect(names).toEqual(["a", "b", "c"]);
    }
  });

  it("are a bad response where one has no name or no card", async () => {
    for (const broken of [{ "card-id": "c" }, { "file-name": "a" }, "a"]) {
      const { client } = await answering({ docs: [broken] });
      await expect(client.attachments.all().next()).rejects.toMatchObject({ code: "bad-response" });
    }
  });
});

describe("the extensions of a service", () => {
  it("are asked for once", async () => {
    const extensions = ["reviews", "attachment-list", "something-else"];
    const { client, requests } = await answering({ service: "deckhand", version: "1.0.0", extensions });
    const described = { service: "deckhand", version: "1.0.0", extensions };
    expect(await Promise.all([client.service.describe(), client.service.describe()])).toEqual([
      described,
      described,
    ]);
    expect(await client.service.describe()).toEqual(described);
    expect(requests.map((request) => request.url)).toEqual(["/"]);
  });

  it("are none after any other answer", async () => {
    const none = { service: undefined, version: undefined, extensions: [] };
    const answers: Handler[] = [
      (_, response) => sendJson(response, 404, { errors: ["not found"] }),
      (_, response) => sendJson(response, 500, { errors: ["fault"] }),
      (_, response) => sendJson(response, 200, { service: "other" }),
      (_, response) => sendJson(response, 200, { extensions: "reviews" }),
      (_, response) => sendJson(response, 200, ["reviews"]),
      (_, response) => void response.writeHead(200).end(),
      (_, response) => void response.writeHead(200, { "content-type": "text/html" }).end("<h1>Welcome</h1>"),
      (_, response) => void response.writeHead(302, { location: "/login" }).end(),
    ];
    for (const handler of answers) {
      const { client } = await clientOf(handler);
      expect(await client.service.describe()).toEqual(none);
    }
  });

  it("are unknown to a wrong key, and none where only the root refuses the key", async () => {
    const refused: Handler = (_, response) => sendJson(response, 401, { errors: ["no such key"] });
    const { client } = await clientOf(refused);
    await expect(client.service.describe()).rejects.toMatchObject({ code: "unauthorized" });
    const { client: other } = await clientOf((request, response, index) =>
      request.url === "/" ? refused(request, response, index) : sendJson(response, 200, { docs: [] }),
    );
    expect((await other.service.describe()).extensions).toEqual([]);
  });

  it("are unknown where the service does not answer, and requested again", async () => {
    const failures: Handler[] = [
      (_, response) => void response.destroy(),
      (_, response) => sendJson(response, 503, { errors: ["back soon"] }),
    ];
    for (const failure of failures) {
      let down = true;
      const { client } = await clientOf((request, response, index) =>
        down ? failure(request, response, index) : sendJson(response, 200, { extensions: ["reviews"] }),
      );
      await expect(client.service.describe()).rejects.toThrow();
      down = false;
      expect((await client.service.describe()).extensions).toEqual(["reviews"]);
    }
  });

  it("are not remembered to be none because of one page of something between", async () => {
    const between: Handler[] = [
      (_, response) => void response.writeHead(200, { "content-type": "text/html" }).end("<h1>Log in</h1>"),
      (_, response) => void response.writeHead(302, { location: "https://login.example/" }).end(),
      (_, response) => sendJson(response, 200, { ok: true }),
    ];
    for (const page of between) {
      const service = await opened(
        fakeService((request, response, index) =>
          index === 0 ? page(request, response, 0) : sendJson(response, 200, { extensions: ["reviews"] }),
        ),
      );
      const memory = shortMemory();
      const nextRun = async () => createClient(await opened(httpTo(service.url, { retries: 0 })), memory);
      expect((await (await nextRun()).service.describe()).extensions).toEqual([]);
      expect((await (await nextRun()).service.describe()).extensions).toEqual(["reviews"]);
    }
  });

  it("are asked for again after an interruption", async () => {
    const controller = new AbortController();
    const service = await opened(
      fakeService((_, response, index) => {
        if (index === 0) controller.abort(new Error("interrupted"));
        else sendJson(response, 200, { extensions: ["reviews"] });
      }),
    );
    const http = await opened(httpTo(service.url));
    const client = createClient({
      ...http,
      call: (operation, input) =>
        http.call(operation, controller.signal.aborted ? input : { ...input, signal: controller.signal }),
    });
    await expect(client.service.describe()).rejects.toThrow("interrupted");
    expect((await client.service.describe()).extensions).toEqual(["reviews"]);
  });
});
