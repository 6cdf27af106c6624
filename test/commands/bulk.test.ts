import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fakeService, sendJson } from "../support/fake-service.ts";
import { deckhand } from "../support/world.ts";

const jsonLines = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("cards create --from", () => {
  test("creates documents in order, supplies the deck, and reports the result of each line", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    const input =
      '{"content":"a","tags":["t"]}\n\n{"content":5}\n{"content":"b","nonsense":1,"trashed?":"2026-01-02T00:00:00Z"}\n';
    const ran = await d.run(["cards", "create", "--from", "-", "--deck", "G"], { input });
    expect(ran.code).toBe(9);
    expect(jsonLines(ran.stdout)).toMatchObject([
      { line: 1, id: expect.any(String) },
      { line: 3, error: { code: "usage", message: "content must be a string" } },
      { line: 4, id: expect.any(String) },
    ]);
    expect(ran.stderr).toContain("line 3: content must be a string");
    expect(ran.stderr).toContain('line 4: the API has no field "nonsense"; it is not sent');
    const cards = JSON.parse(await d.ok(["cards", "list", "-o", "json"])) as Record<string, unknown>[];
    expect(cards).toMatchObject([
      { content: "a", tags: ["t"] },
      { content: "b", "trashed?": "2026-01-02T00:00:00.000Z" },
    ]);
  });

  test("creates no card whose trashed? would be refused after it", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    const input = '{"content":"a","trashed?":"yesterday"}\n{"content":"b","trashed?":true}\n';
    const ran = await d.run(["cards", "create", "--from", "-", "--deck", "G"], { input });
    expect(ran.code).toBe(2);
    expect(jsonLines(ran.stdout)).toMatchObject(
      [1, 2].map((line) => ({ line, error: { message: "trashed? must be an ISO 8601 timestamp" } })),
    );
    expect(await d.ok(["cards", "list"])).toBe("");
  });

  test("prints only ids with -o id, and no line for what was refused", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    const input = '{"content":5}\n{"content":"a"}\n';
    const ran = await d.run(["cards", "create", "--from", "-", "--deck", "G", "-o", "id"], { input });
    expect(ran).toMatchObject({
      code: 9,
      stderr: expect.stringContaining("line 1: content must be a string"),
    });
    expect(ran.stdout).toBe(await d.ok(["cards", "list", "-o", "id"]));
  });

  test("stops at the first failure with --fail-fast, and says so", async () => {
    const d = await deckhand();
    const input = '{"content":5}\n{"content":"b"}\n';
    const ran = await d.run(["cards", "create", "--from", "-", "--fail-fast"], { input });
    expect(ran).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("1 of 1 failed; what comes after was not tried"),
    });
    expect(jsonLines(ran.stdout)).toHaveLength(1);
  });

  test("accepts the output of cards list, and a JSON array", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    await d.ok(["cards", "create", "--deck", "G", "--content", "x #inline", "--tag", "own", "--archived"]);
    const listed = await d.ok(["cards", "list", "-o", "json"]);
    expect(jsonLines(await d.ok(["cards", "create", "--from", "-"], { input: listed }))).toHaveLength(1);
    const cards = JSON.parse(await d.ok(["cards", "list", "-o", "json"])) as Record<string, unknown>[];
    expect(cards).toHaveLength(2);
    expect(cards[1]).toMatchObject({ content: "x #inline", tags: cards[0]?.["tags"], "archived?": true });
  });

  test("goes on after a failure with the same command: what is done is not done twice, what was corrected is", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    const file = join(d.home, "cards.ndjson");
    const create = (input: string) => {
      writeFileSync(file, input);
      return d.run(["cards", "create", "--from", file, "--deck", "G"]);
    };
    const rows = '{"content":"a"}\n{"content":"a","trashed?":"2026-01-02T00:00:00Z"}\n{"content":"a"}\n';
    expect((await create(`${rows}{"content":1}\n`)).code).toBe(9);
    const again = await create(`${rows}{"content":"b"}\n`);
    expect(again).toMatchObject({ code: 0 });
    expect(jsonLines(again.stdout).map((line) => line["before?"] ?? false)).toEqual([
      ...[true, true, true],
      false,
    ]);
    const contents = async () =>
      (JSON.parse(await d.ok(["cards", "list", "-o", "json"])) as Record<string, unknown>[]).map(
        ({ content }) => content,
      );
    expect(await contents()).toEqual(["a", "a", "a", "b"]);
    // That run is finished: nothing of it is remembered, and the command creates again.
    expect((await create('{"content":"a"}\n')).code).toBe(0);
    expect(await contents()).toEqual(["a", "a", "a", "b", "a"]);
  });

  test("knows what came on standard input again, and a card that was deleted meanwhile stays deleted", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    const input = '{"content":"a"}\n{"content":1}\n';
    const create = () => d.run(["cards", "create", "--from", "-", "--deck", "G"], { input });
    const [first] = jsonLines((await create()).stdout);
    await d.ok(["cards", "delete", String(first?.["id"]), "--yes"]);
    expect(jsonLines((await create()).stdout)).toMatchObject([{ id: first?.["id"], "before?": true }, {}]);
    expect(await d.ok(["cards", "list"])).toBe("");
    const other = await d.run(["cards", "create", "--from", "-", "--deck", "G"], {
      input: '{"content":"a"}\n',
    });
    expect(jsonLines(other.stdout)).toMatchObject([{ line: 1, id: expect.any(String) }]);
    expect(await d.ok(["cards", "list", "--count"])).toBe("1\n");
  });

  test("prints in a dry run that a card is trashed after it", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    const input = '{"content":"a","trashed?":"2026-01-02T00:00:00.000Z"}';
    const args = ["cards", "create", "--from", "-", "--deck", "G", "--dry-run", "-o", "ndjson"];
    expect(jsonLines(await d.ok(args, { input }))).toMatchObject([
      { method: "POST", path: "/cards", body: { content: "a" } },
      { method: "POST", path: "/cards/CARD-ID", body: { "trashed?": "2026-01-02T00:00:00.000Z" } },
    ]);
  });

  test("prints the requests of a dry run and sends none", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    const shown = await d.ok(["cards", "create", "--from", "-", "--deck", "G", "--dry-run"], {
      input: '{"content":"a"}\n',
    });
    expect(shown).toContain("/cards");
    expect(await d.ok(["cards", "list", "-o", "id"])).toBe("");
  });

  test("names the line of broken JSON", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    const ran = await d.run(["cards", "create", "--from", "-", "--deck", "G"], {
      input: '{"content":"a"}\n{"content":\n',
    });
    expect(ran.code).toBe(9);
    expect(ran.stderr).toMatch(
      /^deckhand: standard input, line 2: .*\ndeckhand: the rest of the input was not read; 1 card was created before that\nMend that line\./,
    );
    expect(await d.ok(["cards", "list", "--count"])).toBe("1\n");
    const first = await d.run(["cards", "create", "--from", "-", "--deck", "G"], { input: '{"content":\n' });
    expect(first.code).toBe(2);
  });
});

