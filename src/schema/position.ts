/** Digits, capitals, small letters: in the order of their code units. */
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * A `pos` between two others; cards sort lexicographically by it, by code unit (service-api.md, Card).
 *
 * @param before what comes ahead of it, undefined for the beginning
 * @param after what comes behind it, undefined for the end
 * @returns undefined where nothing fits: `a` and `a` with the smallest character behind it
 */
export function positionBetween(before: string | undefined, after: string | undefined): string | undefined {
  if (after === undefined) return positionAfter(before ?? "");
  const low = before ?? "";
  if (low >= after) return undefined;
  let shared = 0;
  while (shared < low.length && low[shared] === after[shared]) shared += 1;
  const prefix = after.slice(0, shared);
  const middle = characterBetween(low[shared], after[shared]);
  if (middle !== undefined) return prefix + middle;
  // No character fits at this place: one place further, behind what comes ahead, or else ahead of what comes behind.
  if (shared < low.length) return prefix + low[shared] + positionAfter(low.slice(shared + 1));
  const next = after[shared] as string;
  if (shared + 1 < after.length) {
    const rest = positionBetween(undefined, after.slice(shared + 1));
    return prefix + next + (rest ?? "");
  }
  return next.charCodeAt(0) === 0 ? undefined : `${prefix}${String.fromCharCode(next.charCodeAt(0) - 1)}V`;
}

/**
 * A `pos` behind another, whatever string that is. It counts up in place; where all characters are used up it grows to
 * about twice the length, so that many cards in a row keep short positions.
 */
export function positionAfter(before: string): string {
  if (before === "") return "V";
  for (let at = before.length - 1; at >= 0; at -= 1) {
    const next = nextCharacter(before[at] as string);
    if (next !== undefined) return before.slice(0, at) + next + "0".repeat(before.length - 1 - at);
  }
  return `${before}${"0".repeat(before.length)}1`;
}

/** The next character of the alphabet, undefined at or beyond its end. */
function nextCharacter(character: string): string | undefined {
  for (const each of alphabet) if (each > character) return each;
  return undefined;
}

/** The middle one of the alphabet's characters strictly between two; undefined if there is none. */
function characterBetween(low: string | undefined, high: string | undefined): string | undefined {
  const fitting = [...alphabet].filter(
    (each) => (low === undefined || each > low) && (high === undefined || each < high),
  );
  return fitting[Math.floor(fitting.length / 2)];
}
