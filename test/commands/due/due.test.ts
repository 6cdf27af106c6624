import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { accountHash } from "../../../src/config/account-hash.ts";
import { fakeService, sendJson } from "../../support/fake-service.ts";
import { afterGuard } from "../../support/review.ts";
import { onPostgres, startTestServer } from "../../support/service.ts";
import { waitFor } from "../../support/wait-for.ts";
import { type Deckhand, deckhand } from "../../support/world.ts";

const lines = (text: string) => text.split("\n").filter((line) => line !== "");

/** Geography > Europe > Norway, and Words; each holds one card named after it. */
async function collection(d: Deckhand): Promise<void> {
  await d.ok(["decks", "create", "Geography"]);
  await d.ok(["decks", "create", "Europe", "--parent", "Geography"]);
  await d.ok(["decks", "create", "Norway", "--parent", "Europe"]);
  await d.ok(["decks", "create", "Words"]);
  for (const deck of ["Geography", "Europe", "Norway", "Words"])
    await d.ok(["add", deck, "x", "--deck", deck]);
}

const names = async (d: Deckhand, ...args: string[]) =>
  lines(await d.ok(["due", "list", ...args, "--columns", "name"])).toSorted();

describe.skipIf(onPostgres)("due", () => {
  test("says what is to be done today by deck, in numbers, as JSON and as an exit code", async () => {
    const d = await deckhand();
    const now = () => new Date(2031, 4, 10, 12).getTime();
    const ok = (...args: string[]) => d.ok(args, { now });
    await collection(d);
    await ok("config", "set", "review.new-per-day", "3");
    const shown = lines(await ok("due"));
    expect([shown[0], shown.at(-1)]).toEqual(["Today   3 new   about 24 s", "Tomorrow 0"]);
    expect(shown).toContainEqual(expect.stringMatching(/^Geography +0 +[23]$/));
    expect(await ok("due", "--count")).toBe("3\n");
    expect(await ok("due", "list", "--count")).toBe("4\n");
    const day = JSON.parse(await ok("due", "-o", "json"));
    expect(day).toMatchObject({
      today: { reviews: 0, new: 3, forgotten: 0, count: 3, seconds: 24 },
      done: { reviews: 0, new: 0 },
      tomorrow: 0,
    });
    expect(day.decks).toHaveLength(3);
    expect(await ok("cards", "search", "is:due", "--count")).toBe("3\n");
    expect(await ok("due", "--check")).toBe("");
    for (const id of lines(await ok("cards", "search", "is:due", "-o", "id")))
      await ok("api", "POST", `/cards/${id}/reviews`, "--field", "remembered?=true");
    expect(await ok("due")).toMatch(/^Done for today\. \d+ tomorrow\.\n$/);
    expect(await d.run(["due", "--check"], { now })).toMatchObject({ code: 1, stdout: "", stderr: "" });
  });

  test("counts what was forgotten and comes back with the reviews of its deck", async () => {
    const d = await deckhand();
    await d.ok(["add", "Q", "A", "--deck", "One", "--create-deck"]);
    const [id = ""] = lines(await d.ok(["due", "list", "-o", "id"]));
    await d.ok(["due", "answer", id, "forgotten"]);
    expect(lines(await d.ok(["due"]))).toEqual([
      "Today   1 forgotten   about 8 s",
      expect.stringMatching(/^One +1 +0$/),
      expect.stringMatching(/^Tomorrow \d$/),
    ]);
  });

  test("refuses what only the list of the cards has, and names it", async () => {
    const d = await deckhand();
    for (const args of [
      ["-o", "id"],
      ["-o", "csv"],
      ["--date", "tomorrow"],
      ["--limit", "3"],
    ])
      expect(await d.run(["due", ...args])).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining("deckhand due list"),
      });
  });
});

