import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backoff } from "../../src/http/http.ts";
import { Pace } from "../../src/http/pace.ts";
import { seededRandom } from "../support/random.ts";
import { temporaryFolder } from "../support/service.ts";

/** Whether a service lets a request through that arrives at a time. */
type Limit = (now: number) => boolean;

/** At most five in any second. */
const slidingWindow = (): Limit => {
  const arrivals: number[] = [];
  return (now) => {
    while (arrivals[0] !== undefined && arrivals[0] <= now - 1000) arrivals.shift();
    if (arrivals.length >= 5) return false;
    arrivals.push(now);
    return true;
  };
};
/** As before, but what is refused counts, too. */
const strictWindow = (): Limit => {
  const arrivals: number[] = [];
  return (now) => {
    while (arrivals[0] !== undefined && arrivals[0] <= now - 1000) arrivals.shift();
    return arrivals.push(now) <= 5;
  };
};
/** At most five in each second of the clock. */
const fixedWindow = (): Limit => {
  let second = -1;
  let count = 0;
  return (now) => {
    if (Math.floor(now / 1000) !== second) count = 0;
    second = Math.floor(now / 1000);
    return ++count <= 5;
  };
};
/** Five in store, five more each second. */
const bucket = (): Limit => {
  let tokens = 5;
  let last = 0;
  return (now) => {
    tokens = Math.min(5, tokens + (now - last) / 200);
    last = now;
    if (tokens < 1) return false;
    tokens--;
    return true;
  };
};

/** Nothing can be written there. */
const nowhere = "/dev/null/pace";

interface Run {
  readonly ms: number;
  readonly limited: number;
  readonly mostRepeats: number;
  readonly pace: Pace;
}

/** Sends so many requests one after the other, each answered after 5 ms, as the core does. */
function send(
  count: number,
  allows: Limit,
  random: () => number,
  { pause, pace = new Pace(nowhere), from = 0 }: { pause?: number; pace?: Pace; from?: number } = {},
): Run {
  let now = from;
  let limited = 0;
  let mostRepeats = 0;
  for (let sent = 0; sent < count; sent++) {
    for (let repeat = 1; ; repeat++) {
      pace.read(now);
      now = Math.max(now, pace.next);
      const sentAt = now;
      now += 5;
      if (allows(sentAt)) {
        pace.answered(sentAt);
        break;
      }
      limited++;
      mostRepeats = Math.max(mostRepeats, repeat);
      pace.limited(sentAt, now, pause);
      now += pause ?? backoff(repeat, random(), 0.5);
    }
  }
  return { ms: now, limited, mostRepeats, pace };
}

describe("the pace", () => {
  const limits = { slidingWindow, strictWindow, fixedWindow, bucket };
  for (const [name, limit] of Object.entries(limits)) {
    for (const pause of [undefined, 1000]) {
      const hint = pause === undefined ? "without Retry-After" : "with Retry-After";
      it(`takes at most 1.3 times the time that five a second need (${name}, ${hint})`, () => {
        for (let seed = 1; seed <= 20; seed++) {
          const run = send(200, limit(), seededRandom(seed), pause === undefined ? {} : { pause });
          expect(run.ms).toBeLessThan(1.3 * 39_000);
          expect(run.limited).toBeLessThan(25);
          expect(run.mostRepeats).toBeLessThanOrEqual(5);
        }
      });
    }
  }

  it("hardly slows where refusals have nothing to do with it: another machine uses the account", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const busy = seededRandom(seed);
      const run = send(300, () => busy() >= 0.1, seededRandom(seed + 100));
      expect(run.pace.gap).toBeLessThan(3000);
      expect(run.ms).toBeLessThan(300 * 1500);
    }
  });

  it("continues where another process left it", async () => {
    const path = join(temporaryFolder(), "account.pace");
    const first = send(50, slidingWindow(), seededRandom(1), { pace: new Pace(path) });
    const next = { pace: new Pace(path), from: first.ms };
    expect(send(20, slidingWindow(), seededRandom(2), next).limited).toBeLessThanOrEqual(1);
  });

  it("becomes free again when there is no limit any more", () => {
    const slow = send(50, slidingWindow(), seededRandom(1));
    const free = send(1000, () => true, seededRandom(1), { pace: slow.pace, from: slow.ms });
    expect(free.pace.gap).toBe(0);
  });

  it("is forgotten after ten minutes without a request, or when the clock was set back", () => {
    for (const [later, isKnown] of [
      [60_000, true],
      [11 * 60_000, false],
      [-11 * 60_000, false],
    ] as const) {
      const { pace } = send(50, slidingWindow(), seededRandom(1));
      pace.read(pace.next + later);
      expect(pace.gap > 0).toBe(isKnown);
    }
  });

  it("does not hand on a pause that no command waits out", () => {
    for (const [pause, next] of [
      [600_000, 2_000],
      [60_000, 62_000],
    ] as const) {
      const pace = new Pace(nowhere);
      pace.limited(1_000, 2_000, pause);
      expect(pace.next).toBe(next);
    }
  });

  it("waits ten minutes at most, whatever happens", () => {
    const step = fc.record({
      after: fc.integer({ min: 0, max: 100_000 }),
      limited: fc.boolean(),
      pause: fc.option(fc.integer({ min: 0, max: 1_000_000 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        let now = 1;
        const pace = new Pace(nowhere);
        for (const { after, limited, pause } of steps) {
          now += after;
          if (limited) pace.limited(now, now, pause);
          else pace.answered(now);
          expect(pace.gap).toBeGreaterThanOrEqual(0);
          expect(pace.gap).toBeLessThanOrEqual(60_000);
          expect(pace.next - now).toBeLessThanOrEqual(10 * 60_000);
        }
      }),
    );
  });

  it("is learned from a first request that was refused and answered within a millisecond", () => {
    const pace = new Pace(nowhere);
    pace.limited(1, 1);
    pace.answered(1);
    expect(pace.gap).toBe(30);
  });
});
