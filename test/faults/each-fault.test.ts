import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { type Client, createClient } from "../../src/client/index.ts";
import { DeckhandError } from "../../src/errors.ts";
import { withTransport } from "../support/collection.ts";
import { type Fault, faultProxy, faults } from "../support/fault-proxy.ts";
import { httpTo } from "../support/http.ts";
import { seededRandom } from "../support/random.ts";
import { startTestServer, type TestServer } from "../support/service.ts";
import { count, figure, isSoak, seed } from "../support/soak.ts";
import { deckhand } from "../support/world.ts";

/** In a short run each fault has to happen, too. */
const share = isSoak ? 0.05 : 0.3;

async function through(server: TestServer, fault: Fault, random: () => number) {
  const proxy = await faultProxy({ target: server.url, random, shares: { [fault]: share } });
  return proxy;
}

/** What became of creates under a fault, each counted against what the service has. */
async function creates(server: TestServer, fault: Fault, deck: string, cards: number) {
  const random = seededRandom(seed);
  const proxy = await through(server, fault, random);
  const http = await httpTo(proxy.url, { key: server.key, timeout: 150, random });
  const client = createClient(http);
  const figures = { acknowledged: 0, uncertain: 0, refused: 0, lost: 0, doubled: 0, wronglySure: 0 };
  const outcomes = new Map<string, "acknowledged" | "uncertain" | "refused">();
  for (let number = 0; number < cards; number++) {
    const content = `card ${number}`;
    const outcome = await client.cards.create({ content, "deck-id": deck }).then(
      () => "acknowledged" as const,
      (error: unknown) => {
        if (!(error instanceof DeckhandError)) throw error;
        return error.uncertain ? ("uncertain" as const) : ("refused" as const);
      },
    );
    figures[outcome]++;
    outcomes.set(content, outcome);
  }
  await http.close();
  await proxy.close();
  const found = await withTransport(server.application.as("default"), (local) => contents(local, deck));
  for (const [content, outcome] of outcomes) {
    const times = found.get(content) ?? 0;
    if (times > 1) figures.doubled++;
    if (times === 0 && outcome === "acknowledged") figures.lost++;
    if (times > 0 && outcome === "refused") figures.wronglySure++;
  }
  return { ...figures, happened: proxy.counts[fault] ?? 0 };
}

async function contents(client: Client, deckId: string): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for await (const page of client.cards.pages({ deckId }))
    for (const { content } of page.docs) found.set(content ?? "", (found.get(content ?? "") ?? 0) + 1);
  return found;
}

it("loses and doubles no card under any fault, and never says wrongly that one was not made", async () => {
  expect(faults.length).toBeGreaterThanOrEqual(30);
  const cards = count("creates_each", 5, 2000);
  const server = await startTestServer();
  const sum = { cards: 0, happened: 0, acknowledged: 0, uncertain: 0, refused: 0 };
  for (const fault of faults) {
    const deck = await withTransport(server.application.as("default"), (local) =>
      local.decks.create({ name: fault }),
    );
    const figures = await creates(server, fault, deck.id, cards);
    figure(fault, figures);
    expect(figures, fault).toMatchObject({ lost: 0, doubled: 0, wronglySure: 0 });
    sum.cards += cards;
    for (const key of ["happened", "acknowledged", "uncertain", "refused"] as const) sum[key] += figures[key];
  }
  expect(sum.happened).toBeGreaterThan(sum.cards * share * 0.7);
  figure("creates under each fault", { faults: faults.length, ...sum });
}, 3_600_000);

const fileCount = 12;
const fileBytes = (number: number) => Buffer.alloc(1 + number * 4000, `file ${number} `);

/** Every file in a folder, by its name. */
function filesIn(folder: string): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) for (const [inner, bytes] of filesIn(path)) found.set(inner, bytes);
    else found.set(name, readFileSync(path));
  }
  return found;
}

it("exports no wrong file with exit 0 under any fault", async () => {
  const exports = count("exports_each", 1, 10);
  const server = await startTestServer();
  await withTransport(server.application.as("default"), async (local) => {
    const deck = await local.decks.create({ name: "Geography" });
    for (let number = 0; number < fileCount; number++) {
      const { id } = await local.cards.create({ content: `card ${number}`, "deck-id": deck.id });
      const bytes = fileBytes(number);
      const source = async () => ({ stream: Readable.from([bytes]), size: bytes.length });
      await local.attachments.add(id, { fileName: `file${number}.bin`, source });
    }
  });
  const sum = { exports: 0, whole: 0, wrong: 0 };
  // A short run takes those that damage answers without a sign that undici notices.
  const quick: readonly Fault[] = [
    "cut-without-length",
    "no-content",
    "other-json",
    "web-page",
    "empty-body",
  ];
  for (const fault of isSoak ? faults : quick) {
    const proxy = await through(server, fault, seededRandom(seed));
    onTestFinished(() => proxy.close());
    const figures = { whole: 0, wrong: 0 };
    for (let number = 0; number < exports; number++) {
      const d = await deckhand({
        DECKHAND_PROFILE: "",
        DECKHAND_BASE_URL: proxy.url,
        DECKHAND_API_KEY: server.key,
        DECKHAND_TIMEOUT: "150ms",
      });
      const target = join(d.home, "export");
      const { code } = await d.run(["export", target]);
      if (code !== 0) continue;
      figures.whole++;
      const found = filesIn(target);
      for (let file = 0; file < fileCount; file++)
        if (!found.get(`file${file}.bin`)?.equals(fileBytes(file))) figures.wrong++;
    }
    figure(`exports under ${fault}`, { exports, ...figures });
    expect(figures.wrong, fault).toBe(0);
    sum.exports += exports;
    sum.whole += figures.whole;
  }
  figure("exports under each fault", { ...sum });
}, 3_600_000);
