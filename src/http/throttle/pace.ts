/** What is known of how quickly an account may send. Times are epoch milliseconds. */
export interface Pace {
  /** No request before it. */
  readonly next: number;
  /** From one request to the next, in milliseconds; 0 as long as no limit was met. */
  readonly gap: number;
  /** The gap that was last found too small. */
  readonly refused: number;
  /** When the present run of answered requests began, and how many there are in it. */
  readonly since: number;
  readonly answered: number;
  /** The first 429 after that run; 0 while there is none. */
  readonly limitedAt: number;
  /** When this was written. */
  readonly at: number;
}

export const freely: Pace = { next: 0, gap: 0, refused: 0, since: 0, answered: 0, limitedAt: 0, at: 0 };

/** A pace is forgotten when nothing was sent for so long: limits change. */
const forgottenAfter = 10 * 60_000;
const firstGap = 30;
const longestGap = 60_000;
/** No pause is believed for longer: a service that asks for a year, or for milliseconds as seconds, is mistaken. */
const longestKept = 24 * 60 * 60_000;

/** The pace as it holds now: unknown after a long time, or where the clock was set back since. */
export function currentPace(pace: Pace, now: number): Pace {
  const idle = now - Math.max(pace.at, pace.next);
  const impossible = pace.at > now + 60_000 || pace.next > now + 60_000 + longestKept;
  return idle > forgottenAfter || impossible ? freely : pace;
}

/**
 * The pace after a 429. Its cause is a limit, unless someone else is using the account: what to learn from it is known
 * only when the service answers again.
 *
 * @param pause what the service asked for.
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
 * The pace after an answer. The gap goes down, quickly while it is far above the one that was refused, slowly near it
 * (and after fifty answers below it), as congestion control does; so that a limit is met seldom, not all the time.
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

/** The gap after a limit was met, at the first answer since. */
function raisedGap(pace: Pace, sentAt: number): number {
  // Who was let through so soon after needs no more than that in addition: a longer gap would be no limit's.
  const over = sentAt - pace.limitedAt;
  if (pace.answered < 4)
    return Math.max(firstGap, Math.min(pace.gap * 2, pace.gap + over / Math.max(1, pace.answered)));
  // So many requests were too many for the time until the 429, and not too many for the time until this answer.
  const tooSmall = (pace.limitedAt - pace.since) / pace.answered;
  const enough = (sentAt - pace.since) / pace.answered;
  if (pace.gap === 0) return Math.max(firstGap, Math.min(enough, sentAt - pace.limitedAt));
  // Near the limit most of the wait before this answer is not the limit's doing.
  const estimate = tooSmall + (enough - tooSmall) * 0.15;
  const least = Math.min(pace.gap * 1.1, pace.gap + over / pace.answered);
  return Math.max(least, Math.min(estimate, over, pace.gap * 3));
}

/** The pace that a file holds; undefined for anything else than what `JSON.stringify` makes of one. */
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
