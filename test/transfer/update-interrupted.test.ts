import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Client, createClient } from "../../src/client/index.ts";
import { httpTo } from "../support/http.ts";
import { losingProxy } from "../support/losing-proxy.ts";
import { startTestServer, temporaryFolder } from "../support/service.ts";
import { type Deckhand, deckhand } from "../support/world.ts";
import { comparable, emptyAccount, exportFile, wholeAccount } from "./support.ts";

interface Target {
  readonly client: Client;
  readonly d: Deckhand;
  /** Loses the answers to all requests after this many. */
  loseAfter(requests: number): void;
  state(): Promise<unknown>;
}

async function target(): Promise<Target> {
  const server = await startTestServer();
  let [sent, most] = [0, Number.POSITIVE_INFINITY];
  const proxy = await losingProxy(server.url, () => ++sent > most);
  const client = createClient(await httpTo(server.url, { key: server.key }));
  onTestFinished(() => client.close());
  const d = await deckhand({
    DECKHAND_PROFILE: "",
    DECKHAND_BASE_URL: proxy.url,
    DECKHAND_API_KEY: server.key,
    DECKHAND_RETRIES: "0",
  });
  return {
    client,
    d,
    loseAfter(requests) {
      [sent, most] = [0, requests];
    },
    state: async () => comparable(await wholeAccount(client)),
  };
}

/** A collection before and after edits, as two exports: a card that names a later one is changed, one in the trash is new. */
async function twoExports(): Promise<readonly [before: string, after: string]> {
  const source = await emptyAccount();
  const deck = await source.decks.create({ name: "Deck" });
  const add = (content: string) => source.cards.create({ content, "deck-id": deck.id });
  const [first, second] = [await add("first\n---\nx"), await add("second\n---\nx")];
  const update = (content: string) => source.cards.update(first.id, { content });
  await update(`first [[${second.id}]]\n---\nx`);
  const files = ["before.ndjson", "after.ndjson"].map((name) => join(temporaryFolder(), name));
  const [before = "", after = ""] = files;
  await exportFile(source, before, "ndjson");
  const third = await add("third\n---\nx");
  await update(`first changed [[${second.id}]] [[${third.id}]]\n---\nx`);
  await source.cards.update(third.id, { "trashed?": "2026-02-01T00:00:00.000Z" });
  await exportFile(source, after, "ndjson");
  return [before, after];
}

test("an import with --update that loses any answer is completed by the next run, and undone whole", async () => {
  const [before, after] = await twoExports();
  const run = async (to: Target, ...args: string[]) => (await to.d.run([...args, "--yes"])).code;
  let [wanted, earlier]: unknown[] = [];
  // The first round loses nothing; the first answers are those of the plan.
  for (let answers = 3; ; answers++) {
    const each = await target();
    const file = join(each.d.home, "cards.ndjson");
    copyFileSync(before, file);
    expect(await run(each, "import", file)).toBe(0);
    earlier ??= await each.state();
    copyFileSync(after, file);
    each.loseAfter(wanted === undefined ? Number.POSITIVE_INFINITY : answers);
    const last = wanted !== undefined;
    const code = await run(each, "import", file, "--update");
    wanted ??= await each.state();
    each.loseAfter(Number.POSITIVE_INFINITY);
    if (code !== 0) expect(await run(each, "import", file, "--update"), `${answers} answers`).toBe(0);
    expect(await each.state(), `${answers} answers`).toEqual(wanted);
    expect(await run(each, "import", "undo", file)).toBe(0);
    expect(await each.state(), `${answers} answers`).toEqual(earlier);
    if (last && code === 0) break;
  }
}, 60_000);