test("ids on standard input are no JSON: that is said before anything is asked for", async () => {
  const d = await deckhand();
  await d.ok(["add", "front", "back", "--deck", "G", "--create-deck"]);
  for (const format of ["json", "ndjson"]) {
    const input = await d.ok(["cards", "list", "-o", format]);
    const { code, stderr } = await d.run(["cards", "archive", "-"], { input });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/has JSON where ids[\s\S]*-o id/)]);
  }
});

test("what else would say what the documents say is refused, as others do", async () => {
  const d = await deckhand();
  for (const args of [
    ["cards", "create", "--from", "x", "--front", "a"],
    ["cards", "update"],
    ["decks", "create"],
    ["templates", "create", "name", "--from", "x"],
  ])
    expect(await d.run(args)).toMatchObject({ code: 2, stdout: "" });
});

describe("a service without space", () => {
  /** One that has space for a card. */
  async function almostFull() {
    let free = 1;
    const message = "there is no space left for the collection; nothing was changed";
    const service = await fakeService(({ method, url }, response) => {
      const { pathname } = new URL(url, "http://x");
      if (method === "GET" && pathname === "/decks/d") return sendJson(response, 200, { id: "d", name: "D" });
      if (method === "GET" && pathname === "/decks")
        return sendJson(response, 200, { docs: [{ id: "d", name: "D" }] });
      if (method === "GET" && pathname === "/cards") return sendJson(response, 200, { docs: [] });
      if (pathname !== "/cards" && method !== "DELETE") return sendJson(response, 404, { errors: ["no"] });
      if (free-- <= 0) return sendJson(response, 507, { errors: [message] });
      sendJson(response, 200, { id: "a", content: "a", "deck-id": "d" });
    });
    const account = {
      DECKHAND_PROFILE: "",
      DECKHAND_BASE_URL: service.url,
      DECKHAND_API_KEY: "key-of-a-test",
    };
    const changes = () => service.requests.filter(({ method }) => method !== "GET").length;
    return { service, changes, d: await deckhand(account) };
  }

  const times = (text: string) => text.split("no space left").length - 1;

  test("ends an import with one error that says how to continue", async () => {
    const { service, changes, d } = await almostFull();
    const file = join(d.home, "x.csv");
    writeFileSync(file, "front,back\na,1\nb,2\nc,3\nd,4\n");
    const { code, stderr } = await d.run(["import", file, "--deck-id", "d", "--yes"]);
    await service.close();
    expect({ code, times: times(stderr), changes: changes() }).toEqual({ code: 7, times: 1, changes: 2 });
    expect(stderr).toContain("Free space on its disk, and run it again to continue.");
  });

  test("ends a bulk change with one error that says how to continue", async () => {
    const { service, changes, d } = await almostFull();
    const input = ["a", "b", "c"].map((content) => JSON.stringify({ content, "deck-id": "d" })).join("\n");
    const { code, stderr } = await d.run(["cards", "create", "--from", "-"], { input });
    await service.close();
    expect({ code, times: times(stderr), changes: changes() }).toEqual({ code: 7, times: 1, changes: 2 });
    expect(stderr).toContain("line 2: could not create the card: there is no space left");
    expect(stderr).toContain("Run the same command again to continue.");
  });

  test("ends a change of several cards after the first of them", async () => {
    const { service, changes, d } = await almostFull();
    const { stderr } = await d.run(["cards", "delete", "a", "b", "c", "d", "--yes", "--retries", "0"]);
    await service.close();
    expect({ times: times(stderr), changes: changes() }).toEqual({ times: 1, changes: 2 });
    expect(stderr).toContain("1 of 4 failed; 2 were not tried");
  });
});
