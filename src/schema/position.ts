/** Compares by code unit. */
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * A `pos` between two others. Cards sort by it, compared by code unit.
 *
 * @param before the one before it; undefined for the beginning
 * @param after the one after it; undefined for the end
 * @returns undefined where nothing fits: between `a` and `a` followed by the smallest character
 */
export function positionBetween(before: string | undefined, after: string | undefined): string | undefined {
  if (after === undefined) return positionAfter(before);
  const low = before ?? "";
  if (low >= after) return undefined;
  let shared = 0;
  while (shared < low.length && low[shared] === after[shared]) shared += 1;
  const prefix = after.slice(0, shared);
  const middle = characterBetween(low[shared], after[shared]);
  if (middle !== undefined) return prefix + middle;
  // No character fits at this place: try the next one, first after `before`, then before `after`.
  if (shared < low.length) return prefix + low[shared] + positionAfter(low.slice(shared + 1));
  const next = after[shared] as string;
  if (shared + 1 < after.length) {
    const rest = positionBetween(undefined, after.slice(shared + 1));
    return prefix + next + (rest ?? "");
  }
  return next.charCodeAt(0) === 0 ? undefined : `${prefix}${String.fromCharCode(next.charCodeAt(0) - 1)}V`;
}

/** The middle of the digits strictly between two; undefined if there is none. */
function characterBetween(low: string | undefined, high: string | undefined): string | undefined {
  const fitting = [...digits].filter(
    (each) => (low === undefined || each > low) && (high === undefined || each < high),
  );
  return fitting[Math.floor(fitting.length / 2)];
}

const firstHeader = 0x61; // a: one digit follows; b: two; and so on
const headers = 24; // a to x

/**
 * A position after `last`, which may be any string.
 *
 * Positions from here count: a letter for the number of digits (so that longer numbers sort after shorter ones), then the
 * digits. A hundred thousand of them need at most five characters. None ends in `0`, so that there is always room before
 * it. Behind a string of another form counting starts again.
 */
export function positionAfter(last: string | undefined): string {
  const text = last ?? "";
  for (let start = 0; start < text.length; start++) {
    const next = incremented(text, start);
    if (next !== undefined) return text.slice(0, start) + next;
  }
  return text + counter(0);
}

/** The first number with a header letter: as many digits as it says. */
const counter = (header: number) => `${String.fromCharCode(firstHeader + header)}${"0".repeat(header)}1`;

/** The number that follows the one at `start`; undefined if there is none at `start`. */
function incremented(text: string, start: number): string | undefined {
  const header = text.charCodeAt(start) - firstHeader;
  const count = header + 1;
  if (header < 0 || header >= headers || text.length !== start + 1 + count) return undefined;
  const values = Array.from(text.slice(start + 1), (digit) => digits.indexOf(digit));
  if (values.includes(-1)) return undefined;
  for (let at = count - 1; at >= 0; at--) {
    const value = values[at] as number;
    if (value < lastValue) {
      const tail = at === count - 1 ? "" : `${"0".repeat(count - at - 2)}1`;
      return text.slice(start, start + 1 + at) + digits[value + 1] + tail;
    }
  }
  return header + 1 < headers ? counter(header + 1) : undefined;
}

const lastValue = digits.length - 1;
