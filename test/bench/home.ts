import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { newId } from "../../src/schema/index.ts";
import { cli } from "../support/cli.ts";
import { bin, withCollection } from "../support/collection.ts";
import { openPty, type Pty } from "../support/pty.ts";
import { judge, median, tell } from "./support.ts";

/**
 * How the home screen feels on a real pseudo-terminal: its first frame against that of an Ink program that prints one
 * line; a key to the drawn frame in a tree of many decks; a letter of the search to what it finds. Each key is waited
 * for by what it has to show, and timed until that has come, without what the emulator then takes.
 *
 *     node scripts/run.mjs test/bench/home.ts
 *
 * `DECKS` (5,000) and `CARDS` (100,000) set the large collection, `FOUND` (20,000; at least 2,000) the one that is
 * searched, `RUNS` how often the start is measured, `DATA` a folder where both are kept for the next time.
 */

const size = { columns: 120, rows: 40 } as const;
const decks = Number(process.env["DECKS"] ?? 5000);
const cards = Number(process.env["CARDS"] ?? 100_000);
const found = Number(process.env["FOUND"] ?? 20_000);
const runs = Number(process.env["RUNS"] ?? 9);
/** The longest that anything is waited for, in milliseconds. */
const deadline = 60_000;

async function main(): Promise<boolean> {
  const own = cli({ TZ: "UTC" });
  const folder = process.env["DATA"] ?? own.home;
  const homeOf = async (name: string, deckCount: number, cardCount: number) => {
    const home = join(folder, `${name}-${deckCount}-${cardCount}`);
    if (!existsSync(home)) await fill(join(home, "data"), deckCount, cardCount);
    return { DECKHAND_HOME: home, HOME: home, TZ: "UTC", DECKHAND_BACKUP_AUTOMATIC: "off" };
  };
  try {
    const small = await homeOf("searched", 20, found);
    const large = await homeOf("large", decks, cards);
    const [first, keys] = [await firstFrame(small), await keysIn(large)];
    return (await lettersIn(small)) && first && keys;
  } finally {
    own.remove();
  }
}

async function fill(folder: string, deckCount: number, cardCount: number): Promise<void> {
  await withCollection(folder, async (client) => {
    const ids: string[] = [];
    for (let deck = 0; deck < deckCount; deck++) {
      const parent = deck % 10 === 0 ? undefined : ids[deck - (deck % 10)];
      const body = { name: `Deck ${deck}`, ...(parent === undefined ? {} : { "parent-id": parent }) };
      ids.push((await client.decks.create(body)).id);
    }
    for (let card = 0; card < cardCount; card += 500)
      await client.batch(
        Array.from({ length: Math.min(500, cardCount - card) }, (_, index) => {
          const number = card + index;
          const content = `Question ${number} of ${words[number % words.length]}\n---\nAnswer ${number}`;
          const id = newId();
          return { id, "cards.create": { id, content, "deck-id": ids[number % ids.length] ?? "" } };
        }),
      );
  });
}

const words = "house tree river mountain capital island bridge letter number window".split(" ");