describe("due list", () => {
  test("lists what is due in all decks, with the columns of the contract", async () => {
    const d = await deckhand();
    await collection(d);
    expect(await names(d)).toEqual(["Europe", "Geography", "Norway", "Words"]);
    expect(lines(await d.ok(["due", "list", "Words"]))).toEqual([
      expect.stringMatching(/^\w{8}\t\w{8}\tWords\ttrue\t\tWords\t$/),
    ]);
    expect(await d.ok(["due", "list", "--count"])).toBe("4\n");
  });

  test("includes the decks under a deck", async () => {
    const d = await deckhand();
    await collection(d);
    expect(await names(d, "Geography")).toEqual(["Europe", "Geography", "Norway"]);
    expect(await names(d, "--deck", "geography/europe")).toEqual(["Europe", "Norway"]);
    expect(await names(d, "Europe", "--no-recursive")).toEqual(["Europe"]);
    expect(await names(d, "Norway")).toEqual(["Norway"]);
    expect(await d.run(["due", "list", "Europe", "--deck", "Words"])).toMatchObject({ code: 2 });
  });

  test("is one request for a subtree, and that of the deck where nothing is under it", async () => {
    const server = await startTestServer();
    const d = await deckhand({
      DECKHAND_PROFILE: "",
      DECKHAND_BASE_URL: server.url,
      DECKHAND_API_KEY: server.key,
    });
    await collection(d);
    const asked = async (...args: string[]) =>
      (await d.run(["due", "list", ...args, "--verbose"])).stderr.match(/^→ GET \/due.*$/gm);
    expect(await asked("Geography")).toEqual(["→ GET /due?limit=100"]);
    expect(await asked("Words")).toEqual([expect.stringMatching(/^→ GET \/due\/\w{8}\?limit=100$/)]);
    expect(await asked("Geography", "--no-recursive")).toEqual([
      expect.stringMatching(/^→ GET \/due\/\w{8}\?limit=100$/),
    ]);
  });

  test("sends no date, a timestamp as it is, and a calendar date as the middle of its day", async () => {
    const service = await fakeService((_request, response) => sendJson(response, 200, { cards: [] }));
    onTestFinished(() => service.close());
    const d = await deckhand({
      DECKHAND_PROFILE: "",
      DECKHAND_BASE_URL: service.url,
      DECKHAND_API_KEY: "a-key-for-this-test",
    });
    const sent = async (...args: string[]) => {
      await d.ok(["due", "list", ...args], { now: () => Date.parse("2025-03-05T12:00:00Z") });
      const url = new URL(service.requests.at(-1)?.url ?? "", service.url);
      return url.searchParams.get("date");
    };
    expect(await sent()).toBeNull();
    expect(await sent("--date", "2024-11-20T23:00:00.000Z")).toBe("2024-11-20T23:00:00.000Z");
    expect(await sent("--date", "2024-11-20")).toMatch(/^2024-11-20T/);
    expect(await sent("--date", "+3d")).toMatch(/^2025-03-08T/);
    expect(await sent("--date", "yesterday")).toMatch(/^2025-03-04T/);
    expect(await d.run(["due", "list", "--date", "2025-02-30"])).toMatchObject({ code: 2, stdout: "" });
  });

  test("is always the service's answer: unknown fields are kept", async () => {
    const more = { extra: { kept: true }, "updated-at": 1767225600, "trashed?": false };
    const card = { id: "abcd1234", name: "x", "deck-id": "d", "new?": false, ...more };
    const service = await fakeService((_request, response) => sendJson(response, 200, { cards: [card] }));
    onTestFinished(() => service.close());
    const d = await deckhand({
      DECKHAND_PROFILE: "",
      DECKHAND_BASE_URL: service.url,
      DECKHAND_API_KEY: "a-key-for-this-test",
    });
    expect(JSON.parse(await d.ok(["due", "list", "-o", "json"]))).toEqual([card]);
  });
});

