const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Fills the array with random bytes and returns it. */
export type RandomBytes = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array;

export const systemRandom: RandomBytes = (bytes) => crypto.getRandomValues(bytes);

/** `length` random characters of 0-9A-Za-z, all equally likely. */
export function randomText(length: number, random: RandomBytes): string {
  let text = "";
  while (text.length < length) {
    for (const byte of random(new Uint8Array(length * 2))) {
      // 248 is four times 62: bytes above it would make the first characters likelier.
      if (byte < 248 && text.length < length) text += digits[byte % 62];
    }
  }
  return text;
}

/** An id for a card, a deck or a template: whoever creates it may choose it (extension ids). */
export const newId = (random: RandomBytes = systemRandom): string => randomText(8, random);

/** So many at once: to ask the system for random bytes takes longer than all else. @param count at most 4,000 */
export function newIds(count: number, random: RandomBytes = systemRandom): string[] {
  const text = randomText(8 * count, random);
  return Array.from({ length: count }, (_, index) => text.slice(8 * index, 8 * index + 8));
}

export const isNewId = (text: string): boolean => /^[0-9A-Za-z]{8}$/.test(text);

/** A new id that `exists` does not know. */
export async function unusedId(
  random: RandomBytes,
  exists: (id: string) => Promise<boolean>,
): Promise<string> {
  for (;;) {
    const id = newId(random);
    if (!(await exists(id))) return id;
  }
}
