import { readCache, writeCache } from "../files/cache.ts";
import { isMap } from "../schema/index.ts";

/** A longer pause is not waited out: the command ends with the error. In milliseconds. */
export const longestPause = 5 * 60_000;

/** A pace is forgotten when nothing was sent for this long: limits change. */
const forgottenAfter = 10 * 60_000;
const [shortestGap, firstGap, longestGap] = [5, 30, 60_000];

/** How quickly an account may send, as far as it is known. Times are epoch milliseconds. */
export class Pace {
  /** No request before it; 0 where it does not matter. */
  next = 0;
  /** From one request to the next, in milliseconds; 0 as long as no limit was met. */
  gap = 0;
  readonly #path: string;
  /** When the current run of answered requests of this process began, and how many there are in it. */
  #since = 0;
  #answered = 0;
  /** The first 429 after that run; 0 while there is none. */
  #limitedAt = 0;

  /** @param path of the file in which processes hand it on */
  constructor(path: string) {
    this.#path = path;
  }

  /** Takes what the last process left; unknown after a long time, or if the clock was set back since. */
  read(now: number): void {
    const left = readCache(this.#path);
    if (isMap(left)) {
      this.next = Number(left["next"]) || 0;
      this.gap = Math.min(longestGap, Number(left["gap"]) || 0);
    }
    if (Math.abs(now - this.next) > forgottenAfter) [this.next, this.gap] = [0, 0];
  }

  /** After a 429. @param pause milliseconds that the service asked for */
  limited(sentAt: number, now: number, pause = 0): void {
    this.#limitedAt ||= sentAt;
    // A pause that no command waits out is not handed on: the next command asks the service.
    this.#write(now + (pause > longestPause ? 0 : pause), this.gap);
  }

  /**
   * After an answer. The first one after a 429 says what the limit was: the run before it took so long, with the pause,
   * for so many requests. From then on the gap shrinks slowly, since the 429 may have had another cause.
   */
  answered(sentAt: number): void {
    let gap = this.gap * 0.995 < shortestGap ? 0 : this.gap * 0.995;
    if (this.#limitedAt > 0) {
      const [run, pause] = [sentAt - this.#since, sentAt - this.#limitedAt];
      const most = Math.min(longestGap, pause, this.gap === 0 ? longestGap : this.gap * 1.5);
      gap = Math.max(firstGap, Math.min(most, run / Math.max(1, this.#answered)));
      this.#answered = 0;
    }
    if (this.#answered++ === 0) this.#since = sentAt;
    this.#limitedAt = 0;
    // As long as no limit was met there is nothing that another process has to know.
    if (gap + this.gap > 0) this.#write(gap === 0 ? 0 : sentAt + gap, gap);
  }

  #write(next: number, gap: number): void {
    [this.next, this.gap] = [next, gap];
    writeCache(this.#path, { next, gap });
  }
}
