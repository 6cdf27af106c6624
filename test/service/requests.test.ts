import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { loadCodec } from "../../src/codecs/index.ts";
import { due, errors } from "../../src/schema/index.ts";
import { handled } from "../support/handled.ts";
import { idOf, type Loose, rawClient, received } from "../support/requests.ts";
import { openTestApplication } from "../support/service.ts";

const transit = "application/transit+json";
const client = async () => rawClient(await openTestApplication());

test("accepts every path with and without a trailing slash", async () => {
  const ask = await client();
  for (const path of ["/cards", "/decks", "/templates", "/due", "/"]) {
    expect((await ask("GET", path)).status).toBe(200);
    if (path !== "/") expect((await ask("GET", `${path}/`)).status).toBe(200);
  }
  const deck = idOf(await ask("POST", "/decks/", { name: "x" }));
  expect((await ask("GET", `/decks/${deck}/`)).status).toBe(200);
  expect((await ask("POST", `/decks/${deck}/`, { name: "y" })).status).toBe(200);
  expect((await ask("DELETE", `/decks/${deck}/`)).status).toBe(204);
});

test.each([
  "/nothing",
  "/cards/a/b",
  "/cards//",
  "//cards",
  "/Cards",
  "/cards/a/attachments/b/c",
  "/due/a/b",
  "/openapi.json/x",
])("answers 404 at %s", async (path) => {
  const answer = await (await client())("GET", path);
  expect(answer).toMatchObject({ status: 404, body: { errors: [expect.any(String)] } });
});

test.each([
  ["PUT", "/cards", "GET, HEAD, POST"],
  ["DELETE", "/cards", "GET, HEAD, POST"],
  ["PATCH", "/cards/abcd1234", "GET, HEAD, POST, DELETE"],
  ["OPTIONS", "/decks", "GET, HEAD, POST"],
  ["POST", "/due", "GET, HEAD"],
  ["POST", "/", "GET, HEAD"],
  ["GET", "/cards/abcd1234/reviews", "POST"],
  ["PUT", "/cards/abcd1234/attachments/x.png", "POST, DELETE, GET, HEAD"],
])("answers %s %s with 405 and the methods allowed", async (method, path, allowed) => {
  const answer = await (await client())(method, path);
  expect(answer).toMatchObject({ status: 405, body: { errors: [expect.any(String)] } });
  expect(new Set(answer.headers["allow"]?.split(", "))).toEqual(new Set(allowed.split(", ")));
});

test("answers HEAD as GET, without the body", async () => {
  const ask = await client();
  const [get, head] = [await ask("GET", "/decks"), await ask("HEAD", "/decks")];
  expect(head).toMatchObject({ status: 200, text: "" });
  expect(head.headers).toEqual({ ...get.headers, "content-length": String(get.text.length) });
  expect(await ask("HEAD", "/cards/nothere1")).toMatchObject({ status: 404 });
});

test.each(["/cards/%zz", "/cards/%ff", "/due/%C3%28"])(
  "answers 400 to the badly encoded path %s",
  async (path) => {
    expect((await (await client())("GET", path)).status).toBe(400);
  },
);

test("decodes ids in paths", async () => {
  const ask = await client();
  const deck = idOf(await ask("POST", "/decks", { name: "x" }));
  const encoded = [...deck].map((c) => `%${c.charCodeAt(0).toString(16)}`).join("");
  expect((await ask("GET", `/decks/${encoded}`)).status).toBe(200);
  expect((await ask("GET", "/decks/..%2Fcards")).status).toBe(404);
});

test("decodes letters of a path, and does not treat an encoded slash as a separator", async () => {
  const ask = await client();
  for (const path of ["/%63ards", "/c%61rd%73/", "/%64ue"]) expect((await ask("GET", path)).status).toBe(200);
  const deck = idOf(await ask("POST", "/%64ecks", { name: "x" }));
  expect((await ask("GET", `/d%65cks/${deck}`)).status).toBe(200);
  for (const path of [`/decks%2F${deck}`, "/cards%2f", "/%2Fcards", "/c%2561rds"])
    expect((await ask("GET", path)).status).toBe(404);
});

