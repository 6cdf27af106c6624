import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { accountHash } from "../../../src/config/account-hash.ts";
import { fakeService, sendJson } from "../../support/fake-service.ts";
import { onPostgres, startTestServer } from "../../support/service.ts";
import { type Deckhand, deckhand } from "../../support/world.ts";

async function collection() {
  const d = await deckhand();
  await d.ok(["decks", "create", "D"]);
  const add = async (content: string, ...more: string[]) =>
    (await d.ok(["cards", "create", "--deck", "D", "--content", content, ...more])).trim();
  return { d, add };
}

const tagsOf = async (d: Deckhand, id: string): Promise<readonly string[]> =>
  JSON.parse(await d.ok(["cards", "get", id])).tags.toSorted();

test("tags that are added to one card at the same time are all kept", async () => {
  const { d, add } = await collection();
  const id = await add("x");
  const tags = Array.from({ length: 8 }, (_, index) => `tag${index}`);
  await Promise.all(tags.map((tag) => d.ok(["cards", "update", id, "--add-tag", tag])));
  expect(await tagsOf(d, id)).toEqual(tags);
});

test("a tag that is added while others are renamed is kept", async () => {
  const { d, add } = await collection();
  const ids: string[] = [];
  for (let each = 0; each < 20; each++)
    ids.push(await add(`card ${each} ${"x".repeat(9_000)}`, "--tag", "old"));
  // The cards have been read when the first ones are printed, which nobody takes until the tags are added.
  let take = () => {};
  const reading = new Promise<void>((resolve) => {
    take = resolve;
  });
  const renaming = d.ok(["tags", "rename", "old", "new", "-o", "ndjson"], { reading });
  for (let look = 0; look < 500 && !(await tagsOf(d, ids[0] ?? "")).includes("new"); look++) {}
  await d.ok(["cards", "update", ids.at(-1) ?? "", "--add-tag", "extra"]);
  take();
  await renaming;
  expect(await tagsOf(d, ids.at(-1) ?? "")).toEqual(["extra", "new"]);
});

test("a manual tag that is also in the text stays a manual tag when another is added", async () => {
  const { d, add } = await collection();
  const id = await add("a fjord #north", "--tag", "north");
  await d.ok(["cards", "update", id, "--add-tag", "cold"]);
  await d.ok(["cards", "update", id, "--content", "a fjord"]);
  expect(await tagsOf(d, id)).toEqual(["cold", "north"]);
});

test.each([
  ["geography", ["geography"]],
  ["geography, north", ["geography", "north"]],
  ["geography north", ["geography", "north"]],
])("tags in front matter may be written as words: %j", async (written, tags) => {
  const { d } = await collection();
  const file = join(d.home, "card.md");
  writeFileSync(file, `---\ntags: ${written}\n---\nCapital of Norway?\n---\nOslo\n`);
  const id = (await d.ok(["cards", "create", "--deck", "D", "--content-file", file])).trim();
  const card = JSON.parse(await d.ok(["cards", "get", id]));
  expect(card).toMatchObject({ tags, content: expect.stringMatching(/^Capital of Norway/) });
});

test("a list of cards with a tag says that --limit may have left some out", async () => {
  const { d } = await collection();
  const rows = Array.from({ length: 220 }, (_, index) => `{"content":"c${index}","tags":["t"]}\n`);
  await d.ok(["cards", "create", "--deck", "D", "--from", "-"], { input: rows.join("") });
  const said = async (...limit: string[]) => (await d.run(["cards", "list", "--tag", "t", ...limit])).stderr;
  expect(await said("--limit", "100")).toBe("There may be more cards: --limit 100 left them out\n");
  expect(await said("--limit", "50")).toBe("There may be more cards: --limit 50 left them out\n");
  expect(await said("--limit", "220")).toBe("");
  expect(await said()).toBe("");
});

test("--sort deck sorts by the paths of decks", async () => {
  const { d } = await collection();
  const names = ["Maths", "Arts", "Zoology", "Botany", "History", "Law"];
  for (const name of names)
    await d.ok(["cards", "create", "--deck", name, "--create-deck", "--content", name]);
  const listed = await d.ok(["cards", "list", "--sort", "deck", "--columns", "name"]);
  expect(listed.trim().split("\n")).toEqual(names.toSorted());
});

test("a card that is put after another comes before the one that followed it", async () => {
  const { d, add } = await collection();
  const [one, two, three] = [await add("1"), await add("2"), await add("3")];
  const between = await add("x", "--after", one);
  const before = await add("y", "--before", three);
  const order = (await d.ok(["cards", "list", "-o", "id"])).trim().split("\n");
  expect(order).toEqual([one, between, two, before, three]);
});

