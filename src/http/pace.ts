/** A longer pause is not waited out: the command ends with the error. In milliseconds. */
export const longestPause = 5 * 60_000;

/** How quickly an account may send, as far as it is known. Times are epoch milliseconds. */
export interface Pace {
  /** No request before it. */
  readonly next: number;
  /** From one request to the next, in milliseconds; 0 as long as no limit was met. */
  readonly gap: number;
  /** When the current run of answered requests began, and how many there are in it. */
  readonly since: number;
  readonly answered: number;
  /** The first 429 after that run; 0 while there is none. */
  readonly limitedAt: number;
}

export const freely: Pace = { next: 0, gap: 0, since: 0, answered: 0, limitedAt: 0 };

/** A pace is forgotten when nothing was sent for this long: limits change. */
const forgottenAfter = 10 * 60_000;
const [shortestGap, firstGap, longestGap] = [5, 30, 60_000];

/** The pace as it is now: unknown after a long time, or if the clock was set back since. */
export function currentPace(pace: Pace, now: number): Pace {
  return Math.abs(now - pace.next) > forgottenAfter ? freely : pace;
}

/** The pace after a 429. @param pause milliseconds that the service asked for */
export function afterLimit(pace: Pace, sentAt: number, now: number, pause = 0): Pace {
  // A pause that no command waits out is not handed on: the next command asks the service.
  const next = now + (pause > longestPause ? 0 : pause);
  return { ...pace, next, limitedAt: pace.limitedAt || sentAt };
}

/**
 * The pace after an answer. The first one after a 429 says what the limit was: the run before it took so long, with the
 * pause, for so many requests. From then on the gap shrinks slowly, since the 429 may have had another cause.
 */
export function afterAnswer(pace: Pace, sentAt: number): Pace {
  if (pace.limitedAt > 0) {
    const [run, pause] = [sentAt - pace.since, sentAt - pace.limitedAt];
    const most = Math.min(longestGap, pause, pace.gap === 0 ? longestGap : pace.gap * 1.5);
    const gap = Math.max(firstGap, Math.min(most, run / Math.max(1, pace.answered)));
    return { next: sentAt + gap, gap, since: sentAt, answered: 1, limitedAt: 0 };
  }
  const lower = pace.gap * 0.995;
  const gap = lower < shortestGap ? 0 : lower;
  const since = pace.answered === 0 ? sentAt : pace.since;
  return { next: sentAt + gap, gap, since, answered: pace.answered + 1, limitedAt: 0 };
}

/** The pace in the text of a pace file; undefined if it is none. */
export function readPace(text: string): Pace | undefined {
  try {
    const { next, gap, since, answered, limitedAt } = JSON.parse(text) as Pace;
    const isSound = [next, gap, since, answered, limitedAt].every(
      (part) => Number.isFinite(part) && part >= 0,
    );
    return isSound && gap <= longestGap ? { next, gap, since, answered, limitedAt } : undefined;
  } catch {
    return undefined;
  }
}
