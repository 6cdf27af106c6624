import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { readHistory } from "../../src/review/session/history.ts";
import { moodyService } from "../support/moody-service.ts";
import { openPty, type Pty } from "../support/pty.ts";
import { seededRandom } from "../support/random.ts";
import {
  afterGuard,
  bin,
  loggedReviews,
  makeCards,
  type ReviewHome,
  reviewHome,
  reviewsOf,
} from "../support/review.ts";

/** How often the program is killed: more with DECKHAND_TEST_KILLS=100, other moments with DECKHAND_TEST_SEED. */
const kills = Number(process.env["DECKHAND_TEST_KILLS"] || 3);
const seed = Number(process.env["DECKHAND_TEST_SEED"] || 1);

const cardOnScreen = (pty: Pty): number => Number(/\[(\d+)\]/.exec(pty.text())?.[1] ?? Number.NaN);

const question = /space reveal|Answer \(Esc/;
const answered = /2 remembered/;

/** A review runs in a shell, so that it can be suspended; the shell ends with it when it is killed. */
const prompt = "READY>";
const andLeave = "; [ $? = 137 ] && exit\r";

/** Presses a key and waits for what it brings. */
async function press(pty: Pty, key: string, shown: RegExp): Promise<void> {
  const before = pty.raw().length;
  pty.press(key);
  await pty.until((text) => pty.raw().slice(before).includes("\u001b[?2026l") && shown.test(text));
}

/** What users do beside revealing and grading; each comes back to the card as it was. */
const detours: Readonly<Record<string, (pty: Pty) => Promise<void>>> = {
  async details(pty) {
    await press(pty, "i", /Details/);
    await press(pty, "q", /\[/);
  },
  async sound(pty) {
    pty.press("p");
  },
  async picture(pty) {
    await pty.until("▀");
  },
  async tags(pty) {
    await press(pty, "t", /Tags, /);
    await press(pty, ", more\r", /\[/);
  },
  async edit(pty) {
    await press(pty, "e", /The card was changed|space reveal/);
    // A message is in the place of the keys until the next key.
    await detours["details"]?.(pty);
  },
  async suspend(pty) {
    const before = pty.raw().length;
    pty.press("\u001a");
    await pty.until(() => pty.raw().slice(before).includes(prompt));
    pty.press(`fg${andLeave}`);
    await pty.until(() => /\?1049h[\s\S]*\?2026l/.test(pty.raw().slice(before)));
    await pty.until(/\[/);
  },
};

/** Answers cards until the program dies; the cards whose answers were shown as recorded. */
async function answerUntilKilled(pty: Pty, random: () => number, typing: boolean): Promise<Set<number>> {
  const shown = new Set<number>();
  let pending: number | undefined;
  const detour = async () => {
    const names = Object.keys(detours);
    const name = names[Math.floor(random() * names.length * 2)];
    if (name !== undefined) await detours[name]?.(pty);
  };
  const grade = async (card: number) => {
    await afterGuard();
    pending = card;
    pty.press(random() < 0.8 ? "2" : "1");
    await pty.until(() => Number.isFinite(cardOnScreen(pty)) && cardOnScreen(pty) !== card);
    shown.add(card);
    pending = undefined;
  };
  try {
    for (;;) {
      await pty.until(question);
      const card = cardOnScreen(pty);
      if (!typing) await detour();
      await pty.until(question);
      await press(pty, "\r", answered);
      await grade(card);
      if (random() < 0.8 || typing) continue;
      await pty.until(question);
      shown.delete(card);
      await press(pty, "u", /Took back/);
      await pty.until(`[${card}]`);
      await grade(card);
    }
  } catch (error) {
    await pty.ended;
    // What was drawn last may show that the answer was recorded, although the key was the last thing that happened.
    const last = cardOnScreen(pty);
    if (pending !== undefined && Number.isFinite(last) && last !== pending) shown.add(pending);
    if (!(error instanceof Error && /ended while/.test(error.message))) throw error;
  }
  return shown;
}

/** Ways to run a session: each is killed. */
const ways: readonly (readonly string[])[] = [
  [],
  ["--type"],
  ["--order", "retrievability"],
  ["--tag", "killed", "--type"],
  ["--search", "question"],
];

/** The cards that were forgotten and not remembered since, by the log: the next session asks them first. */
function toReturn(log: string): Set<string> {
  const cards = new Set<string>();
  for (const answer of readHistory(log).answers) {
    const line = answer.read();
    if (line === undefined || answer.status === "undone") continue;
    if (line.left === 0) cards.delete(line["card-id"]);
    else if (!line["remembered?"]) cards.add(line["card-id"]);
  }
  return cards;
}

interface Place {
  readonly home: ReviewHome;
  readonly env: Readonly<Record<string, string>>;
  collection<T>(work: (client: Client) => Promise<T>): Promise<T>;
  /** To be called before everything is expected to arrive. */
  calm(): void;
}

/** A picture and a sound for a card, under the names in its content. */
async function addFiles(client: Client, id: string): Promise<void> {
  const { default: sharp } = await import("sharp");
  const image = sharp({ create: { width: 40, height: 20, channels: 3, background: "#ba0c2f" } });
  const files = { "flag.png": await image.png().toBuffer(), "anthem.mp3": Buffer.from("ID3") };
  for (const [fileName, bytes] of Object.entries(files)) {
    const source = async () => ({ stream: Readable.from([bytes]), size: bytes.length });
    await client.attachments.add(id, { fileName, source });
  }
}

/** What a review starts, and the terminal that it draws pictures for. */
function surroundings({ home }: ReviewHome): Readonly<Record<string, string>> {
  const script = (name: string, text: string) => {
    writeFileSync(join(home, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    return join(home, name);
  };
  return {
    COLORTERM: "truecolor",
    EDITOR: script("edit.sh", `printf '\\nEdited.\\n' >> "$1"`),
    DECKHAND_REVIEW_PLAYER: script("play.sh", "exit 0"),
  };
}

/** Starts a review, again where the network lost the same answer twice. */
async function startReview(pty: Pty, way: readonly string[]): Promise<void> {
  for (let start = 1; start <= 5; start++) {
    const before = pty.raw().length;
    pty.press(`"${process.execPath}" "${bin}" review --new all ${way.join(" ")}${andLeave}`);
    const failed = () => /deckhand: the connection was lost[\s\S]*READY>/.test(pty.raw().slice(before));
    await pty.until((text) => question.test(text) || failed(), 20_000);
    if (!failed()) return;
  }
  throw new Error("no review could be started");
}

/** The process of the review in its shell. */
function killReview(pty: Pty): void {
  const [child] = readFileSync(`/proc/${pty.pid}/task/${pty.pid}/children`, "utf8").trim().split(" ");
  if (child !== undefined && child !== "") process.kill(Number(child), "SIGKILL");
}

/** Kills reviews again and again, then compares what was shown, what is in the log, and what the service has. */
async function killAndCompare({ home, env, collection, calm }: Place, times: number): Promise<void> {
  const random = seededRandom(seed);
  const content = (i: number) =>
    `[${i}] question ![flag](@media/flag.png) ![anthem](@media/anthem.mp3) #killed\n---\nanswer`;
  const ids = await collection(async (client) => {
    const made = await makeCards(
      client,
      Array.from({ length: times * 8 + 20 }, (_, i) => content(i)),
    );
    for (const id of made) await addFiles(client, id);
    return made;
  });
  const shown = new Set<number>();
  const all = { ...home.env, ...surroundings(home), ...env };
  for (let i = 0; i < times; i++) {
    const way = ways[Math.floor(random() * ways.length)] ?? [];
    const back = toReturn(home.log());
    const pty = openPty({ command: "bash", args: ["--norc", "-i"], env: { ...all, PS1: prompt } });
    onTestFinished(() => pty.close());
    await pty.until(prompt);
    await startReview(pty, way);
    const first = ids[cardOnScreen(pty)] ?? "";
    if (back.size > 0) expect([...back]).toContain(first);
    setTimeout(() => killReview(pty), random() * 3000);
    for (const card of await answerUntilKilled(pty, random, way.includes("--type"))) shown.add(card);
    pty.close();
    const logged = new Set(loggedReviews(home.log()).map(({ cardId }) => cardId));
    expect([...shown].filter((card) => !logged.has(ids[card] ?? ""))).toEqual([]);
  }
  expect(shown.size).toBeGreaterThan(times / 2);

  calm();
  const synced = { ...home.env, ...env, PATH: process.env["PATH"] };
  await promisify(execFile)(process.execPath, [bin, "due", "sync"], { env: synced });
  const logged = loggedReviews(home.log());
  const recorded = await collection(async (client) => {
    const all: string[] = [];
    for (const id of ids)
      for (const [date, remembered] of await reviewsOf(client, id)) all.push(`${id} ${date} ${remembered}`);
    return all;
  });
  const expected = logged.map(({ cardId, date, remembered }) => `${cardId} ${date} ${remembered}`);
  expect(recorded.sort()).toEqual(expected.sort());
  expect(new Set(logged.map(({ cardId }) => cardId)).size).toBe(logged.length);
}

describe("a review that is killed", () => {
  it(
    `loses no answer that was shown as recorded, and records none twice (${kills} kills, seed ${seed})`,
    async () => {
      const home = reviewHome();
      await killAndCompare({ home, env: {}, collection: home.collection, calm() {} }, kills);
    },
    60_000 + kills * 10_000,
  );

  it(
    `loses and doubles no answer over a network that is slow and loses responses (${kills} kills, seed ${seed})`,
    async () => {
      const home = reviewHome();
      const random = seededRandom(seed + 1);
      const service = await moodyService({ delay: () => random() * 60, loses: () => random() < 0.1 });
      const env = { DECKHAND_BASE_URL: service.url, DECKHAND_API_KEY: service.key, DECKHAND_PROFILE: "" };
      const calm = () => Object.assign(service.mood, { delay: () => 0, loses: () => false });
      await killAndCompare({ home, env, collection: service.collection, calm }, kills);
    },
    60_000 + kills * 15_000,
  );
});