describe.each([400, 500])("a service that answers %i where it is asked about another day", (status) => {
  async function account() {
    const card = { id: "abcd1234", name: "Q", content: "Q\n---\nA", "deck-id": "deck1234", "new?": true };
    const due: object[] = [card];
    const service = await fakeService(({ url }, response) => {
      const deck = { id: "deck1234", name: "D" };
      if (url.startsWith("/decks/")) sendJson(response, 200, deck);
      else if (url.startsWith("/decks")) sendJson(response, 200, { docs: [deck] });
      else if (url.startsWith("/cards/")) sendJson(response, 200, card);
      else if (url.startsWith("/cards")) sendJson(response, 200, { docs: [card] });
      else if (!url.startsWith("/due")) sendJson(response, 404, {});
      else if (url.includes("date=")) sendJson(response, status, { errors: ["no such day"] });
      else sendJson(response, 200, { cards: due });
    });
    onTestFinished(() => service.close());
    const d = await deckhand({
      DECKHAND_PROFILE: "",
      DECKHAND_BASE_URL: service.url,
      DECKHAND_API_KEY: "a-key-for-this-test",
    });
    return { d, due };
  }

  test("is still told what there is to do today, without what comes tomorrow", async () => {
    const { d, due } = await account();
    expect(lines(await d.ok(["due", "--retries", "0"]))).toEqual([
      "Today   1 new   about 8 s",
      expect.stringMatching(/^D +0 +1$/),
    ]);
    const day = JSON.parse(await d.ok(["due", "--retries", "0", "-o", "json"]));
    expect(day).toMatchObject({ today: { new: 1, count: 1 }, tomorrow: null });
    due.length = 0;
    expect(await d.ok(["due", "--retries", "0"])).toBe("Nothing is due.\n");
    const listed = await d.run(["due", "list", "--retries", "0"], { terminal: true });
    expect(listed).toMatchObject({ code: 0, stderr: "Nothing is due\n" });
  });

  test("is reviewed, and the end says what is left", async () => {
    const { d, due } = await account();
    const review = ["review", "--plain", "--retries", "0"];
    const input = async function* (shown: () => string) {
      while (!shown().includes("Card 1 of 1")) await new Promise((resolve) => setImmediate(resolve));
      yield "\n";
      while (!shown().includes("Did you remember")) await new Promise((resolve) => setImmediate(resolve));
      await afterGuard();
      yield "2\n";
    };
    const { code, stdout } = await d.run(review, { terminal: true, columns: 200, input });
    expect([code, lines(stdout).at(-1)]).toEqual([0, "Done for today."]);
    due.length = 0;
    expect(await d.run(review, { terminal: true })).toMatchObject({ code: 0, stderr: "Nothing is due.\n" });
  });
});

test.each(["json", "transit"])(
  "due cards have one form of the instant of change in %s, too",
  async (codec) => {
    const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
    const iso = new Date(at).toISOString();
    const document = { cards: [{ id: "abcd1234", "updated-at": { date: iso }, "trashed?": null }] };
    const transit = {
      "~:cards": [{ "~:id": "~:abcd1234", "~:updated-at": { "~#dt": at }, "~:trashed?": null }],
    };
    const service = await fakeService(({ url }, response) => {
      if (!url.startsWith("/due")) return sendJson(response, 200, { docs: [{ id: "abcd", name: "D" }] });
      if (codec === "json") return sendJson(response, 200, document);
      sendJson(response, 200, transit, { "content-type": "application/transit+json" });
    });
    onTestFinished(() => service.close());
    const d = await deckhand({
      DECKHAND_PROFILE: "",
      DECKHAND_BASE_URL: service.url,
      DECKHAND_API_KEY: "a-key-for-this-test",
    });
    for (const deck of [[], ["abcd"]])
      expect(
        JSON.parse(await d.ok(["due", "list", ...deck, "--no-recursive", "-o", "json", "--codec", codec])),
      ).toEqual([{ id: "abcd1234", "updated-at": iso, "trashed?": null }]);
  },
);

