import { Buffer } from "node:buffer";

/**
 * Positions: any non-empty string may be one, and they sort by UTF-16 code unit (service.md). The store keeps them as
 * big-endian UTF-16, whose bytes sort just so in every database; text columns sort by code point, or by language.
 */

/** The bytes of a position; every string has its own, halves of surrogate pairs included. */
export function positionBytes(pos: string): Uint8Array {
  return Buffer.from(pos, "utf16le").swap16();
}

/** The position that the bytes stand for. */
export function positionText(bytes: Uint8Array): string {
  return Buffer.from(bytes).swap16().toString("utf16le");
}

const lastDigit = "z";
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const firstHeader = 0x61; // a: one digit follows; b: two; and so on
const headers = 24; // a to x

/**
 * A position after `last`, whatever string that is; undefined stands for none.
 *
 * Positions made here count: a letter that says how many digits follow (so that longer numbers sort after shorter ones),
 * then the digits. A hundred thousand of them stay within five characters. None ends in `0`, so that there is always room
 * before it for strings over the same digits. Behind a string of another make counting begins anew, unless the
 * next higher letter makes a shorter one.
 */
export function positionAfter(last: string | undefined): string {
  let kept = 0;
  const text = last ?? "";
  for (;;) {
    const unit = text.charCodeAt(kept); // NaN at the end
    const header = unit - firstHeader;
    if (!(header >= 0)) return text.slice(0, kept) + counter(0);
    if (header < headers) {
      const next = incremented(text, kept, header + 1);
      if (next !== undefined) return text.slice(0, kept) + next;
      const higher = header + 1 < headers ? counter(header + 1) : undefined;
      if (higher !== undefined && higher.length <= text.length - kept + counter(0).length)
        return text.slice(0, kept) + higher;
    }
    kept++;
  }
}

/** The first number after a header letter: as many digits as it says. */
const counter = (header: number) => `${String.fromCharCode(firstHeader + header)}${"0".repeat(header)}1`;

/** The number that follows the one at `start` of `count` digits; undefined if there is none or no number stands there. */
function incremented(text: string, start: number, count: number): string | undefined {
  if (text.length !== start + 1 + count) return undefined;
  const values = Array.from(text.slice(start + 1), (digit) => digits.indexOf(digit));
  if (values.includes(-1)) return undefined;
  for (let at = count - 1; at >= 0; at--) {
    const value = values[at] as number;
    if (value < lastValue) {
      const tail = at === count - 1 ? "" : `${"0".repeat(count - at - 2)}1`;
      return text.slice(start, start + 1 + at) + digits[value + 1] + tail;
    }
  }
  return undefined;
}

const lastValue = digits.indexOf(lastDigit);
