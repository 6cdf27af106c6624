import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { program } from "../support/cli.ts";
import { httpTo } from "../support/http.ts";
import { losingProxy } from "../support/losing-proxy.ts";
import { seededRandom } from "../support/random.ts";
import { startTestServer, temporaryFolder } from "../support/service.ts";
import { count, seed } from "../support/soak.ts";

const kills = count("notesKills", 10, 60);

/** A folder of notes, an account, and the program between them, which is killed where a test says so. */
async function follower(hosted: boolean, loses: () => boolean) {
  const server = await startTestServer();
  let onRequest = () => {};
  const proxy = await losingProxy(
    server.url,
    (request) => {
      // What is only read changes nothing.
      if (!request.startsWith("GET")) onRequest();
      return loses();
    },
    hosted,
  );
  const client = createClient(await httpTo(server.url, { key: server.key }));
  onTestFinished(() => client.close());
  const home = temporaryFolder();
  const folder = join(home, "notes");
  const start = (): ChildProcess =>
    spawn(process.execPath, [program, "import", folder, "--follow", "--max-archive", "100"], {
      env: {
        PATH: process.env["PATH"],
        DECKHAND_HOME: join(home, "home"),
        DECKHAND_BASE_URL: proxy.url,
        DECKHAND_API_KEY: server.key,
        DECKHAND_RETRIES: "8",
        TZ: "UTC",
      },
      stdio: ["ignore", "ignore", "pipe"],
    });
  const run = async (killAt: number | undefined, after: number): Promise<boolean> => {
    let requests = 0;
    const child = start();
    onRequest = () => {
      if (++requests !== killAt) return;
      // At once: before it learns what came of it.
      if (after === 0) child.kill("SIGKILL");
      else setTimeout(() => child.kill("SIGKILL"), after);
    };
    const [stderr, [code, signal]] = await Promise.all([
      text(child.stderr as Readable),
      new Promise<[number | null, NodeJS.Signals | null]>((done) => child.on("close", (...end) => done(end))),
    ]);
    if (signal === "SIGKILL") return false;
    expect(code, stderr).toBe(0);
    return true;
  };
  return {
    write: (files: Readonly<Record<string, string>>) => {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
      for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    },
    run,
    /** The cards by text, with their decks' names, and whether they are archived. */
    async cards(): Promise<string[]> {
      const names = new Map((await client.decks.all()).map(({ id, name }) => [id, name]));
      const all: string[] = [];
      for await (const { docs } of client.cards.pages({}))
        for (const card of docs)
          all.push(
            `${names.get(card["deck-id"] ?? "")}: ${card.content}${card["archived?"] ? " (archived)" : ""}`,
          );
      return all.sort();
    },
    async ids(): Promise<Map<string, string>> {
      const ids = new Map<string, string>();
      for await (const { docs } of client.cards.pages({}))
        for (const card of docs) ids.set(card.content ?? "", card.id);
      return ids;
    },
  };
}

const question = (number: number, more = "") =>
  `Q: What is fact ${number}?\nA: Item ${number * 7919}${more}\n\n`;
const file = (from: number, to: number, more = "") =>
  Array.from({ length: to - from }, (_, each) => question(from + each, more)).join("");

/** What a folder is, one reading after the other. */
const readings: readonly Readonly<Record<string, string>>[] = [
  { "a.md": file(0, 12), "b.md": file(12, 20) },
  // Edited, moved, new, and two equal cards.
  {
    "a.md": file(0, 8, ", of course"),
    "b.md": file(12, 20) + file(8, 12),
    "c.md": question(90) + question(90),
  },
  // Some are removed, a file is renamed.
  {
    "a.md": file(2, 8, ", of course"),
    "d.md": file(12, 20) + file(8, 12),
    "c.md": question(90) + question(90),
  },
  // They come back.
  { "a.md": file(0, 8, ", of course"), "d.md": file(12, 20) + file(8, 12) },
];

test.each([
  ["a service with extensions", false],
  ["a hosted account, which has none", true],
])(
  "notes of %s, killed at every step and read again, become the same cards",
  async (_, hosted) => {
    const random = seededRandom(seed);
    const [whole, killed] = [
      await follower(hosted, () => false),
      await follower(hosted, () => random() < 0.1),
    ];
    let stopped = 0;
    for (const files of readings) {
      whole.write(files);
      killed.write(files);
      const [mine, before] = [whole, await killed.ids()];
      await mine.run(undefined, 0);
      for (let kill = 1; kill <= kills; kill++) {
        if (await killed.run(kill, kill % 2 === 0 ? random() * 15 : 0)) break;
        stopped++;
      }
      await killed.run(undefined, 0);
      expect(await killed.cards()).toEqual(await whole.cards());
      // Cards whose texts are the same are the same cards.
      const after = await killed.ids();
      for (const [content, id] of before)
        if (after.has(content) && !content.includes("fact 90")) expect(after.get(content), content).toBe(id);
    }
    expect(stopped).toBeGreaterThan(2);
  },
  240_000,
);
