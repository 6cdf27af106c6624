import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { readHistory } from "../../src/review/session/history.ts";
import type { AnswerLine } from "../../src/review/session/log.ts";
import { bin, withCollection } from "./collection.ts";
import { temporaryFolder } from "./folder.ts";
import { openPty, type Pty, type PtyOptions } from "./pty.ts";

export { bin, makeCards } from "./collection.ts";

export interface ReviewHome {
  /** What DECKHAND_HOME names. */
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** Does something with the collection of the profile `local`. */
  collection<T>(work: (client: Client) => Promise<T>): Promise<T>;
  /** Starts `deckhand review` (or other arguments) on a terminal of its own, which is closed when the test is over. */
  review(args?: readonly string[], options?: Partial<PtyOptions>): Pty;
  logPath(name?: string): string;
  /** The only log there is; "" if there is none yet. */
  log(): string;
}

/** A home folder with a local collection. */
export function reviewHome(): ReviewHome {
  const home = temporaryFolder();
  mkdirSync(join(home, "data"), { recursive: true });
  const env = { DECKHAND_HOME: home, DECKHAND_PROFILE: "local", HOME: home, TZ: "UTC" };
  return {
    home,
    env,
    collection: (work) => withCollection(join(home, "data"), work),
    review(args = [], options = {}) {
      const pty = openPty({ ...options, args: [bin, "review", ...args], env: { ...env, ...options.env } });
      onTestFinished(() => pty.close());
      return pty;
    },
    logPath: (name = "local") => join(home, "data", "reviews", `${name}.jsonl`),
    log() {
      const folder = join(home, "data", "reviews");
      const [name] = existsSync(folder) ? readdirSync(folder) : [];
      return name === undefined ? "" : readFileSync(join(folder, name), "utf8");
    },
  };
}

/** What the service has recorded of a card: dates and outcomes. */
export async function reviewsOf(client: Client, id: string): Promise<[date: string, remembered: boolean][]> {
  const card = await client.cards.get(id);
  return (card.reviews ?? []).map((review) => [review?.date ?? "", review?.["remembered?"] ?? false]);
}

/** The reviews that a log says were given, not undone, by card. */
export function loggedReviews(
  text: string,
): { line: AnswerLine; cardId: string; date: string; remembered: boolean }[] {
  return readHistory(text).answers.flatMap((answer) => {
    const line = answer.read();
    if (line?.review === undefined || answer.status === "undone") return [];
    return [
      { line, cardId: line["card-id"], date: line.review.date, remembered: line.review["remembered?"] },
    ];
  });
}

/** Longer than the guard that keeps a held key from grading; `tapGuard` is that of double taps. */
export const afterGuard = (ms = 170): Promise<void> => new Promise((done) => setTimeout(done, ms));
export const tapGuard = 420;

/** The screen without what changes by itself: the time in its first line, and when the last card is due in its last. */
export const withoutClock = (text: string): string =>
  text.replace(/\d+:\d\d(?=\n)/, "").replace(/ *\bdue (?:tomorrow|\d+ \w{3}[^\n]*)\s*$/, "");

/** Reveals the card on the screen, however many sides it has, and grades it. */
export async function answer(pty: Pty, remembered: boolean): Promise<void> {
  const bottom = () => pty.screen().at(-1) ?? "";
  await pty.until(() => /reveal|page down|remembered/.test(bottom()));
  while (/space (?:reveal|page down)/.test(bottom())) {
    const before = withoutClock(pty.text());
    pty.press(" ");
    await pty.until((text) => withoutClock(text) !== before && /reveal|page down|remembered/.test(bottom()));
  }
  await pty.until(() => /remembered/.test(bottom()));
  await afterGuard();
  const before = withoutClock(pty.text());
  pty.press(remembered ? "2" : "1");
  await pty.until((text) => withoutClock(text) !== before);
}
