import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { DeckhandError } from "../../src/errors.ts";
import { type Cli, cli, serve } from "../support/cli.ts";
import { beginDelete, examine, killAtRandom, nothingPromised, type Promised } from "../support/crash.ts";
import { httpTo } from "../support/http.ts";
import { seededRandom } from "../support/random.ts";
import { count, figure, seed } from "../support/soak.ts";
import { waitFor } from "../support/wait-for.ts";

function place(): { readonly home: Cli; readonly data: string } {
  const home = cli({ DECKHAND_PROFILE: "local" });
  onTestFinished(() => home.remove());
  return { home, data: join(home.home, "data") };
}

const pick = <T>(from: Iterable<T>, random: () => number): T | undefined => {
  const all = [...from];
  return all[Math.floor(random() * all.length)];
};

/**
 * Writes all kinds of things until the service is gone, and takes down what it acknowledged.
 *
 * @param after how many answers are waited for, on a slow machine, too, until the service is killed
 */
async function writeUntilGone(
  url: string,
  key: string,
  promised: Promised,
  { random, after, end }: { random: () => number; after: number; end: () => void },
): Promise<number> {
  const client = createClient(await httpTo(url, { key, retries: 0 }));
  let acknowledged = 0;
  const noted = (note: () => void) => {
    note();
    if (++acknowledged === after) end();
  };
  try {
    const deck = (await client.decks.create({ name: "Geography" })).id;
    noted(() => promised.decks.add(deck));
    for (;;) {
      const card = (await client.cards.create({ content: "x".repeat(1 + random() * 4000), "deck-id": deck }))
        .id;
      const files = new Map<string, string>();
      const reviews = new Set<string>();
      noted(() => promised.cards.set(card, { files, reviews }));
      const content = `content ${Math.floor(random() * 7)}`;
      const source = async () => ({ stream: Readable.from([Buffer.from(content)]), size: content.length });
      await client.attachments.add(card, { fileName: "a.txt", source });
      noted(() => files.set("a.txt", content));
      const date = new Date(1_700_000_000_000 + Math.floor(random() * 1e9)).toISOString();
      await client.reviews.create(card, { date, "remembered?": random() < 0.8 });
      noted(() => reviews.add(date));
      const old = random() < 0.3 ? pick(promised.cards.keys(), random) : undefined;
      if (old !== undefined) {
        const done = beginDelete(promised, old);
        await client.cards.delete(old);
        noted(done);
      }
      const oldDeck = random() < 0.1 ? pick(promised.decks, random) : undefined;
      if (oldDeck === undefined || oldDeck === deck) continue;
      const done = beginDelete(promised, oldDeck);
      await client.decks.delete(oldDeck);
      noted(done);
    }
  } catch (error) {
    if (!(error instanceof DeckhandError) || error.code !== "network") throw error;
    return acknowledged;
  }
}

it("serve loses nothing acknowledged and leaves no orphan, killed at any moment under load", async () => {
  const kills = count("kills", 6, 200);
  const { home, data } = place();
  const random = seededRandom(seed);
  const first = await serve(home);
  await first.stop();
  const promised = nothingPromised();
  let acknowledged = 0;
  for (let kill = 1; kill <= kills; kill++) {
    const child = home.start(["serve", "--port", "0"]);
    const url = await address(child);
    const exit = once(child, "exit");
    const after = 1 + Math.floor(random() * 20);
    const end = () => void killAtRandom(child, random, 20);
    acknowledged += await writeUntilGone(url, first.key, promised, { random, after, end });
    await exit;
    if (kill % 20 === 0 || kill === kills) await examine(data, promised);
  }
  expect(acknowledged).toBeGreaterThan(kills);
  figure("kill -9 of serve", { kills, acknowledged, cards: promised.cards.size, gone: promised.gone.size });
}, 1_800_000);

async function address(child: ChildProcess): Promise<string> {
  let text = "";
  child.stdout?.on("data", (chunk) => {
    text += chunk;
  });
  await waitFor(() => /listening on \S+\n/.test(text), "serve listens", 20_000);
  return /listening on (\S+)/.exec(text)?.[1] ?? "";
}

it("the program loses nothing that it printed as done, killed at any moment on the local profile", async () => {
  const kills = count("kills", 6, 200);
  const { home, data } = place();
  const random = seededRandom(seed);
  const file = join(home.home, "a.txt");
  writeFileSync(file, "content");
  const promised = nothingPromised();
  let acknowledged = 0;
  let lived = 0;
  const began = performance.now();
  const deck = (await home.ok(["decks", "create", "Geography"])).trim();
  const starting = performance.now() - began;
  const documents = Array.from({ length: 300 }, (_, i) =>
    JSON.stringify({ content: `card ${i}`, "deck-id": deck }),
  );
  for (let kill = 1; kill <= kills; kill++) {
    const some = [...promised.cards.keys()].slice(0, 40);
    const work = random();
    const [args, note]: [string[], (id: string) => void] =
      work < 0.4 || some.length < 10
        ? [
            ["cards", "create", "--from", "-", "-o", "id", "--yes"],
            (id) => promised.cards.set(id, { files: new Map(), reviews: new Set() }),
          ]
        : work < 0.7
          ? [
              ["attach", "add", some[0] ?? "", file, "-q"],
              () => promised.cards.get(some[0] ?? "")?.files.set("a.txt", "content"),
            ]
          : work < 0.9
            ? [["cards", "delete", "--yes", ...some], (id) => void promised.gone.add(id)]
            : [["decks", "create", `deck ${kill}`], (id) => promised.decks.add(id)];
    if (args[1] === "delete") for (const id of some) beginDelete(promised, id);
    const child = home.start(args);
    child.stdin?.on("error", () => {});
    child.stdin?.end(documents.join("\n"));
    let printed = "";
    child.stdout?.on("data", (chunk) => {
      printed += chunk;
    });
    const closed = new Promise((resolve) => child.once("close", resolve));
    await killAtRandom(child, random, starting * 2.5);
    await closed;
    if (child.exitCode !== null) lived++;
    for (const line of printed.slice(0, printed.lastIndexOf("\n") + 1).split("\n"))
      if (line !== "") {
        note(line);
        acknowledged++;
      }
    if (kill % 20 === 0 || kill === kills) await examine(data, promised);
  }
  expect(acknowledged).toBeGreaterThan(kills / 4);
  figure("kill -9 of the program", { kills, lived, acknowledged, cards: promised.cards.size });
}, 1_800_000);
