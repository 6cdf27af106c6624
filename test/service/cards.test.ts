import { expect, test } from "vitest";
import { docsOf, idOf, rawClient } from "../support/requests.ts";
import { openTestApplication } from "../support/service.ts";

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A service with one deck, at a clock that the test moves. */
async function withDeck() {
  const clock = { now: Date.parse("2024-11-20T10:00:00.000Z") };
  const application = await openTestApplication({ now: () => clock.now });
  const ask = rawClient(application);
  const deck = idOf(await ask("POST", "/decks", { name: "Deck" }));
  return { ask, deck, clock, application };
}

test("answers a created card with every field and its default", async () => {
  const { ask, deck } = await withDeck();
  const answer = await ask("POST", "/cards", { content: "# Front\n---\nBack", "deck-id": deck });
  expect(answer.status).toBe(200);
  expect(answer.headers["content-type"]).toBe("application/json");
  expect(answer.body).toEqual({
    id: expect.stringMatching(/^[0-9A-Za-z]{8}$/),
    content: "# Front\n---\nBack",
    name: "Front",
    "deck-id": deck,
    "template-id": null,
    pos: "a1",
    tags: [],
    "manual-tags": [],
    references: [],
    reviews: [],
    fields: {},
    attachments: {},
    "created-at": { date: "2024-11-20T10:00:00.000Z" },
    "updated-at": { date: "2024-11-20T10:00:00.000Z" },
    "new?": true,
    "archived?": false,
    "review-reverse?": false,
  });
});

test("accepts every parameter of a create", async () => {
  const { ask, deck } = await withDeck();
  const template = idOf(
    await ask("POST", "/templates", { name: "T", content: "<< Name >>", fields: { name: { id: "name" } } }),
  );
  const sent = {
    content: "",
    "deck-id": deck,
    "template-id": template,
    "archived?": true,
    "review-reverse?": true,
    pos: "日本",
    "manual-tags": ["biology", "two words"],
    fields: { name: { id: "name", value: "Hello" }, JNEnw1e7: { id: "JNEnw1e7", value: "" } },
  };
  const { "manual-tags": tags, ...same } = sent;
  expect((await ask("POST", "/cards", sent)).body).toMatchObject({ ...same, tags, name: "Hello" });
});

test("answers create, retrieve, update, list and review with the same fields", async () => {
  const { ask, deck } = await withDeck();
  const created = await ask("POST", "/cards", { content: "x", "deck-id": deck });
  const path = `/cards/${idOf(created)}`;
  const answers = [
    created.body,
    (await ask("GET", path)).body,
    (await ask("POST", path, { content: "y" })).body,
    docsOf(await ask("GET", "/cards"))[0],
    (await ask("POST", `${path}/reviews`, { "remembered?": true })).body,
  ];
  for (const answer of answers) expect(Object.keys(answer ?? {})).toEqual(Object.keys(created.body));
});

test("changes only the fields of an update, and sets updated-at", async () => {
  const { ask, deck, clock } = await withDeck();
  const created = await ask("POST", "/cards", { content: "x #a", "deck-id": deck, "manual-tags": ["b"] });
  clock.now += 60_000;
  const updated = await ask("POST", `/cards/${idOf(created)}`, { "archived?": true });
  expect(updated.status).toBe(200);
  expect(updated.body).toEqual({
    ...created.body,
    "archived?": true,
    "updated-at": { date: "2024-11-20T10:01:00.000Z" },
  });
  expect((await ask("GET", `/cards/${idOf(created)}`)).body).toEqual(updated.body);
});

test("leaves a card as it is when an update is empty or holds unknown fields only", async () => {
  const { ask, deck, clock } = await withDeck();
  const created = await ask("POST", "/cards", { content: "x", "deck-id": deck });
  clock.now += 60_000;
  for (const body of [{}, { colour: "red", id: "other", "created-at": 5 }]) {
    const answer = await ask("POST", `/cards/${idOf(created)}`, body);
    expect(answer).toMatchObject({ status: 200, body: created.body });
  }
});

