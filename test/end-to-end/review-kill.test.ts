import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { readHistory } from "../../src/review/session/history.ts";
import { moodyService } from "../support/moody-service.ts";
import type { Pty } from "../support/pty.ts";
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

/** Answers cards until the program dies; the cards whose answers were shown as taken. */
async function answerUntilKilled(pty: Pty, random: () => number): Promise<number[]> {
  const taken: number[] = [];
  let pending: number | undefined;
  try {
    for (;;) {
      await pty.until(question);
      const card = cardOnScreen(pty);
      pty.press("\r");
      await pty.until(/2 remembered/);
      await afterGuard();
      pending = card;
      pty.press(random() < 0.8 ? "2" : "1");
      await pty.until(() => Number.isFinite(cardOnScreen(pty)) && cardOnScreen(pty) !== card);
      taken.push(card);
      pending = undefined;
    }
  } catch (error) {
    await pty.ended;
    // What was drawn last may show that the answer was taken, although the key was the last thing that happened.
    const last = cardOnScreen(pty);
    if (pending !== undefined && Number.isFinite(last) && last !== pending) taken.push(pending);
    if (!(error instanceof Error && /ended while/.test(error.message))) throw error;
  }
  return taken;
}

const question = /space reveal|Type the answer/;

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

/** Kills reviews again and again, then compares what was shown, what is in the log, and what the service has. */
async function killAndCompare({ home, env, collection, calm }: Place, times: number): Promise<void> {
  const random = seededRandom(seed);
  const contents = Array.from({ length: times * 8 + 20 }, (_, i) => `[${i}] question #killed\n---\nanswer`);
  const ids = await collection((client) => makeCards(client, contents));
  const taken = new Set<number>();
  for (let i = 0; i < times; i++) {
    const way = ways[Math.floor(random() * ways.length)] ?? [];
    const back = toReturn(home.log());
    const pty = home.review(["--new", "all", ...way], { env });
    await pty.until(question, 20_000);
    const first = ids[cardOnScreen(pty)] ?? "";
    if (back.size > 0) expect([...back]).toContain(first);
    setTimeout(() => pty.kill("SIGKILL"), random() * 1500);
    for (const card of await answerUntilKilled(pty, random)) taken.add(card);
    pty.close();
    const logged = new Set(loggedReviews(home.log()).map(({ cardId }) => cardId));
    expect([...taken].filter((card) => !logged.has(ids[card] ?? ""))).toEqual([]);
  }
  expect(taken.size).toBeGreaterThan(times / 2);

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
    `loses no answer that was shown as taken, and doubles none (${kills} kills, seed ${seed})`,
    async () => {
      const home = reviewHome();
      await killAndCompare({ home, env: {}, collection: home.collection, calm() {} }, kills);
    },
    60_000 + kills * 10_000,
  );

  it(
    `nor over a network that is slow and loses answers (${kills} kills, seed ${seed})`,
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