describe.skipIf(onPostgres)("the setting review.retention", () => {
  const day = 86_400_000;
  const start = Date.parse("2026-01-01T12:00:00.000Z");
  const iso = (ms: number) => new Date(ms).toISOString();

  /** For how many days a card rests that was remembered once. */
  async function rest(d: Deckhand, card: string): Promise<number> {
    const review = JSON.stringify({ date: iso(start), "remembered?": true });
    const answer = await d.ok(["api", "POST", `/cards/${card}/reviews`, "--input", "-"], { input: review });
    return (Date.parse(JSON.parse(answer).reviews[0].due) - start) / day;
  }

  test("decides when cards of the local service come back", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "Words"]);
    const days: number[] = [];
    for (const share of ["0.97", "0.7"]) {
      await d.ok(["config", "set", "review.retention", share]);
      days.push(await rest(d, (await d.ok(["add", share, "x", "--deck", "Words"])).trim()));
    }
    expect(days[0]).toBeLessThan(days[1] as number);
    expect(await d.run(["config", "set", "review.retention", "97"])).toMatchObject({ code: 2, stdout: "" });
  });

  test("decides how long a card rests that was answered here only", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "Words"]);
    const id = (await d.ok(["add", "one", "x", "--deck", "Words"])).trim();
    const review = { date: iso(start), "remembered?": true, duration: 1 };
    const answer = { type: "answer", id: "a", "card-id": id, "deck-id": "d", at: iso(start), pass: "front" };
    mkdirSync(join(d.home, "data", "reviews"));
    writeFileSync(
      join(d.home, "data", "reviews", "local.jsonl"),
      `${JSON.stringify({ ...answer, "remembered?": true, duration: 1, review: { ...review, status: "pending" } })}\n`,
    );
    const resting: boolean[] = [];
    for (const share of ["0.97", "0.7"]) {
      await d.ok(["config", "set", "review.retention", share]);
      const answered = await d.ok(["due", "list", "--columns", "answered", "--date", "2026-01-04"], {
        now: () => start + day,
      });
      resting.push(answered.trim() !== "");
    }
    expect(resting).toEqual([false, true]);
  });
});

test.skipIf(onPostgres)("due says on a terminal how many cards are due", async () => {
  const d = await deckhand();
  await collection(d);
  await d.ok(["config", "set", "review.new-per-day", "3"]);
  const now = () => new Date(2031, 4, 10, 12).getTime();
  const said = async (...args: string[]) =>
    (await d.run(["due", "list", ...args], { terminal: true, now })).stderr;
  expect(await said()).toBe("4 cards\n");
  expect(await said("Words")).toBe("1 card\n");
  expect(await said("Words", "-o", "json")).toBe("");
  expect((await d.run(["due", "list"])).stderr).toBe("");
  expect(await d.ok(["due", "list", "--count"])).toBe("4\n");
});

test.skipIf(onPostgres)("where nothing is due, due and review say when the next cards are", async () => {
  const d = await deckhand();
  await d.ok(["decks", "create", "Words"]);
  const add = async (front: string) => (await d.ok(["add", front, "x", "--deck", "Words"])).trim();
  const at = new Date(2031, 4, 10, 12).getTime();
  for (const [front, days] of [
    ["one", 1],
    ["two", 1],
    ["three", 5],
    ["far", 40],
  ] as const) {
    const due = new Date(at + days * 86_400_000).toISOString();
    const review = JSON.stringify({ date: new Date(at).toISOString(), "remembered?": true, due });
    await d.ok(["api", "POST", `/cards/${await add(front)}/reviews`, "--input", "-"], { input: review });
  }
  const on = async (args: string[], ...removed: string[]) => {
    for (const id of removed) await d.ok(["cards", "trash", id]);
    return (await d.run(args, { terminal: true, now: () => at })).stderr;
  };
  expect(await on(["due", "list"])).toBe("Nothing is due. Next: 2 cards tomorrow\n");
  expect(await on(["review"])).toBe("Nothing is due. Next: 2 cards tomorrow.\n");
  const ids = lines(await d.ok(["cards", "search", "one OR two OR three", "-o", "id"]));
  expect(await on(["due", "list", "Words"], ...ids)).toBe("Nothing is due. Next: 1 card in 40 days\n");
  expect(await on(["due", "list", "--date", "yesterday"])).toBe("Nothing is due\n");
});

