import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Client, createClient } from "../../src/client/index.ts";
import { program } from "../support/cli.ts";
import { withCollection } from "../support/collection.ts";
import { httpTo } from "../support/http.ts";
import { losingProxy } from "../support/losing-proxy.ts";
import { seededRandom } from "../support/random.ts";
import { startTestServer, temporaryFolder } from "../support/service.ts";
import { count, seed } from "../support/soak.ts";

/** How often the program is killed. */
const kills = count("kills", 12, 100);
const random = seededRandom(seed);

interface Place {
  readonly env: Readonly<Record<string, string>>;
  /** Looks at the collection itself. */
  behind<T>(work: (client: Client) => Promise<T>): Promise<T>;
}

/** An account over the network, through a proxy that loses answers. */
async function remote(hosted: boolean): Promise<Place> {
  const server = await startTestServer();
  const share = hosted ? 0.05 : 0.2;
  const loses = (request: string) => request.startsWith("POST") && random() < share;
  const proxy = await losingProxy(server.url, loses, hosted);
  const client = createClient(await httpTo(server.url, { key: server.key }));
  const env = { DECKHAND_BASE_URL: proxy.url, DECKHAND_API_KEY: server.key, DECKHAND_RETRIES: "8" };
  return { env, behind: (work) => work(client) };
}

async function local(home: string): Promise<Place> {
  const env = { DECKHAND_PROFILE: "local", DECKHAND_BACKUP_AUTOMATIC: "off" };
  return { env, behind: (work) => withCollection(join(home, "data"), work) };
}

describe.each<[string, (home: string) => Promise<Place>, number]>([
  ["into the local collection", local, 6_000],
  ["into a service with ids and batches that loses answers", () => remote(false), 6_000],
  ["into a service without extensions that loses answers", () => remote(true), kills * 18],
])("a bulk creation %s", (_, placeOf, lines) => {
  test(`that is killed ${kills} times creates every row once, one that was corrected in between, too`, async () => {
    const folder = await temporaryFolder();
    const home = join(folder, "home");
    mkdirSync(home);
    const { env, behind } = await placeOf(home);
    // Some rows are equal to others: each counts for itself. One such card is there already.
    const contents = Array.from({ length: lines }, (_, index) => `card ${index % 3 === 0 ? "again" : index}`);
    const deck = await behind(async (client) => {
      const { id } = await client.decks.create({ name: "Cards" });
      await client.cards.create({ content: "card again", "deck-id": id });
      return id;
    });
    const write = (wrong: number | undefined) =>
      writeFileSync(
        join(folder, "cards.ndjson"),
        contents
          .map((content, at) => `${JSON.stringify({ content: at === wrong ? 7 : content })}\n`)
          .join(""),
      );
    write(3);
    const args = ["cards", "create", "--from", "cards.ndjson", "--deck-id", deck];
    let [killed, delay] = [0, 500];
    for (;;) {
      // Until then no run is finished: one that is killed after its end would be forgotten.
      if (killed === kills) write(undefined);
      const child = spawn(process.execPath, [program, ...args], {
        cwd: folder,
        env: { PATH: process.env["PATH"], DECKHAND_HOME: home, ...env },
        stdio: ["ignore", "ignore", "pipe"],
      });
      const timer = killed < kills ? setTimeout(() => child.kill("SIGKILL"), random() * delay) : undefined;
      const ended = await endOf(child);
      clearTimeout(timer);
      if (ended.killed) {
        killed++;
        // On a busy machine some runs do not get to their first request.
        delay += 30;
      } else if (ended.code === 0) break;
      else if (ended.code !== 9 || killed === kills) throw new Error(`${ended.code} ${ended.stderr}`);
      else killed++;
    }
    const made = await behind(async (client) => {
      const found: string[] = [];
      for await (const { docs } of client.cards.pages({ deckId: deck }))
        found.push(...docs.map(({ content }) => content ?? ""));
      return found;
    });
    expect(made.toSorted()).toEqual([...contents, "card again"].toSorted());
  }, 600_000);
});

interface Ended {
  readonly killed: boolean;
  readonly code: number | null;
  readonly stderr: string;
}

async function endOf(child: ChildProcess): Promise<Ended> {
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString("utf8");
  });
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((done) =>
    child.on("close", (...ended) => done(ended)),
  );
  return { killed: signal === "SIGKILL", code, stderr };
}
