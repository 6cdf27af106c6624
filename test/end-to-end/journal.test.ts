import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { program } from "../support/cli.ts";
import { httpTo } from "../support/http.ts";
import { losingProxy } from "../support/losing-proxy.ts";
import { startTestServer, temporaryFolder } from "../support/service.ts";

/** How often the program is killed. */
const kills = Number(process.env["KILLS"] ?? 100);
const lines = Math.max(60, kills * 7);

describe("a bulk creation with a journal", () => {
  test(`that is killed ${kills} times, through a proxy that loses 5 % of the answers, creates every line once`, async () => {
    const server = await startTestServer();
    const proxy = await losingProxy(server.url, () => Math.random() < 0.05);
    const http = await httpTo(server.url, { key: server.key });
    const client = createClient(http);
    const deck = await client.decks.create({ name: "Cards" }).send();
    const folder = await temporaryFolder();
    // Some lines are equal to others: each counts for itself. One such card is there already.
    const contents = Array.from({ length: lines }, (_, index) => `card ${index % 3 === 0 ? "again" : index}`);
    await client.cards.create({ content: "card again", "deck-id": deck.id }).send();
    writeFileSync(
      join(folder, "cards.ndjson"),
      contents.map((content) => `${JSON.stringify({ content })}\n`).join(""),
    );

    let killed = 0;
    for (let run = 0; ; run++) {
      // A lock of a process that was killed is taken over after some seconds: each run has a home of its own.
      const home = join(folder, `home-${run}`);
      mkdirSync(home);
      const child = start(folder, home, deck.id, { url: proxy.url, key: server.key });
      const ended = await endOf(
        child,
        killed < kills ? Math.floor(Math.random() * 12) : Number.POSITIVE_INFINITY,
      );
      if (ended.killed) {
        killed++;
        continue;
      }
      if (killed < kills)
        throw new Error(`it ended with ${ended.code} after ${killed} kills: ${ended.stderr}`);
      expect(ended).toMatchObject({ code: 0 });
      break;
    }

    const made: string[] = [];
    for await (const page of client.cards.pages({ deckId: deck.id }))
      made.push(...page.docs.map(({ content }) => content ?? ""));
    expect(proxy.lost()).toBeGreaterThan(0);
    expect(made.toSorted()).toEqual([...contents, "card again"].toSorted());
    await client.close();
  }, 1_200_000);
});

function start(
  folder: string,
  home: string,
  deck: string,
  { url, key }: { url: string; key: string },
): ChildProcess {
  const args = ["cards", "create", "--from", "cards.ndjson", "--deck-id", deck, "--journal", "cards.journal"];
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
    if (fresh >= after && !child.killed) setTimeout(() => child.kill("SIGKILL"), Math.random() * 12);
  });
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((done) =>
    child.on("close", (...ended) => done(ended)),
  );
  return { killed: signal === "SIGKILL", code, stderr };
}