describe.skipIf(onPostgres)("decks that are archived, in the trash, or below a deleted deck", () => {
  /** A deck of each kind with a card of its name, and one below it; `ids` by name. */
  async function collection() {
    const d = await deckhand();
    const ids: Record<string, string> = {};
    for (const name of ["Kept", "Archived", "Trashed", "Deleted"]) {
      ids[name] = (await d.ok(["decks", "create", name])).trim();
      ids[`${name}Below`] = (await d.ok(["decks", "create", `${name}Below`, "--parent", name])).trim();
      for (const deck of [name, `${name}Below`]) await d.ok(["add", deck, "x", "--deck", deck]);
    }
    await d.ok(["decks", "archive", "Archived"]);
    await d.ok(["decks", "trash", "Trashed"]);
    await d.ok(["decks", "delete", "Deleted", "--yes", "--orphan"]);
    async function* quit(shown: () => string) {
      while (!/Card 1 of \d/.test(shown())) await new Promise((resolve) => setImmediate(resolve));
      yield "q\n";
    }
    const review = async (...args: string[]) =>
      d.run(["review", "--plain", ...args], { terminal: true, columns: 200, input: quit });
    return { d, ids, review };
  }

  test("are left out of practice, except for an archived one that is named", async () => {
    const { d, review } = await collection();
    await d.ok(["decks", "create", "Old", "--parent", "Kept", "--archived"]);
    await d.ok(["add", "old", "x", "--deck", "Old"]);
    const asked = async (...args: string[]) => {
      const { stdout, stderr } = await review("--practice", ...args);
      return /Card 1 of (\d+)/.exec(stdout)?.[1] ?? stderr;
    };
    expect(await asked()).toBe("2");
    expect(await asked("Kept")).toBe("2");
    for (const named of ["Old", "ArchivedBelow"]) expect(await asked(named)).toBe("1");
    expect(await asked("Archived")).toBe("2");
    expect(await asked("Trashed")).toContain("no cards to practise with: the deck Trashed is in the trash");
  });

  test("are named where nothing is due", async () => {
    const { d, review } = await collection();
    expect((await review("Trashed")).stderr).toBe("Nothing is due: the deck Trashed is in the trash.\n");
    expect((await review("ArchivedBelow")).stderr).toBe(
      "Nothing is due: the deck Archived/ArchivedBelow is archived.\n",
    );
    const due = await d.run(["due", "list", "Trashed"], { terminal: true, columns: 200 });
    expect(due.stderr).toBe("Nothing is due: the deck Trashed is in the trash\n");
  });
});

