import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { fakeService, sendJson } from "../../support/fake-service.ts";
import { type Deckhand, deckhand } from "../../support/world.ts";

async function remote(url: string, env: Record<string, string> = {}): Promise<Deckhand> {
  const account = { DECKHAND_PROFILE: "", DECKHAND_BASE_URL: url, DECKHAND_API_KEY: "a-key-for-this-test" };
  return deckhand({ ...account, ...env });
}

describe("api", () => {
  test.each(["json", "transit"])("prints the answer as JSON, carried by %s", async (codec) => {
    const d = await deckhand({ DECKHAND_CODEC: codec });
    const made = JSON.parse(
      await d.ok(["api", "POST", "/decks", "--field", "name=Spanish", "--field", "sort=3"]),
    );
    expect(made).toMatchObject({ name: "Spanish", sort: 3 });
    const card = { content: "hé", "deck-id": made.id, "manual-tags": ["a", "b"], "archived?": false };
    const posted = await d.ok(["api", "POST", "/cards", "--input", "-"], { input: JSON.stringify(card) });
    expect(JSON.parse(posted)).toMatchObject({ content: "hé", "deck-id": made.id, tags: ["a", "b"] });
    expect(JSON.parse(posted)["created-at"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(await d.ok(["api", "delete", `/cards/${JSON.parse(posted).id}`])).toBe("");
  });

  test("reads a path alone as a GET, and reports a missing path for any other word alone", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "Geography"]);
    expect(await d.ok(["api", "/decks", "--jq", ".docs[].name"])).toBe("Geography\n");
    expect(await d.run(["api", "GET"])).toMatchObject({
      code: 2,
      stderr: 'deckhand: missing required argument "path"\nsee "deckhand api --help"\n',
    });
  });

  test("accepts a path without its first slash, and refuses an address", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "Geography"]);
    expect(await d.ok(["api", "GET", "decks", "--jq", ".docs[].name"])).toBe("Geography\n");
    expect(await d.ok(["api", "GET", "decks?limit=1&x=a:b", "--jq", ".docs | length"])).toBe("1\n");
    for (const address of ["https://example.org/decks", "https://example.org/decks?a=b", "//example.org"])
      expect(await d.run(["api", "GET", address])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("is not a path below the base URL"),
      });
  });

  test("types --field and keeps --raw-field as text", async () => {
    const service = await fakeService((_request, response) => sendJson(response, 200, {}));
    onTestFinished(() => service.close());
    const d = await remote(service.url);
    const values = ["a=1", "b=-2.5", "c=true", "d=null", "e=x", "f=007", "g=12345678901234567890", "h=a=b"];
    await d.ok(["api", "POST", "/x", ...values.flatMap((value) => ["--field", value]), "--raw-field", "i=1"]);
    expect(JSON.parse(String(service.requests[0]?.body))).toEqual({
      a: 1,
      b: -2.5,
      c: true,
      d: null,
      e: "x",
      f: "007",
      g: "12345678901234567890",
      h: "a=b",
      i: "1",
    });
  });

  test("encodes the query, and keeps what is encoded in the path", async () => {
    const service = await fakeService((_request, response) => sendJson(response, 200, []));
    onTestFinished(() => service.close());
    const d = await remote(`${service.url}/base/path`);
    await d.ok(["api", "GET", "/a b/%C3%A9?x=1", "--query", "deck-id=a&b=ü", "--query", "limit=5"]);
    expect(service.requests[0]?.url).toBe("/base/path/a%20b/%C3%A9?x=1&deck-id=a%26b%3D%C3%BC&limit=5");
  });

  test.each([
    "/../x",
    "/cards/..",
    "/cards/%2e%2e/x",
    "//evil.example",
    "cards/../x",
    "http://evil.example/",
    "/a\\b",
    "/a\nb",
    "/%zz",
  ])("refuses the path %j, which leaves the base URL or is none", async (path) => {
    const service = await fakeService((_request, response) => sendJson(response, 200, {}));
    onTestFinished(() => service.close());
    const d = await remote(`${service.url}/base`);
    for (const more of [[], ["--dry-run"]])
      expect(await d.run(["api", "GET", path, ...more])).toMatchObject({ code: 2, stdout: "" });
    expect(service.requests).toEqual([]);
  });

  test("follows bookmarks and gives one page with all", async () => {
    const d = await deckhand();
    const deck = (await d.ok(["decks", "create", "D"])).trim();
    for (const front of ["1", "2", "3", "4", "5"]) await d.ok(["add", front, "x", "--deck-id", deck]);
    const args = ["api", "GET", "/cards", "--query", `deck-id=${deck}`, "--query", "limit=2", "--paginate"];
    const { docs } = JSON.parse(await d.ok(args));
    expect(docs.map((card: { name: string }) => card.name)).toEqual(["1", "2", "3", "4", "5"]);
    expect(await d.run(["api", "GET", "/due", "--paginate"])).toMatchObject({ code: 2, stdout: "" });
    expect(await d.run(["api", "POST", "/decks", "--paginate"])).toMatchObject({ code: 2, stdout: "" });
  });

  test("follows bookmarks with parameters in the path as with those of --query", async () => {
    const d = await deckhand();
    const deck = (await d.ok(["decks", "create", "a b"])).trim();
    for (const front of ["1", "2", "3", "4", "5"]) await d.ok(["add", front, "x", "--deck-id", deck]);
    const page = JSON.parse(await d.ok(["api", "GET", "/cards?limit=2"]));
    const path = `/cards?limit=2&bookmark=${page.bookmark}`;
    const all = JSON.parse(await d.ok(["api", "GET", path, "--paginate"]));
    expect(all.docs.map((card: { name: string }) => card.name)).toEqual(["3", "4", "5"]);
  });

  test("gives every document of a list whose documents have no ids", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "D"]);
    const card = (await d.ok(["add", "Q", "A", "--deck", "D"])).trim();
    for (const name of ["a.txt", "b.txt"])
      await d.ok(["attach", "add", card, "-", "--name", name], { input: "x" });
    for (const path of ["/attachments", `/cards/${card}/attachments`]) {
      const { docs } = JSON.parse(await d.ok(["api", "GET", path, "--paginate"]));
      expect(docs.map((file: Record<string, unknown>) => file["file-name"])).toEqual(["a.txt", "b.txt"]);
    }
  });

  test("prints status and headers with --include, also of a refusal", async () => {
    const d = await deckhand();
    const shown = await d.run(["api", "GET", "/cards", "--query", "limit=500", "--include"]);
    expect(shown.code).toBe(5);
    expect(shown.stdout).toMatch(/^HTTP 422\n([\w-]+: .*\n)+\n\{\n {2}"errors"/);
    const silent = await d.run(["api", "GET", "/cards", "--query", "limit=500"]);
    expect(silent).toMatchObject({ code: 5, stdout: "" });
  });

  test("prints a body that is not JSON unchanged, and sanitized on a terminal", async () => {
    const service = await fakeService((_request, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      response.end("plain\u001b[31m\u0000text");
    });
    onTestFinished(() => service.close());
    const d = await remote(service.url);
    expect(await d.ok(["api", "GET", "/x"])).toBe("plain\u001b[31m\u0000text");
    expect(await d.ok(["api", "GET", "/x"], { terminal: true })).toBe("plain␛[31m␀text\n");
  });

  test("names the request where the service complains of fields", async () => {
    const d = await deckhand();
    const refused = "GET /cards: limit: must be from 1 to 100 (422)";
    for (const options of [[], ["--include"], ["--paginate"]]) {
      const { code, stderr } = await d.run(["api", "GET", "/cards", "--query", "limit=0", ...options]);
      expect({ code, stderr }).toEqual({ code: 5, stderr: `deckhand: ${refused}\n` });
    }
    const json = await d.run(["api", "GET", "/cards", "--query", "limit=0", "-o", "json"]);
    expect(JSON.parse(json.stderr).error).toMatchObject({
      message: refused,
      status: 422,
      fields: { limit: "must be from 1 to 100" },
    });
  });

  test("shows the request of a dry run and sends nothing", async () => {
    const service = await fakeService((_request, response) => sendJson(response, 200, {}));
    onTestFinished(() => service.close());
    const d = await remote(service.url);
    const args = ["api", "POST", "/decks", "--field", "name=X", "--query", "a=b", "-n"];
    expect(await d.ok(args)).toBe('POST /decks?a=b\n{\n  "name": "X"\n}\n');
    expect(JSON.parse(await d.ok([...args, "-o", "json"]))).toEqual({
      method: "POST",
      path: "/decks?a=b",
      body: { name: "X" },
    });
    expect(service.requests).toEqual([]);
  });

  test("repeats what the documents say may be repeated, and no create", async () => {
    const service = await fakeService((_request, response) => sendJson(response, 503, { errors: ["down"] }));
    onTestFinished(() => service.close());
    const d = await remote(service.url, { DECKHAND_RETRIES: "1" });
    const tries = async (...args: string[]) => {
      const before = service.requests.length;
      expect(await d.run(["api", ...args])).toMatchObject({ code: 7, stdout: "" });
      return service.requests.length - before;
    };
    expect(await tries("GET", "/cards")).toBe(2);
    expect(await tries("POST", "/cards/abcd1234", "--field", "content=x")).toBe(2);
    expect(await tries("POST", "/cards", "--field", "content=x")).toBe(1);
    expect(await tries("POST", "/unknown", "--field", "content=x")).toBe(1);
  });

  test.each([
    [["GET", "/cards", "--field", "a=1"], "GET sends no body"],
    [["POST", "/cards", "--field", "a"], "<name>=<value>"],
    [["POST", "/cards", "--input", "-", "--field", "a=1"], "excludes"],
    [["POST", "/cards", "--input", "nowhere"], "no such file"],
    [["POST", "/cards", "--input", "-"], "not valid JSON"],
    [["POST", "/cards/x/attachments/y", "--field", "a=1"], "attach add"],
    [["G T", "/cards"], "no method"],
  ])("refuses %j", async (args, said) => {
    const d = await deckhand();
    const { code, stdout, stderr } = await d.run(["api", ...args], { input: "{" });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(said);
  });

  test("reads the body from a file", async () => {
    const d = await deckhand();
    const path = join(d.home, "body.json");
    writeFileSync(path, '\uFEFF{"name": "From a file"}');
    expect(JSON.parse(await d.ok(["api", "POST", "/decks", "--input", path]))).toMatchObject({
      name: "From a file",
    });
  });

  test.each([
    ["-o", "csv"],
    ["--output", "id"],
    ["--columns", "id"],
    ["--paginate", "--include"],
  ])("refuses what it would ignore: %s %s", async (...args) => {
    const d = await deckhand({ DECKHAND_OUTPUT: "table" });
    expect(await d.run(["api", "GET", "/decks", ...args])).toMatchObject({ code: 2, stdout: "" });
    expect(JSON.parse(await d.ok(["api", "GET", "/decks"]))).toMatchObject({ docs: [] });
  });
});