test("archives, trashes and restores a card", async () => {
  const { ask, deck } = await withDeck();
  const path = `/cards/${idOf(await ask("POST", "/cards", { content: "x", "deck-id": deck }))}`;
  expect((await ask("POST", path, { "archived?": true })).body["archived?"]).toBe(true);
  expect((await ask("POST", path, { "archived?": false })).body["archived?"]).toBe(false);
  const trashed = await ask("POST", path, { "trashed?": "2024-11-20T23:00:00+01:00" });
  expect(trashed.body["trashed?"]).toEqual({ date: "2024-11-20T22:00:00.000Z" });
  const inTransit = await ask("GET", path, undefined, { accept: "application/transit+json" });
  expect(JSON.parse(inTransit.text)["~:trashed?"]).toEqual({ "~#dt": Date.UTC(2024, 10, 20, 22) });
  expect((await ask("POST", path, { "trashed?": null })).body).not.toHaveProperty("trashed?");
  const live = await ask("GET", path, undefined, { accept: "application/transit+json" });
  expect(live.text).not.toContain("trashed?");
});

test("clears the template with null", async () => {
  const { ask, deck } = await withDeck();
  const template = idOf(await ask("POST", "/templates", { name: "T", content: "c", fields: {} }));
  const card = await ask("POST", "/cards", { content: "x", "deck-id": deck, "template-id": template });
  expect(card.body["template-id"]).toBe(template);
  const cleared = await ask("POST", `/cards/${idOf(card)}`, { "template-id": null });
  expect(cleared.body["template-id"]).toBeNull();
});

test("overwrites manual tags, keeps inline ones, and accepts `tags` for `manual-tags`", async () => {
  const { ask, deck } = await withDeck();
  const card = await ask("POST", "/cards", { content: "x #in #both", "deck-id": deck, tags: ["both", "b"] });
  expect(card.body["tags"]).toEqual(["both", "b", "in"]);
  const path = `/cards/${idOf(card)}`;
  expect((await ask("POST", path, { "manual-tags": ["c"] })).body["tags"]).toEqual(["c", "in", "both"]);
  expect((await ask("POST", path, { tags: ["d"], "manual-tags": ["e"] })).body["tags"]).toContain("e");
  expect((await ask("POST", path, { "manual-tags": [] })).body["tags"]).toEqual(["in", "both"]);
  expect((await ask("POST", path, { content: "no tags" })).body["tags"]).toEqual([]);
});

test("names the cards that the content links to", async () => {
  const { ask, deck } = await withDeck();
  const content = "see [[abcd1234]], [[Title|efgh5678]] and ![[abcd1234/1]]";
  const card = await ask("POST", "/cards", { content, "deck-id": deck });
  expect(card.body["references"]).toEqual(["abcd1234", "efgh5678"]);
});

test("names a card by its primary field, else by the first line of its content, else not", async () => {
  const { ask, deck } = await withDeck();
  const nameOf = async (body: object) =>
    (await ask("POST", "/cards", { "deck-id": deck, ...body })).body["name"];
  expect(await nameOf({ content: "\n\n## **Bold** [link](http://x)\nmore" })).toBe("Bold link");
  expect(await nameOf({ content: "x".repeat(200) })).toBe("x".repeat(120));
  const fields = { name: { id: "name", value: "Primary" } };
  expect(await nameOf({ content: "line", fields })).toBe("Primary");
  expect(await nameOf({ content: "line", fields: { name: { id: "name", value: " " } } })).toBe("line");
  expect(await nameOf({ content: "", fields: { other: { id: "other", value: "x" } } })).toBeNull();
});

test("keeps any text exactly, NUL and every plane", async () => {
  const { ask, deck } = await withDeck();
  const text = "a\u0000b\ue000c😀\u2028\ufeff";
  const fields = Object.fromEntries(["__proto__", "constructor"].map((id) => [id, { id, value: text }]));
  const body = JSON.stringify({ content: text, "deck-id": deck, pos: text, "manual-tags": [text] }).replace(
    /}$/,
    `,"fields":{"__proto__":{"id":"__proto__","value":${JSON.stringify(text)}},"constructor":{"id":"constructor","value":""}}}`,
  );
  const created = await ask("POST", "/cards", body, { "content-type": "application/json" });
  const read = await ask("GET", `/cards/${idOf(created)}`);
  expect(read.body).toMatchObject({ content: text, pos: text, tags: [text] });
  expect(Object.keys(read.body["fields"] ?? {})).toEqual(Object.keys(fields));
});

