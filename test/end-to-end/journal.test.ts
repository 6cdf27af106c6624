import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { type Client, createClient } from "../../src/client/index.ts";
import { program } from "../support/cli.ts";
import { httpTo } from "../support/http.ts";
import { losingProxy } from "../support/losing-proxy.ts";
import { seededRandom } from "../support/random.ts";
import { startTestServer, temporaryFolder } from "../support/service.ts";
import { count, seed } from "../support/soak.ts";
import { comparable, emptyAccount, exportFile, wholeAccount } from "../transfer/support.ts";

/** How often the program is killed. */
const kills = count("kills", 20, 100);
const random = seededRandom(seed);

describe("an import", () => {
  const times = Math.max(3, Math.ceil(kills / 5));

  test(`that is killed ${times} times, through a proxy that loses 5 % of the answers, makes everything once`, async () => {
    const source = await emptyAccount();
    await fill(source, times * 6);
    const folder = await temporaryFolder();
    await exportFile(source, join(folder, "collection.mochi"), "mochi");

    const server = await startTestServer();
    let requests = 0;
    let atRequest = (_: number) => {};
    const proxy = await losingProxy(server.url, () => {
      atRequest(++requests);
      return random() < 0.05;
    });
    let killed = 0;
    const home = join(folder, "home");
    mkdirSync(home);
    for (;;) {
      const args = ["import", "collection.mochi", "--quiet"];
      const child = launch(folder, home, args, { url: proxy.url, key: server.key });
      const last = requests + 1 + Math.floor(random() * 6);
      atRequest = (now) => {
        if (killed < times && now === last) child.kill("SIGKILL");
      };
      const ended = await endOf(child, Number.POSITIVE_INFINITY);
      if (!ended.killed) {
        expect(ended).toMatchObject({ code: 0, stderr: "" });
        break;
      }
      killed++;
    }
    expect(killed).toBe(times);
    const http = await httpTo(server.url, { key: server.key });
    const client = createClient(http);
    expect(comparable(await wholeAccount(client))).toEqual(comparable(await wholeAccount(source)));
    await client.close();
  }, 1_200_000);
});

/** Decks below one another, a template, cards that refer to each other, files, reviews, trash. */
async function fill(client: Client, cards: number): Promise<void> {
  const top = await client.decks.create({ name: "Top" }).send();
  const decks = [top];
  for (const name of ["One", "Two"])
    decks.push(await client.decks.create({ name, "parent-id": top.id }).send());
  const fields = { name: { id: "name", name: "F" } };
  const template = await client.templates.create({ name: "T", content: "<< F >>", fields }).send();
  let before: string | undefined;
  for (let index = 0; index < cards; index++) {
    const deck = decks[index % 3]?.id ?? top.id;
    const value = { name: { id: "name", value: `value ${index}` } };
    const text = `card ${index % 5 === 0 ? "again" : index} [[${before ?? "none"}]]`;
    const card = await client.cards
      .create(
        index % 4 === 0
          ? { content: "", "deck-id": deck, "template-id": template.id, fields: value }
          : { content: text, "deck-id": deck },
      )
      .send();
    if (before !== undefined && index % 7 === 0)
      await client.cards.update(before, { content: `to a later card [[${card.id}]]` }).send();
    before = card.id;
    const file = Buffer.from(`file ${index}`);
    if (index % 6 === 0)
      await client.attachments
        .add(card.id, {
          fileName: "file.txt",
          contentType: "text/plain",
          source: async () => ({ stream: Readable.from([file]), size: file.length }),
        })
        .send();
    const date = "2026-01-02T03:04:05.000Z";
    if (index % 5 === 0) await client.reviews.create(card.id, { date, "remembered?": true }).send();
    if (index % 9 === 0) await client.cards.update(card.id, { "trashed?": date }).send();
  }
}

function launch(
  folder: string,
  home: string,
  args: readonly string[],
  { url, key }: { url: string; key: string },
): ChildProcess {
  return spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      DECKHAND_HOME: home,
      DECKHAND_BASE_URL: url,
      DECKHAND_API_KEY: key,
      DECKHAND_RETRIES: "8",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

interface Ended {
  readonly killed: boolean;
  readonly code: number | null;
  readonly stderr: string;
}

/** Waits for the end of a process, or kills it shortly after it has created so many cards. */
async function endOf(child: ChildProcess, after: number): Promise<Ended> {
  let fresh = 0;
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString("utf8");
  });
  child.stdout?.on("data", (chunk: Buffer) => {
    fresh += chunk.toString("utf8").match(/"id":"[^"]*"\}/g)?.length ?? 0;
    // Anywhere within the next requests, not always between the same two.
    if (fresh >= after && !child.killed) setTimeout(() => child.kill("SIGKILL"), random() * 12);
  });
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((done) =>
    child.on("close", (...ended) => done(ended)),
  );
  return { killed: signal === "SIGKILL", code, stderr };
}