test.skipIf(onPostgres)(
  "the log names cards and decks on a terminal, and keeps their ids elsewhere",
  async () => {
    const d = await deckhand();
    await collection(d);
    const [id = "", deckId = ""] = (await d.ok(["due", "list", "Norway", "--columns", "id,deck-id"]))
      .trim()
      .split("\t");
    const answer = {
      type: "answer",
      "deck-id": deckId,
      at: new Date().toISOString(),
      pass: "forward",
      left: 0,
    };
    const line = (more: object) => JSON.stringify({ ...answer, "remembered?": true, duration: 2, ...more });
    mkdirSync(join(d.home, "data", "reviews"));
    const answers = [line({ id: "a", "card-id": id }), line({ id: "b", "card-id": "deleted1" })];
    writeFileSync(join(d.home, "data", "reviews", "local.jsonl"), `${answers.join("\n")}\n`);
    const shown = await d.run(["due", "log"], { terminal: true, columns: 120 });
    const [header, first, second] = lines(shown.stdout).map((each) => stripVTControlCharacters(each).trim());
    expect(header).toMatch(/^DATE +NAME +DECK +PASS +REMEMBERED +DURATION +STATUS$/);
    expect(first).toMatch(/^now +Norway +Geography\/Europe\/Norway +forward +yes +2$/);
    expect(second).toMatch(/^now +deleted1 +Geography/);
    expect(shown.stderr).toBe("2 answers\n");
    const narrow = await d.run(["due", "log"], { terminal: true, columns: 40 });
    expect(lines(narrow.stdout).map((each) => stripVTControlCharacters(each).trim())[0]).toMatch(
      /^DATE +NAME +.*REMEMBERED$/,
    );
    expect(await d.ok(["due", "log", "--columns", "card-id,name", "-o", "tsv"])).toBe(
      `${id}\tNorway\ndeleted1\tdeleted1\n`,
    );
    expect(lines(await d.ok(["due", "log"]))[0]).toMatch(
      new RegExp(`^\\S+Z\\t${id}\\t${deckId}\\tforward\\ttrue\\t2\\t$`),
    );
  },
);

describe("due sync", () => {
  const key = "a-key-for-this-test";

  /** Sends a pending answer of each card to a service that answers for it with that status. */
  async function prepared(statuses: Readonly<Record<string, number>>) {
    const service = await fakeService(({ url }, response) => {
      const status = statuses[/^\/cards\/(\w+)\/reviews/.exec(url)?.[1] ?? ""];
      if (url === "/") sendJson(response, 200, { service: "s", version: "1", extensions: ["reviews"] });
      else if (status === 422) sendJson(response, 422, { errors: { date: "is too old" } });
      else sendJson(response, status ?? 500, { errors: ["no"] });
    });
    onTestFinished(() => service.close());
    const d = await deckhand({
      DECKHAND_PROFILE: "",
      DECKHAND_BASE_URL: service.url,
      DECKHAND_API_KEY: key,
      DECKHAND_RETRIES: "0",
    });
    const account = { kind: "hosted", profile: undefined, keyOrigin: "environment" } as const;
    const name = accountHash({ ...account, baseUrl: service.url, key });
    const answers = Object.keys(statuses).map((card) => {
      const review = { date: "2026-01-01T12:00:00.000Z", "remembered?": true, duration: 1 };
      const answer = {
        type: "answer",
        id: `answer ${card}`,
        "card-id": card,
        "deck-id": "d",
        at: review.date,
      };
      return { ...answer, pass: "forward", ...review, review: { ...review, status: "pending" } };
    });
    mkdirSync(join(d.home, "data", "reviews"), { recursive: true });
    const log = answers.map((answer) => `${JSON.stringify(answer)}\n`).join("");
    writeFileSync(join(d.home, "data", "reviews", `${name}.jsonl`), log);
    return d;
  }

  const synced = async (statuses: Readonly<Record<string, number>>, ...args: string[]) =>
    (await prepared(statuses)).run(["due", "sync", ...args]);

  test("tries no answer again that came after one of another session", async () => {
    const d = await prepared({ one: 412, two: 404 });
    const meanwhile = "deckhand: one: the card was answered in another session meanwhile";
    expect((await d.run(["due", "sync"])).stderr).toContain(meanwhile);
    const again = await d.run(["due", "sync"]);
    expect(lines(again.stderr)).toEqual([
      expect.stringContaining("two"),
      expect.stringContaining("refused 1 answer"),
    ]);
  });

  test("reports each refusal with its own status, and ends with 9 where they differ", async () => {
    const { code, stderr } = await synced({ one: 404, two: 422 });
    expect(code).toBe(9);
    expect(lines(stderr)).toEqual([
      "deckhand: one: there is no card one",
      "deckhand: two: could not record the review: date: is too old",
      "deckhand: the service refused 2 answers",
    ]);
    const json = await synced({ one: 404, two: 422 }, "-o", "json");
    expect(lines(json.stderr).map((line) => JSON.parse(line).error)).toMatchObject([
      { code: "not-found", status: 404, id: "one" },
      { code: "validation", status: 422, id: "two" },
      { code: "partial" },
    ]);
  });

  test("ends with the code of the refusals where all are alike, and with 9 where some answers were accepted", async () => {
    expect(await synced({ one: 404, two: 404 })).toMatchObject({ code: 4 });
    expect(await synced({ one: 200, two: 404 })).toMatchObject({ code: 9 });
  });

  test("reports a refusal as a refusal where the service fails after it", async () => {
    const { code, stderr } = await synced({ one: 404, two: 500 });
    expect(code).toBe(7);
    expect(lines(stderr)[0]).toBe("deckhand: one: there is no card one");
  });
});