test("refuses a create with one message for each failing field, all at once", async () => {
  const { ask } = await withDeck();
  const answer = await ask("POST", "/cards", {
    "deck-id": "nowhere1",
    "template-id": "nothere1",
    "archived?": "yes",
    "review-reverse?": null,
    pos: "",
    "manual-tags": ["ok", 5],
    fields: { a: { id: "b", value: "x" } },
  });
  expect(answer.status).toBe(422);
  expect(answer.body).toEqual({
    errors: {
      content: "is required and cannot be nil",
      "deck-id": "names a deck that does not exist",
      "template-id": "names a template that does not exist",
      "archived?": "must be true or false",
      "review-reverse?": "cannot be nil",
      pos: "cannot be empty",
      "manual-tags": "has an item that must be a string",
      fields: expect.stringContaining("id that is not its key"),
    },
  });
  expect(docsOf(await ask("GET", "/cards"))).toEqual([]);
});

test.each([
  [{ content: "" }, "content"],
  [{ content: " \n" }, "content"],
  [{ content: null }, "content"],
  [{ content: 5 }, "content"],
  [{ "deck-id": null }, "deck-id"],
  [{ "deck-id": "" }, "deck-id"],
  [{ "template-id": 7 }, "template-id"],
  [{ "trashed?": "soon" }, "trashed?"],
  [{ "trashed?": "2024-02-30" }, "trashed?"],
  [{ fields: [] }, "fields"],
  [{ fields: { a: { id: "a" } } }, "fields"],
  [{ fields: { a: { id: "a", value: null } } }, "fields"],
  [{ fields: { a: null } }, "fields"],
  [{ "manual-tags": "x" }, "manual-tags"],
  [{ tags: [5] }, "tags"],
  [{ content: "half a pair: \ud83d" }, "content"],
  [{ "manual-tags": null }, "manual-tags"],
  [{ pos: null }, "pos"],
])("refuses the update %j", async (body, field) => {
  const { ask, deck } = await withDeck();
  const card = await ask("POST", "/cards", { content: "x", "deck-id": deck });
  const answer = await ask("POST", `/cards/${idOf(card)}`, body);
  expect(answer.status).toBe(422);
  expect(Object.keys(answer.body["errors"] ?? {})).toEqual([field]);
  expect((await ask("GET", `/cards/${idOf(card)}`)).body).toEqual(card.body);
});

test("accepts blank content if the card has fields", async () => {
  const { ask, deck } = await withDeck();
  const fields = { a: { id: "a", value: "x" } };
  const card = await ask("POST", "/cards", { content: "x", "deck-id": deck, fields });
  expect((await ask("POST", `/cards/${idOf(card)}`, { content: "" })).status).toBe(200);
});

test("accepts a position of spaces: any string that is not empty", async () => {
  const { ask, deck } = await withDeck();
  expect((await ask("POST", "/cards", { content: "x", "deck-id": deck, pos: " " })).body["pos"]).toBe(" ");
});

test("puts a card without a position after the last one of its deck", async () => {
  const { ask, deck } = await withDeck();
  for (const pos of [undefined, "6V", "zzz", "\uffff", "\u{1f600}"])
    await ask("POST", "/cards", { content: "x", "deck-id": deck, ...(pos === undefined ? {} : { pos }) });
  const last = await ask("POST", "/cards", { content: "last", "deck-id": deck });
  const positions = docsOf(await ask("GET", "/cards")).map((card) => String(card["pos"]));
  expect(positions).toEqual([...positions].sort());
  expect(positions.at(-1)).toBe(last.body["pos"]);
});

test("deletes a card for good, with an empty answer", async () => {
  const { ask, deck } = await withDeck();
  const path = `/cards/${idOf(await ask("POST", "/cards", { content: "x", "deck-id": deck }))}`;
  expect(await ask("DELETE", path)).toMatchObject({ status: 204, text: "" });
  for (const method of ["GET", "DELETE"])
    expect(await ask(method, path)).toMatchObject({ status: 404, body: { errors: [expect.any(String)] } });
  expect((await ask("POST", path, { content: "y" })).status).toBe(404);
});

test("knows nothing of the cards of another account", async () => {
  const { ask, deck, application } = await withDeck();
  const path = `/cards/${idOf(await ask("POST", "/cards", { content: "x", "deck-id": deck }))}`;
  const other = rawClient(application, await application.keys.add("other"));
  expect((await other("GET", path)).status).toBe(404);
  expect(docsOf(await other("GET", "/cards"))).toEqual([]);
  expect((await other("POST", "/cards", { content: "x", "deck-id": deck })).status).toBe(422);
});

