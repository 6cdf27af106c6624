import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { moodyService } from "../../support/moody-service.ts";
import { waitFor } from "../../support/wait-for.ts";
import { deckhand } from "../../support/world.ts";

const write = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

test("syncs with a service that has only the documented interface, and says what it cannot", async () => {
  const service = await moodyService({ documentedOnly: true });
  const env = { DECKHAND_PROFILE: "", DECKHAND_BASE_URL: service.url, DECKHAND_API_KEY: service.key };
  const d = await deckhand(env);
  const folder = join(temporaryFolder(), "cards");
  write(join(folder, "A/one.md"), "---\ntags: [x]\n---\none\n");
  write(join(folder, "A/one.files/map.png"), "png");
  await d.ok(["sync", folder, "--yes"]);
  const card = await service.collection(async (client) => {
    for await (const { docs } of client.cards.pages())
      for (const each of docs) {
        await client.cards.update(each.id, { content: "one, edited there" });
        return client.cards.get(each.id);
      }
    return undefined;
  });
  expect([card?.tags, Object.keys((card?.attachments ?? {}) as object)]).toEqual([["x"], ["map.png"]]);
  write(join(folder, "A/two.md"), "two\n");
  await d.ok(["sync", folder, "--yes"]);
  expect(readFileSync(join(folder, "A/one.md"), "utf8")).toContain("\none, edited there\n");
  const other = await service.collection(async (client) => {
    const deck = await client.decks.create({ name: "B" });
    const { id } = await client.cards.create({ content: "three", "deck-id": deck.id });
    await client.cards.update(card?.id ?? "", { "trashed?": new Date().toISOString() });
    return id;
  });
  write(join(folder, "A/two.files/map.png"), "png, new");
  await d.ok(["sync", folder, "--yes"]);
  expect(readdirSync(join(folder, "B")).sort()).toEqual([`three-${other}.md`, "deck.yaml"].sort());
  expect(readdirSync(join(folder, "A")).sort()).toEqual(["deck.yaml", "two.files", "two.md"]);
  // What it has cannot be kept, so it is not replaced.
  write(join(folder, "A/two.files/map.png"), "png, changed");
  const ran = await d.run(["sync", folder, "--yes"]);
  expect(ran.code).toBe(9);
  expect(ran.stderr).toContain("A/two.files/map.png: the service does not let the one that it has be kept");
  expect(service.requests().filter((each) => /^GET .*(?:attachments|reviews)/.test(each))).toEqual([]);
});

test("--watch syncs at once, and when the folder has changed, until it is stopped", async () => {
  const d = await deckhand();
  const folder = join(temporaryFolder(), "cards");
  write(join(folder, "A/one.md"), "one\n");
  write(join(folder, "A/broken.md"), "---\ntags: [a\n---\nbroken\n");
  const stop = new AbortController();
  const watching = d.run(["sync", folder, "--watch", "--yes"], { signal: stop.signal });
  const hasId = (path: string) => () => {
    try {
      return /^id: /m.test(readFileSync(join(folder, path), "utf8"));
    } catch {
      return false; // It is being replaced.
    }
  };
  await waitFor(hasId("A/one.md"), "the first sync", 60_000);
  write(join(folder, "A/two.md"), "two\n");
  await waitFor(hasId("A/two.md"), "the sync of a new file", 60_000);
  stop.abort();
  expect((await watching).stderr).toMatch(/^A\/broken\.md: line \d+: not valid YAML/m);
  const cards = await d.ok(["cards", "list", "-o", "ndjson", "--columns", "content"]);
  expect(cards.trim().split("\n").sort()).toEqual(['{"content":"one"}', '{"content":"two"}']);
}, 180_000);

test("files whose names differ by case or Unicode form only are cards of their own", async () => {
  const d = await deckhand();
  const folder = join(temporaryFolder(), "cards");
  const names = ["a.md", "A.md", "caf\u00e9.md", "cafe\u0301.md", "CON.md", `${"x".repeat(250)}.md`];
  for (const name of names)
    write(join(folder, "D", name), `text of ${name.length} ${encodeURIComponent(name)}\n`);
  const written = readdirSync(join(folder, "D")).length;
  await d.ok(["sync", folder, "--yes"]);
  const cards = (await d.ok(["cards", "list", "-o", "ndjson"])).split("\n").filter((line) => line !== "");
  expect([cards.length, readdirSync(join(folder, "D")).length]).toEqual([written, written + 1]);
  const status = await d.run(["sync", "status", folder]);
  expect([status.code, status.stdout]).toEqual([0, ""]);
});
