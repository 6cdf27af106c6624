import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Client, createClient } from "../../src/client/index.ts";
import { program } from "../support/cli.ts";
import { httpTo } from "../support/http.ts";
import { losingProxy } from "../support/losing-proxy.ts";
import { seededRandom } from "../support/random.ts";
import { startTestServer, temporaryFolder } from "../support/service.ts";
import { count, seed } from "../support/soak.ts";
import { comparable, emptyAccount, exportFile, wholeAccount } from "../transfer/support.ts";

const formats = ["ndjson", "mochi", "apkg", "csv", "markdown"] as const;
const services = ["our service", "a hosted one"] as const;
/** How often the program is killed, over all formats and services. */
const kills = count("kills", 10, 300);
const times = Math.ceil(kills / formats.length / services.length);
const random = seededRandom(seed);

describe.each(services)("an import into %s that loses 5 % of its answers", (service) => {
  test.each(formats)(
    `of %s that is killed ${times} times makes everything once`,
    async (format) => {
      const source = await emptyAccount();
      await fill(source, times * 6 + 6);
      const folder = temporaryFolder();
      const file = format === "markdown" ? "notes" : `collection.${format}`;
      await exportFile(source, join(folder, file), format);
      const args = ["import", file, "--quiet", "--yes"];

      const [whole, killed] = [await account(folder, service, 0), await account(folder, service, 0.05)];
      expect(await whole.run(args)).toMatchObject({ code: 0, stderr: "" });
      let count = 0;
      for (let run = 0; count < times && run < times * 5; run++)
        if ((await killed.run(args, true)).killed) count++;
      expect(count).toBe(times);
      // Where ids cannot be chosen, a card whose answer was lost with its process has the references of the file.
      const last = service === "our service" ? args : [...args, "--overwrite"];
      expect(await killed.run(last)).toMatchObject({ code: 0, stderr: "" });
      expect(await killed.state()).toEqual(await whole.state());
    },
    1_200_000,
  );
});

/** An empty account of a service, and the program as it runs for it. */
async function account(cwd: string, service: (typeof services)[number], loses: number) {
  const server = await startTestServer();
  let onRequest = () => {};
  const isHosted = service === "a hosted one";
  const answered = () => {
    onRequest();
    return random() < loses;
  };
  const proxy = await losingProxy(server.url, answered, isHosted);
  const client = createClient(await httpTo(server.url, { key: server.key }));
  onTestFinished(() => client.close());
  const env = {
    PATH: process.env["PATH"],
    DECKHAND_HOME: temporaryFolder(),
    DECKHAND_BASE_URL: proxy.url,
    DECKHAND_API_KEY: server.key,
    DECKHAND_RETRIES: "8",
    TZ: "UTC",
  };
  return {
    /** Runs the program; it may be killed within the next requests, between two of them or during one. */
    run(args: readonly string[], kills = false) {
      const child = spawn(process.execPath, [program, ...args], {
        cwd,
        env,
        stdio: ["ignore", "ignore", "pipe"],
      });
      let left = Math.ceil(random() * (isHosted ? 12 : 6));
      onRequest = () => {
        if (kills && --left === 0) setTimeout(() => child.kill("SIGKILL"), random() * 12);
      };
      return endOf(child);
    },
    state: async () => comparable(await wholeAccount(client)),
  };
}

/** Decks below one another, a template, cards that refer to each other, files, reviews, trash. */
async function fill(client: Client, cards: number): Promise<void> {
  const top = await client.decks.create({ name: "Top" });
  const decks = [top];
  for (const name of ["One", "Two"]) decks.push(await client.decks.create({ name, "parent-id": top.id }));
  const fields = { name: { id: "name", name: "F" } };
  const template = await client.templates.create({ name: "T", content: "<< F >>", fields });
  let before: string | undefined;
  for (let index = 0; index < cards; index++) {
    const deck = decks[index % 3]?.id ?? top.id;
    const value = { name: { id: "name", value: `value ${index}` } };
    const text = `card ${index % 5 === 0 ? "again" : index} [[${before ?? "none"}]]`;
    const card = await client.cards.create(
      index % 4 === 0
        ? { content: "", "deck-id": deck, "template-id": template.id, fields: value }
        : { content: text, "deck-id": deck },
    );
    if (before !== undefined && index % 7 === 0)
      await client.cards.update(before, { content: `to a later card [[${card.id}]]` });
    before = card.id;
    const file = Buffer.from(`file ${index}`);
    if (index % 6 === 0)
      await client.attachments.add(card.id, {
        fileName: "file.txt",
        contentType: "text/plain",
        source: async () => ({ stream: Readable.from([file]), size: file.length }),
      });
    const date = "2026-01-02T03:04:05.000Z";
    if (index % 5 === 0) await client.reviews.create(card.id, { date, "remembered?": true });
    if (index % 9 === 0) await client.cards.update(card.id, { "trashed?": date });
  }
}

async function endOf(child: ChildProcess) {
  const [stderr, [code, signal]] = await Promise.all([
    text(child.stderr as Readable),
    new Promise<[number | null, NodeJS.Signals | null]>((done) =>
      child.on("close", (...ended) => done(ended)),
    ),
  ]);
  return { killed: signal === "SIGKILL", code, stderr };
}