test("a refused key ends a command with several cards at the first", async () => {
  const service = await fakeService((request, response) =>
    sendJson(response, request.method === "POST" ? 401 : 404, { message: "no" }),
  );
  onTestFinished(() => service.close());
  const d = await deckhand({
    DECKHAND_PROFILE: "",
    DECKHAND_BASE_URL: service.url,
    DECKHAND_API_KEY: "x".repeat(20),
  });
  const { code, stderr } = await d.run(["cards", "archive", "a", "b", "c"]);
  expect(code).toBe(3);
  expect(service.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  expect(stderr).toContain("1 of 3 failed; 2 were not tried");
});

test.skipIf(onPostgres)(
  "a review log that was begun without a profile goes over to the profile of the same account",
  async () => {
    const server = await startTestServer();
    onTestFinished(() => server.close());
    const d = await deckhand({ DECKHAND_PROFILE: "" });
    const env = { DECKHAND_BASE_URL: server.url, DECKHAND_API_KEY: server.key };
    const account = { kind: "hosted", profile: undefined, keyOrigin: "environment" } as const;
    const name = accountHash({ ...account, baseUrl: server.url, key: server.key });
    const logs = join(d.home, "data", "reviews");
    mkdirSync(logs, { recursive: true });
    const at = "2026-01-01T12:00:00.000Z";
    const answer = { type: "answer", id: "a", "card-id": "c", "deck-id": "d", at, pass: "forward" };
    const review = { date: at, "remembered?": true, duration: 1 };
    const line = { ...answer, ...review, review: { ...review, status: "sent" } };
    writeFileSync(join(logs, `${name}.jsonl`), `${JSON.stringify(line)}\n`);
    const before = await d.ok(["due", "log", "-o", "json"], { env });
    expect(JSON.parse(before)).toHaveLength(1);
    const login = ["auth", "login", "--profile", "work", "--base-url", server.url, "--key-stdin"];
    await d.ok(login, { input: server.key });
    expect(await d.ok(["due", "log", "-o", "json"])).toBe(before);
    expect(existsSync(join(logs, `${name}.jsonl`))).toBe(false);
    expect(readdirSync(logs)).toHaveLength(1);
  },
);

test.skipIf(onPostgres)(
  "deleting more than ten cards makes a backup of the local collection first",
  async () => {
    const { d, add } = await collection();
    const ids: string[] = [];
    for (let each = 0; each < 12; each++) ids.push(await add(`card ${each}`));
    const env = { DECKHAND_BACKUP_AUTOMATIC: "on" };
    const kept = () => {
      const folder = join(d.home, "data", "backups");
      return existsSync(folder) ? readdirSync(folder).filter((name) => name.includes("removal")) : [];
    };
    await d.ok(["cards", "delete", ids.pop() ?? "", "--yes"], { env });
    expect(kept()).toEqual([]);
    await d.ok(["cards", "delete", "-", "--yes"], { env, input: ids.join("\n") });
    expect(kept()).toHaveLength(1);
    expect(await d.ok(["cards", "list"])).toBe("");
  },
);

test.skipIf(onPostgres)(
  "an undone import and a sync that remove more than ten cards make a backup first",
  async () => {
    const { d } = await collection();
    const env = { DECKHAND_BACKUP_AUTOMATIC: "on" };
    const kept = () => {
      const folder = join(d.home, "data", "backups");
      return existsSync(folder) ? readdirSync(folder).filter((name) => name.includes("removal")) : [];
    };
    const file = join(d.home, "rows.csv");
    writeFileSync(
      file,
      `front,back\n${Array.from({ length: 12 }, (_, row) => `front ${row},back\n`).join("")}`,
    );
    await d.ok(["import", file, "--deck", "Rows", "--create-deck", "--yes"]);
    const notes = join(d.home, "notes");
    await d.ok(["sync", notes, "--deck", "Rows", "--yes"]);
    for (const name of readdirSync(notes, { recursive: true }).map(String))
      if (/front \d+.*\.md$/.test(name)) rmSync(join(notes, name));
    await d.ok(["sync", notes, "--deck", "Rows", "--yes", "--max-delete", "12"], { env });
    expect(kept()).toHaveLength(1);
    rmSync(join(d.home, "data", "backups"), { recursive: true });
    const again = join(d.home, "again.csv");
    writeFileSync(
      again,
      `front,back\n${Array.from({ length: 12 }, (_, row) => `again ${row},back\n`).join("")}`,
    );
    await d.ok(["import", again, "--deck", "Rows", "--yes"]);
    await d.ok(["import", "undo", again, "--yes"], { env });
    expect(kept()).toHaveLength(1);
  },
);