async function firstFrame(env: Readonly<Record<string, string>>): Promise<boolean> {
  const code =
    'const { createElement } = await import("react"); const { render, Text } = await import("ink"); render(createElement(Text, null, "ready")); setTimeout(() => {}, 1000);';
  const ink = ["--input-type=module", "-e", code];
  const times = { ink: [] as number[], frame: [] as number[], decks: [] as number[] };
  for (let run = 0; run <= runs; run++) {
    const floor = await shownAfter(ink, env, "ready");
    const [frame, whole] = [await shownAfter([bin], env, "deckhand"), await shownAfter([bin], env, "Deck 1")];
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

async function shownAfter(args: readonly string[], env: Readonly<Record<string, string>>, shown: string) {
  const begun = performance.now();
  const pty = openPty({ args, env: { ...env, NODE_ENV: "production" }, ...size });
  await pty.until(shown, deadline);
  const taken = performance.now() - begun;
  pty.close();
  await pty.ended;
  return taken;
}

async function keysIn(env: Readonly<Record<string, string>>): Promise<boolean> {
  const begun = performance.now();
  const pty = openPty({ args: [bin], env, ...size });
  await until(pty, "the first frame", (text) => text.includes("Reading your decks"));
  const early = await press(pty, "?", "the keys", (text) => text.includes("leave"));
  pty.press("\u001b");
  await until(pty, "the decks", (text) => text.includes("Deck 1"));
  tell(`decks of the large collection (${decks} decks, ${cards} cards)`, performance.now() - begun, "ms");
  await quiet(pty);
  const times: number[] = [];
  for (let turn = 0; turn < 20; turn++)
    for (const key of [..."hjjgljjjGkkg"]) times.push(await pressInDecks(pty, key));
  // Leaving the help reads the figures of all decks again: keys while they are read.
  const busy: number[] = [];
  for (let turn = 0; turn < 5; turn++) {
    await press(pty, "?", "the keys", (text) => text.includes("leave"));
    await press(pty, "\u001b", "the decks", (text) => text.includes("Deck 1"));
    for (const key of [..."jjjjg"]) busy.push(await pressInDecks(pty, key));
    await quiet(pty);
  }
  await leave(pty);
  const held = judge("a key to the drawn screen, median", median(times), 16, " ms");
  tell("  the slowest", Math.max(...times), "ms");
  tell("  the first, while the decks are read", early, "ms");
  tell("  while they are read again, median", median(busy), "ms");
  tell("  the slowest of these", Math.max(...busy), "ms");
  return held;
}

/** A key that moves the cursor in the tree or folds the deck at it, to the deck that it leads to. */
function pressInDecks(pty: Pty, key: string): Promise<number> {
  const rows = pty.screen();
  const at = cursorRow(pty);
  const names = rows.map((row) => /Deck \d+/.exec(row)?.[0]);
  const to = { j: names[at + 1], k: names[at - 1], g: "Deck 0", G: `Deck ${decks - 1}` }[key] ?? names[at];
  const mark = key === "h" ? "▸" : key === "l" ? "▾" : "";
  return press(pty, key, `the cursor at ${mark} ${to}`, () => {
    const row = pty.screen()[cursorRow(pty)] ?? "";
    return row.includes(mark) && /Deck \d+/.exec(row)?.[0] === to;
  });
}

/** The row that is drawn inverse; -1 if none is. */
const cursorRow = (pty: Pty): number => pty.cells().findIndex((row) => row[1]?.inverse === true);

async function lettersIn(env: Readonly<Record<string, string>>): Promise<boolean> {
  const pty = openPty({ args: [bin], env, ...size });
  await until(pty, "the decks", (text) => text.includes("Deck 1"));
  const begun = performance.now();
  pty.press("/");
  await until(pty, "all cards", (text) => foundIn(text) === found && !text.includes("read so far"));
  tell(`reading ${found} cards for the search`, performance.now() - begun, "ms");
  await quiet(pty);
  const times: number[] = [];
  for (let turn = 0; turn < 5; turn++) {
    let query = "";
    for (const key of [..."1234", ..."\x7f\x7f\x7f\x7f"]) {
      query = key === "\x7f" ? query.slice(0, -1) : query + key;
      // Words are found by how they begin: each query finds another number of cards.
      const number = numbers.filter((each) => `${each}`.startsWith(query)).length;
      times.push(await press(pty, key, `${number} cards`, (text) => foundIn(text) === number));
    }
  }
  await leave(pty);
  return judge("a letter to its results, median", median(times), 100, " ms");
}

const numbers = Array.from({ length: found }, (_, number) => number);

/** How many cards the search says that it found. */
const foundIn = (text: string): number => Number(/(\d+) cards?(,|$)/m.exec(text.split("\n")[2] ?? "")?.[1]);

/** Presses a key, and waits for what the screen shows then: how long it took until the frame had come. */
async function press(pty: Pty, key: string, what: string, shows: (text: string) => boolean): Promise<number> {
  if (shows(pty.text()))
    throw new Error(`the screen shows ${what} before ${JSON.stringify(key)} is pressed:\n${pty.text()}`);
  const begun = performance.now();
  let shown = 0;
  pty.press(key);
  await until(pty, `${what} after ${JSON.stringify(key)}`, (text) => {
    // Before the condition is looked at again the emulator may have drawn more.
    shown = pty.frameAt();
    return shown >= begun && shows(text);
  });
  return shown - begun;
}

/** Waits, but not for ever. */
async function until(pty: Pty, what: string, shows: (text: string) => boolean): Promise<void> {
  try {
    await pty.until(shows, deadline);
  } catch {
    throw new Error(`waited in vain for ${what}; the screen shows:\n${pty.text()}`);
  }
}

/** Waits until nothing is drawn any more. */
async function quiet(pty: Pty): Promise<void> {
  await until(pty, "the screen to be quiet", (text) => {
    const isBusy = /Reading your|One moment|read so far/.test(text);
    return !isBusy && performance.now() - pty.frameAt() > 500;
  });
}

async function leave(pty: Pty): Promise<void> {
  pty.press("\x03");
  const late = wait(deadline, "late", { ref: false });
  if ((await Promise.race([pty.ended, late])) === "late")
    throw new Error(`did not end at Ctrl-C; the screen shows:\n${pty.text()}`);
  pty.close();
}

process.exitCode = (await main()) ? 0 : 1;