/** What is typed in a review line by line: a grade for each card that is asked, or `q`. */
function grading(...grades: readonly string[]) {
  return async function* (shown: () => string) {
    const asked = (question: string, times: number) =>
      waitFor(() => shown().split(question).length > times, question);
    for (const [index, grade] of grades.entries()) {
      if (grade !== "q") {
        await asked("Enter to reveal", index + 1);
        yield "\n";
        await asked("Did you remember", index + 1);
        await afterGuard();
      }
      yield `${grade}\n`;
    }
  };
}

describe("due review", () => {
  test("counts what this session answered: a card forgotten earlier that day and now remembered is remembered", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "Words"]);
    await d.ok(["add", "one", "eins", "--deck", "Words"]);
    await d.ok(["add", "two", "zwei", "--deck", "Words"]);
    const session = async (...grades: string[]) => {
      const input = grading(...grades, "q");
      const printed = await d.ok(["review", "--plain", "-o", "json"], { terminal: true, input });
      return JSON.parse(printed.slice(printed.lastIndexOf("{")));
    };
    expect(await session("1", "2")).toMatchObject({ cards: 2, remembered: 1, forgotten: 1, left: 1 });
    expect(await session("2")).toMatchObject({ cards: 1, remembered: 1, forgotten: 0, left: 0 });
    const empty = await d.ok(["review", "Words", "--plain", "--new", "0", "-o", "json"], { terminal: true });
    expect(JSON.parse(empty)).toMatchObject({ cards: 0, left: 0 });
  });

  // Elsewhere the service has a clock of its own.
  test.skipIf(onPostgres)("tells at its end what is due now apart from what comes tomorrow", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "Words"]);
    for (const word of ["one", "two", "three", "four"]) await d.ok(["add", word, "x", "--deck", "Words"]);
    const start = new Date(2031, 4, 10, 12).getTime();
    const session = async (days: number, args: readonly string[], ...grades: string[]) => {
      const now = () => start + days * 86_400_000;
      const input = grading(...grades);
      const printed = await d.ok(["review", "--plain", ...args], { terminal: true, input, now });
      return lines(printed).filter((line) => line.endsWith("tomorrow."));
    };
    expect(await session(0, ["--limit", "2"], "2", "2")).toEqual(["2 more today. 0 tomorrow."]);
    // A forgotten card is asked again today, and tomorrow.
    expect(await session(0, [], "1", "q")).toEqual(["2 more today. 1 tomorrow."]);
    const later = await d.ok(["review", "--plain", "--limit", "1", "-o", "json"], {
      terminal: true,
      input: grading("2"),
      now: () => start + 2 * 86_400_000,
    });
    expect(JSON.parse(later.slice(later.lastIndexOf("{")))).toMatchObject({
      left: 0,
      "all-left": 3,
    });
  });
});