test.each([
  ["/decks", '{"~:name":{"~#list":["x"]}}', ["name"]],
  ["/decks", '{"~:name":"x","~:sort":"~:1","~:archived?":"~:true"}', ["sort", "archived?"]],
  ["/decks", '{"~:name":"x","~:trashed?":"~:today"}', ["trashed?"]],
  ["/decks", '{"~:name":"x","~:sort-by":{"~#set":["~:none"]}}', ["sort-by"]],
  ["/cards", '{"~:content":{"~:a":1},"~:deck-id":"~:no","~:pos":5}', ["content", "pos", "deck-id"]],
  ["/cards", '{"~:content":"x","~:deck-id":"~:no","~:tags":{"~#set":["a",5]}}', ["tags", "deck-id"]],
  ["/cards", '{"~:content":"x","~:fields":{"~:a":{"~:id":"~:a","~:value":5}}}', ["deck-id", "fields"]],
  ["/templates", '{"~:name":5,"~:content":"c","~:fields":{"~#set":[]}}', ["name", "fields"]],
])("refuses values of other types in transit: %s %s", async (path, body, fields) => {
  const answer = await (await client())("POST", path, body, { "content-type": transit });
  expect(answer.status).toBe(422);
  expect(Object.keys(answer.body["errors"] ?? {})).toEqual(fields);
});

test("accepts a keyword as string or symbol, a list for a set, an instant for a timestamp", async () => {
  const ask = await client();
  const headers = { "content-type": transit };
  const deck = idOf(await ask("POST", "/decks", '{"~:name":"x","~:sort-by":"none"}', headers));
  const body = `{"content":"x","~:deck-id":"~$${deck}","~:tags":["~#list",["a"]]}`;
  const card = await ask("POST", "/cards", body, headers);
  expect(card.body).toMatchObject({ "deck-id": deck, tags: ["a"] });
  const trashed = await ask("POST", `/cards/${idOf(card)}`, '{"~:trashed?":{"~#dt":5}}', headers);
  expect(trashed.body["trashed?"]).toEqual({ date: "1970-01-01T00:00:00.005Z" });
});

test.each([
  ["{", "application/json"],
  ["", "application/json"],
  ["<html>", "application/json"],
  ['{"name":"x"} trailing', "application/json"],
  ["[]", "application/json"],
  ["null", "application/json"],
  ['"x"', "application/json"],
  ["5", transit],
  ['["~#set",[1]]', transit],
  ['{"~:name"', transit],
  ['{"~:trashed?":{"~#dt":"soon"}}', transit],
  [`{"name":${"[".repeat(300)}${"]".repeat(300)}}`, "application/json"],
])("answers 400 to the body %j", async (body, type) => {
  const ask = await client();
  const answer = await ask("POST", "/decks", body, { "content-type": type });
  expect(answer).toMatchObject({ status: 400, body: { errors: [expect.any(String)] } });
});

test("answers 400 to a body that is not UTF-8, and accepts one with a byte order mark", async () => {
  const application = await openTestApplication();
  const statusOf = async (body: Uint8Array) => {
    const headers = { authorization: `Basic ${btoa(application.key)}`, "content-type": "application/json" };
    return (await handled(application, { method: "POST", path: "/decks", query: "", headers, body })).status;
  };
  expect(await statusOf(Buffer.from('{"name":"caf\xe9"}', "latin1"))).toBe(400);
  expect(await statusOf(Buffer.from('\ufeff{"name":"café"}'))).toBe(200);
});

test.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "json", ""])(
  "answers 415 to a body of type %j",
  async (type) => {
    const answer = await (await client())("POST", "/decks", '{"name":"x"}', { "content-type": type });
    expect(answer).toMatchObject({ status: 415, body: { errors: [expect.any(String)] } });
  },
);

