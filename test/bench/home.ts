import { existsSync } from "node:fs";
import { join } from "node:path";
import { newId } from "../../src/schema/index.ts";
import { cli } from "../support/cli.ts";
import { bin, withCollection } from "../support/collection.ts";
import { openPty, type Pty } from "../support/pty.ts";
import { judge, median, tell } from "./support.ts";

/**
 * How the home screen feels on a real pseudo-terminal: its first frame against that of an Ink program that prints one
 * line; a key to the drawn frame in a tree of many decks; a letter of the search to what it finds.
 *
 *     node scripts/run.mjs test/bench/home.ts
 *
 * `DECKS` (5,000) and `CARDS` (100,000) set the large collection, `FOUND` (20,000) the one that is searched, `RUNS` how
 * often the start is measured, `DATA` a folder where both are kept for the next time.
 */

const size = { columns: 120, rows: 40 } as const;
const decks = Number(process.env["DECKS"] ?? 5000);
const cards = Number(process.env["CARDS"] ?? 100_000);
const found = Number(process.env["FOUND"] ?? 20_000);
const runs = Number(process.env["RUNS"] ?? 9);

async function main(): Promise<boolean> {
  const own = cli({ TZ: "UTC" });
  const folder = process.env["DATA"] ?? own.home;
  const homeOf = async (name: string, deckCount: number, cardCount: number) => {
    const home = join(folder, name);
    if (!existsSync(home)) await fill(join(home, "data"), deckCount, cardCount);
    return { DECKHAND_HOME: home, HOME: home, TZ: "UTC", DECKHAND_BACKUP_AUTOMATIC: "off" };
  };
  const small = await homeOf("searched", 20, found);
  const large = await homeOf("large", decks, cards);
  const first = await firstFrame(small);
  const keys = await keysIn(large);
  const letters = await lettersIn(small);
  own.remove();
  return first && keys && letters;
}

async function fill(folder: string, deckCount: number, cardCount: number): Promise<void> {
  await withCollection(folder, async (client) => {
    const ids: string[] = [];
    for (let deck = 0; deck < deckCount; deck++) {
      const parent = deck % 10 === 0 ? undefined : ids[deck - (deck % 10)];
      const body = { name: `Deck ${deck}`, ...(parent === undefined ? {} : { "parent-id": parent }) };
      ids.push((await client.decks.create(body).send()).id);
    }
    for (let card = 0; card < cardCount; card += 500)
      await client
        .batch(
          Array.from({ length: Math.min(500, cardCount - card) }, (_, index) => {
            const number = card + index;
            const content = `Question ${number} of ${words[number % words.length]}\n---\nAnswer ${number}`;
            const id = newId();
            return { id, "cards.create": { id, content, "deck-id": ids[number % ids.length] ?? "" } };
          }),
        )
        .send();
  });
}

const words = "house tree river mountain capital island bridge letter number window".split(" ");

async function firstFrame(env: Readonly<Record<string, string>>): Promise<boolean> {
  const code =
    'const { createElement } = await import("react"); const { render, Text } = await import("ink"); render(createElement(Text, null, "ready")); setTimeout(() => {}, 1000);';
  const ink = ["--input-type=module", "-e", code];
  const times = { ink: [] as number[], frame: [] as number[], decks: [] as number[] };
  for (let run = 0; run <= runs; run++) {
    const floor = await until(ink, env, "ready");
    const [frame, whole] = [await until([bin], env, "deckhand"), await until([bin], env, "Deck 1")];
    // The first of each only warms the machine's caches.
    if (run === 0) continue;
    times.ink.push(floor);
    times.frame.push(frame);
    times.decks.push(whole);
  }
  tell("an Ink program of one line", median(times.ink), "ms");
  tell("first frame of home", median(times.frame), "ms");
  tell("  with the decks", median(times.decks), "ms");
  return judge(
    "first frame, times that of the Ink program",
    median(times.frame) / median(times.ink),
    1.6,
    "",
  );
}

async function until(args: readonly string[], env: Readonly<Record<string, string>>, shown: string) {
  const begun = performance.now();
  const pty = openPty({ args, env: { ...env, NODE_ENV: "production" }, ...size });
  await pty.until(shown, 60_000);
  const taken = performance.now() - begun;
  pty.close();
  await pty.ended;
  return taken;
}

async function keysIn(env: Readonly<Record<string, string>>): Promise<boolean> {
  const begun = performance.now();
  const pty = openPty({ args: [bin], env, ...size });
  await pty.until("Deck 1", 120_000);
  tell(`decks of the large collection (${decks} decks, ${cards} cards)`, performance.now() - begun, "ms");
  const times: number[] = [];
  // Each of these changes the screen: moving, and folding the first deck.
  for (let turn = 0; turn < 20; turn++)
    for (const key of [..."hljjjkjkjkg"]) times.push(await press(pty, key));
  await leave(pty);
  tell("  the slowest", Math.max(...times), "ms");
  return judge("a key to the drawn screen, median", median(times), 16, " ms");
}

async function lettersIn(env: Readonly<Record<string, string>>): Promise<boolean> {
  const pty = openPty({ args: [bin], env, ...size });
  await pty.until("Deck 1", 60_000);
  const begun = performance.now();
  pty.press("/");
  await pty.until(`of ${found} cards`, 60_000);
  await pty.until((text) => !text.includes("read so far"), 60_000);
  tell(`reading ${found} cards for the search`, performance.now() - begun, "ms");
  const times: number[] = [];
  for (let turn = 0; turn < 5; turn++)
    for (const letter of [..."1234", ..."\x7f\x7f\x7f\x7f"]) {
      const before = pty.raw().length;
      const at = performance.now();
      pty.press(letter);
      // Each of them finds another number of cards: the third line is drawn with it.
      await pty.drawn(before, "\u001b[3;1H");
      times.push(performance.now() - at);
    }
  await leave(pty);
  return judge("a letter to its results, median", median(times), 100, " ms");
}

async function press(pty: Pty, key: string): Promise<number> {
  const before = pty.raw().length;
  const begun = performance.now();
  const drawn = pty.drawn(before);
  pty.press(key);
  await drawn;
  return performance.now() - begun;
}

async function leave(pty: Pty): Promise<void> {
  pty.press("\x03");
  await pty.ended;
  pty.close();
}

process.exitCode = (await main()) ? 0 : 1;
