/** A longer pause is not waited out: the command ends with the error. In milliseconds. */
export const longestPause = 5 * 60_000;

/** How quickly an account may send, as far as it is known. Times are epoch milliseconds. */
export interface Pace {
  /** No request before it. */
  readonly next: number;
  /** From one request to the next, in milliseconds; 0 as long as no limit was met. */
  readonly gap: number;
  /** The gap that was last too small. */
  readonly refused: number;
  /** When the current run of answered requests began, and how many there are in it. */
  readonly since: number;
  readonly answered: number;
  /** The first 429 after that run; 0 while there is none. */
  readonly limitedAt: number;
  /** When this was written. */
  readonly at: number;
}

export const freely: Pace = { next: 0, gap: 0, refused: 0, since: 0, answered: 0, limitedAt: 0, at: 0 };

/** A pace is forgotten when nothing was sent for this long: limits change. */
const forgottenAfter = 10 * 60_000;
const firstGap = 30;
const longestGap = 60_000;
/** Longer pauses count as this: a service that asks for a year, or means milliseconds, is mistaken. */
const longestKept = 24 * 60 * 60_000;

/** The pace as it is now: unknown after a long time, or if the clock was set back since. */
export function currentPace(pace: Pace, now: number): Pace {
  const idle = now - Math.max(pace.at, pace.next);
  const impossible = pace.at > now + 60_000 || pace.next > now + 60_000 + longestKept;
  return idle > forgottenAfter || impossible ? freely : pace;
}

/**
 * The pace after a 429. Its cause is a limit, or another machine that uses the account; which of them is known only when
 * the service answers again.
 *
 * @param pause milliseconds that the service asked for.
 */
export function afterLimit(pace: Pace, sentAt: number, now: number, pause: number | undefined): Pace {
  return {
    ...pace,
    next: now + Math.min(pause ?? 0, longestKept),
    limitedAt: pace.limitedAt || sentAt,
    at: now,
  };
}

/**
 * The pace after an answer. The gap shrinks: quickly while it is far above the one that was refused, slowly near it and,
 * after fifty answers, below it. As in congestion control, the limit is then met seldom instead of all the time.
 */
export function afterAnswer(pace: Pace, sentAt: number, now: number): Pace {
  if (pace.limitedAt > 0) {
    const gap = Math.min(longestGap, raisedGap(pace, sentAt));
    const run = { since: sentAt, answered: 1, limitedAt: 0 };
    return { ...run, gap, refused: pace.gap, next: sentAt + gap, at: now };
  }
  const answered = pace.answered + 1;
  const refused = answered > 50 ? pace.refused * 0.98 : pace.refused;
  const goal = refused * 1.03;
  const lowered = goal + (pace.gap - goal) * 0.95;
  const gap = lowered < 2 ? 0 : Math.min(longestGap, lowered);
  const since = pace.answered === 0 ? sentAt : pace.since;
  return { next: sentAt + gap, gap, refused, since, answered, limitedAt: 0, at: now };
}

/** The gap after a limit was met, at the first answer since then. */
function raisedGap(pace: Pace, sentAt: number): number {
  // A request was let through this much after the 429, so the limit needs no longer gap than that in addition.
  const over = sentAt - pace.limitedAt;
  if (pace.answered < 4)
    return Math.max(firstGap, Math.min(pace.gap * 2, pace.gap + over / Math.max(1, pace.answered)));
  // The run was too much for the time until the 429, and not too much for the time until this answer.
  const tooSmall = (pace.limitedAt - pace.since) / pace.answered;
  const enough = (sentAt - pace.since) / pace.answered;
  if (pace.gap === 0) return Math.max(firstGap, Math.min(enough, sentAt - pace.limitedAt));
  // Near the limit, most of the wait before this answer has other causes.
  const estimate = tooSmall + (enough - tooSmall) * 0.15;
  const least = Math.min(pace.gap * 1.1, pace.gap + over / pace.answered);
  return Math.max(least, Math.min(estimate, over, pace.gap * 3));
}

/** The pace in the text of a pace file; undefined if it is none. */
export function readPace(text: string): Pace | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const pace = value as Record<keyof Pace, unknown>;
  const { next, gap, refused, since, answered, limitedAt, at } = pace;
  if (!isTime(next) || !isTime(gap) || gap > longestGap || !isTime(refused)) return undefined;
  if (!isTime(since) || !isTime(answered) || !isTime(limitedAt) || !isTime(at)) return undefined;
  return { next, gap, refused, since, answered, limitedAt, at };
}

const isTime = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value) && value >= 0;