test("answers 415 to a compressed body, and 400 to a missing one", async () => {
  const ask = await client();
  const gzip = { "content-encoding": "gzip" };
  expect((await ask("POST", "/decks", '{"name":"x"}', gzip)).status).toBe(415);
  expect((await ask("POST", "/decks")).status).toBe(400);
});

test("accepts a content type with parameters and in any case", async () => {
  const ask = await client();
  for (const type of [
    "application/json; charset=utf-8",
    "Application/JSON",
    "application/json;charset=UTF-8",
  ])
    expect((await ask("POST", "/decks", '{"name":"x"}', { "content-type": type })).status).toBe(200);
});

test("answers 413 to a body over the limit, declared or not, and accepts one at the limit", async () => {
  const application = await openTestApplication({ limits: { body: 1000 } });
  const ask = rawClient(application);
  const body = (size: number) => `{"name":"${"x".repeat(size - 11)}"}`;
  expect(body(1000)).toHaveLength(1000);
  expect((await ask("POST", "/decks", body(1000))).status).toBe(200);
  expect((await ask("POST", "/decks", body(1001))).status).toBe(413);
  const headers = { authorization: `Basic ${btoa(application.key)}`, "content-type": "application/json" };
  const streamed = (chunks: string[], extra = {}) =>
    handled(application, {
      method: "POST",
      path: "/decks",
      query: "",
      headers: { ...headers, ...extra },
      body: Readable.from(chunks.map((chunk) => Buffer.from(chunk))),
    });
  expect((await streamed([body(900), " ".repeat(101)])).status).toBe(413);
  expect((await streamed([body(900), " ".repeat(100)])).status).toBe(200);
  expect((await streamed([], { "content-length": "1001" })).status).toBe(413);
});

test("accepts bodies up to 10 MiB", async () => {
  const ask = await client();
  const deck = idOf(await ask("POST", "/decks", { name: "x" }));
  const card = (length: number) => ({ content: "x".repeat(length), "deck-id": deck });
  expect((await ask("POST", "/cards", card(10 * 1024 * 1024 - 100))).status).toBe(200);
  expect((await ask("POST", "/cards", card(10 * 1024 * 1024))).status).toBe(413);
});

test("answers 400 if the body breaks off", async () => {
  const application = await openTestApplication();
  const body = new Readable({ read() {} });
  body.push('{"name":');
  const answer = handled(application, {
    method: "POST",
    path: "/decks",
    query: "",
    headers: { authorization: `Basic ${btoa(application.key)}`, "content-type": "application/json" },
    body,
  });
  body.destroy(new Error("reset"));
  expect((await answer).status).toBe(400);
});

test.each<[string | undefined, string]>([
  [undefined, "application/json"],
  ["*/*", "application/json"],
  ["text/html", "application/json"],
  ["application/json", "application/json"],
  [transit, transit],
  ["APPLICATION/TRANSIT+JSON", transit],
  [`${transit}, application/json`, transit],
  [`application/json, ${transit}`, "application/json"],
  [`application/json;q=0.5, ${transit};q=0.8`, transit],
  [`${transit};q=0.1, application/json`, "application/json"],
  [`${transit};q=0`, "application/json"],
  [`text/html, ${transit}; q=0.9, */*`, transit],
])("answers Accept %j in %s, errors included", async (accept, type) => {
  const ask = await client();
  const headers: Record<string, string> = accept === undefined ? {} : { accept };
  for (const path of ["/decks", "/nothing"]) {
    const answer = await ask("GET", path, undefined, headers);
    expect(answer.headers["content-type"]).toBe(type);
    const key: keyof Loose = path === "/decks" ? "docs" : "errors";
    expect(Object.keys(answer.body)).toContain(type === transit ? `~:${key}` : key);
  }
});

test("ignores unknown query parameters and unknown fields", async () => {
  const ask = await client();
  expect((await ask("GET", "/decks?colour=red&limit=0")).status).toBe(200);
  expect((await ask("POST", "/decks", { name: "x", id: "mine", colour: "red" })).body).not.toHaveProperty(
    "colour",
  );
});