test("speaks transit both ways, with the forms that the document shows", async () => {
  const { ask, deck } = await withDeck();
  const transit = "application/transit+json";
  const body = `{"~:content":"~~ tilde","~:deck-id":"~:${deck}","~:tags":{"~#set":["a","b"]},"~:fields":{"~:name":{"~:id":"~:name","~:value":"v"}}}`;
  const answer = await ask("POST", "/cards", body, { "content-type": transit, accept: transit });
  expect(answer).toMatchObject({ status: 200, headers: { "content-type": transit } });
  expect(answer.body).toMatchObject({
    "~:content": "~~ tilde",
    "~:deck-id": `~:${deck}`,
    "~:tags": { "~#set": ["a", "b"] },
    "~:references": { "~#set": [] },
    "~:fields": { "~:name": { "~:id": "~:name", "~:value": "v" } },
    "~:created-at": { "~#dt": Date.parse("2024-11-20T10:00:00.000Z") },
    "~:new?": true,
  });
  const refused = await ask("POST", "/cards", "{}", { "content-type": transit, accept: transit });
  expect(refused.status).toBe(422);
  expect(Object.keys(refused.body["~:errors"] ?? {})).toEqual(["~:content", "~:deck-id"]);
  expect(docsOf(await ask("GET", "/cards"))[0]).toMatchObject({
    content: "~ tilde",
    "created-at": { date: expect.stringMatching(iso) },
  });
});

test("drops the # before a tag, and refuses a # alone", async () => {
  const { ask, deck } = await withDeck();
  const card = await ask("POST", "/cards", {
    content: "x #c",
    "deck-id": deck,
    "manual-tags": ["#a", "a", "b#"],
  });
  expect(card.body["tags"]).toEqual(["a", "b#", "c"]);
  const path = `/cards/${idOf(card)}`;
  expect((await ask("POST", path, { tags: ["##d"] })).body["tags"]).toEqual(["d", "c"]);
  for (const tag of ["#", "## "])
    expect(await ask("POST", path, { "manual-tags": ["x", tag] })).toMatchObject({
      status: 422,
      body: { errors: { "manual-tags": expect.any(String) } },
    });
});

test("leaves a card without content and fields only if a body says so", async () => {
  const { ask, deck } = await withDeck();
  const fields = { a: { id: "a", value: "x" } };
  const card = await ask("POST", "/cards", { content: "", "deck-id": deck, fields });
  const path = `/cards/${idOf(card)}`;
  const refused = (key: string) => ({ status: 422, body: { errors: { [key]: expect.any(String) } } });
  expect(await ask("POST", path, { fields: {} })).toMatchObject(refused("fields"));
  expect((await ask("POST", path, { content: " " })).status).toBe(200);
  expect((await ask("POST", path, { content: "text", fields: {} })).status).toBe(200);
  expect(await ask("POST", path, { content: "" })).toMatchObject(refused("content"));
  expect((await ask("POST", path, { content: "", fields })).status).toBe(200);
  expect((await ask("POST", path, { "archived?": true })).status).toBe(200);
  const empty = { content: "", fields: {} };
  expect((await ask("POST", path, empty)).body).toMatchObject(empty);
  expect((await ask("POST", "/cards", { ...empty, "deck-id": deck })).body).toMatchObject(empty);
  expect((await ask("POST", path, { pos: "x" })).status).toBe(200);
});

test.each(["", ":x", "%00", "nothere1", "%F0%9F%98%80"])(
  "lists nothing of the unknown deck %j",
  async (text) => {
    const { ask, deck } = await withDeck();
    await ask("POST", "/cards", { content: "x", "deck-id": deck });
    const answer = await ask("GET", `/cards?deck-id=${text}`);
    expect(answer).toMatchObject({ status: 200, body: { docs: [], bookmark: "nil" } });
  },
);

test("refuses a position that no bookmark could carry", async () => {
  const { ask, deck } = await withDeck();
  for (const pos of ["p".repeat(8_001), "\u0001".repeat(2_000)]) {
    const problem = { status: 422, body: { errors: { pos: "is too long (at most 8000 bytes)" } } };
    expect(await ask("POST", "/cards", { content: "x", "deck-id": deck, pos })).toMatchObject(problem);
    expect(await ask("POST", "/templates", { name: "t", content: "x", fields: {}, pos })).toMatchObject(
      problem,
    );
  }
});
