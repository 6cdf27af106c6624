import { writeFileSync } from "node:fs";
import { strToU8, zipSync } from "fflate";
import { expect, test } from "vitest";
import { OriginRecord } from "../../src/client/apply/record.ts";
import type { WireAnswer, WireRequest } from "../../src/schema/index.ts";
import { ExportFolder } from "../../src/transfer/formats/markdown/folder.ts";
import { openNdjson } from "../../src/transfer/formats/ndjson/read.ts";
import { openSource } from "../../src/transfer/formats/open.ts";
import { matchCards } from "../../src/transfer/import/match.ts";
import { Stage } from "../../src/transfer/import/stage.ts";
import type { Source, SourceCard } from "../../src/transfer/model.ts";
import { temporaryFolder } from "../support/folder.ts";
import { heap } from "../support/heap.ts";
import { emptyAccount } from "./support.ts";

const content = (number: number) => `question ${number}\n---\nanswer`;
const idOf = (number: number) => `card${String(number).padStart(6, "0")}`;

/** A service with so many cards, of which each page is made when it is asked for. */
function pageOf(query: WireRequest["query"], cards: number): WireAnswer {
  const from = Number(new URLSearchParams(query).get("bookmark") ?? 0);
  const docs = Array.from({ length: Math.min(100, cards - from) }, (_, index) => ({
    id: idOf(from + index),
    "deck-id": "deckdeck",
    content: content(from + index),
  }));
  const next = from + docs.length;
  const body = JSON.stringify({ docs, ...(next < cards ? { bookmark: String(next) } : {}) });
  return { status: 200, headers: { "content-type": "application/json" }, body };
}

function sourceOf(cards: number): Source {
  return {
    format: "ndjson",
    decks: [],
    templates: [],
    async *cards(): AsyncGenerator<SourceCard> {
      for (let number = 0; number < cards; number++)
        yield { key: idOf(number), body: { content: content(number) }, place: `card ${number}` };
    },
    close: async () => {},
  };
}

/** MiB that are held when the cards of an account were compared with those of a source. */
async function growth(cards: number): Promise<number> {
  const client = await emptyAccount(({ path, query }) =>
    path === "/cards" ? pageOf(query, cards) : undefined,
  );
  const record = OriginRecord.open(`${temporaryFolder()}/origins.db`, "test");
  const before = heap();
  const stage = await Stage.read(sourceOf(cards));
  await matchCards(stage, {
    client,
    record,
    origin: "",
    decks: new Map(),
    deck: undefined,
    overwrite: false,
    progress: () => {},
  });
  const held = heap() - before;
  expect(stage.value("select count(*) from source where kind = 'same'")).toBe(cards);
  stage.close();
  record.close();
  return held;
}

test("what an import knows of the source's cards and the account's takes no memory for each", async () => {
  await growth(500);
  const [few, many] = [await growth(1000), await growth(8000)];
  // 1.2 KB a card would be 8 MiB.
  expect(many - few).toBeLessThan(2);
});

/** A .mochi archive of so many cards. */
function mochiOf(cards: number): string {
  const path = `${temporaryFolder()}/cards.mochi`;
  const documents = Array.from({ length: cards }, (_, number) => ({
    "~:id": `~:${idOf(number)}`,
    "~:content": content(number).padEnd(500, "."),
  }));
  const data = { "~:decks": [{ "~:id": "~:deckdeck", "~:name": "D", "~:cards": documents }] };
  writeFileSync(path, zipSync({ "data.json": strToU8(JSON.stringify(data)) }));
  return path;
}

/** MiB that are held when the cards of an archive were read, and it is still open. */
async function heldByMochi(cards: number): Promise<number> {
  const path = mochiOf(cards);
  const before = heap();
  const source = await openSource(path);
  let count = 0;
  for await (const _ of source.cards(() => {})) count++;
  expect(count).toBe(cards);
  const held = heap() - before;
  await source.close();
  return held;
}

test("of the cards of a .mochi archive nothing is held while it is open", async () => {
  await heldByMochi(500);
  const [few, many] = [await heldByMochi(1000), await heldByMochi(9000)];
  // The texts alone would be 4 MiB.
  expect(many - few).toBeLessThan(2);
});

/** MiB that are held when so many files of cards were written into a folder. */
async function heldByFolder(files: number): Promise<number> {
  const folder = await ExportFolder.open(temporaryFolder(), { account: "a" });
  const before = heap();
  for (let number = 0; number < files; number++)
    await folder.write(`Deck/${"a name ".repeat(12)}${idOf(number)}.md`, content(number), {
      id: idOf(number),
      card: "abcdefghijklmnopqrstuv",
    });
  const held = heap() - before;
  await folder.finish();
  await folder.close();
  return held;
}

test("of the files that an export wrote into a folder nothing is held", async () => {
  await heldByFolder(500);
  const [few, many] = [await heldByFolder(500), await heldByFolder(5500)];
  // An entry of the manifest takes more than 500 bytes: 2.5 MiB.
  expect(many - few).toBeLessThan(1);
});

test("of the bytes of attachments in an export nothing is held when it is opened", async () => {
  const path = `${temporaryFolder()}/export.ndjson`;
  const bytes = Buffer.alloc(300 * 1024).toString("base64");
  const lines = Array.from({ length: 60 }, (_, number) => [
    { attachment: { "card-id": "cardcard", "file-name": `${number}.png` } },
    { bytes },
  ]);
  writeFileSync(
    path,
    lines
      .flat()
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(""),
  );
  const buffers = () => {
    // What the first one finds is freed by the second at the latest.
    heap();
    heap();
    return process.memoryUsage().arrayBuffers / 1024 / 1024;
  };
  const before = buffers();
  const source = await openNdjson(path, "export.ndjson");
  const held = buffers() - before;
  await source.close();
  // A piece of the file for each attachment would be 15 MiB.
  expect(held).toBeLessThan(2);
});