test("describes itself and its extensions", async () => {
  const answer = await (await client())("GET", "/");
  expect(answer.body).toEqual({
    service: "deckhand",
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    store: expect.stringMatching(/^[\w-]{22}$/),
    extensions: [
      "reviews",
      "attachment-list",
      "attachment-download",
      "due-pages",
      "conditional-writes",
      "schedule",
      "ids",
      "batch",
      "today",
      "deck-settings",
      "due-writes",
      "template-writes",
    ],
  });
});

test("answers 500 without details, and reports them to the log", async () => {
  const errors: unknown[] = [];
  const application = await openTestApplication({ onError: (error) => errors.push(error) });
  await application.close();
  const answer = await received(
    await application.as("default").send({ method: "GET", path: "/decks", query: "", headers: {} }),
  );
  expect(answer).toMatchObject({ status: 500, body: { errors: ["the service failed; its log says why"] } });
  expect(errors).toHaveLength(1);
});

test("answers names in transit that cannot be keywords: of files, and of unexpected parts", async () => {
  const ask = await client();
  const deck = idOf(await ask("POST", "/decks", { name: "x" }));
  const card = idOf(await ask("POST", "/cards", { content: "x", "deck-id": deck }));
  const upload = (name: string, part: string) =>
    ask(
      "POST",
      `/cards/${card}/attachments/${encodeURIComponent(name)}`,
      `--B\r\nContent-Disposition: form-data; name="${part}"; filename="f"\r\n\r\nhi\r\n--B--\r\n`,
      { "content-type": "multipart/form-data; boundary=B", accept: transit },
    );
  const names = [
    ":x.txt",
    ":",
    "~:x",
    "^0",
    "~",
    "`",
    "^ ",
    "__proto__",
    "constructor",
    "~#set",
    " ",
    "\u202e",
    "😀",
  ];
  for (const name of names) expect((await upload(name, "file")).status, name).toBe(200);
  const answer = await ask("GET", "/due", undefined, { accept: transit });
  const codec = await loadCodec("transit");
  const { cards } = codec.decode(due, answer.text) as { cards: { attachments: object }[] };
  expect(new Set(Object.keys(cards[0]?.attachments ?? {}))).toEqual(new Set(names));
  for (const part of [":x", "~:y", "^0", "__proto__"]) {
    const refused = await upload("x", part);
    expect(refused.status, part).toBe(422);
    expect(codec.decode(errors, refused.text)).toEqual({ errors: { [part]: expect.any(String) } });
  }
});

test("finds nothing for ids and names with NUL, in paths and in bodies", async () => {
  const ask = await client();
  for (const path of [
    "/cards/a%00b",
    "/decks/%00",
    "/templates/%00",
    "/due/%00",
    "/cards/%00/attachments/%00",
  ])
    expect((await ask("GET", path)).status, path).toBe(404);
  expect((await ask("GET", "/cards?deck-id=%00")).body).toEqual({ docs: [], bookmark: "nil" });
  const body = { content: "x\0y", "deck-id": "\0", "template-id": "a\0" };
  expect(await ask("POST", "/cards", body)).toMatchObject({
    status: 422,
    body: { errors: { "deck-id": expect.any(String), "template-id": expect.any(String) } },
  });
  const deck = idOf(await ask("POST", "/decks", { name: "x\0y" }));
  const card = await ask("POST", "/cards", { content: "x\0y", "deck-id": deck, pos: "\0" });
  expect((await ask("GET", `/cards/${idOf(card)}`)).body).toMatchObject({ content: "x\0y", pos: "\0" });
});

test("frees the slot after a failure that could not be reported", async () => {
  let broken = false;
  const fail = () => {
    if (broken) throw new Error("broken");
  };
  const random = (bytes: Uint8Array) => {
    fail();
    return crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
  };
  const ask = rawClient(await openTestApplication({ random, onError: fail }));
  broken = true;
  for (const _ of [1, 2]) await expect(ask("POST", "/decks", { name: "x" })).rejects.toThrow("broken");
  broken = false;
  expect((await ask("POST", "/decks", { name: "x" })).status).toBe(200);
});
