const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Fills the array with random bytes, and gives it back. */
export type RandomBytes = (bytes: Uint8Array) => Uint8Array;

// The global, not node:crypto, which takes an eighth of starting Node to load: only what writes needs either.
export const systemRandom: RandomBytes = (bytes) => crypto.getRandomValues(bytes);

/** A string of `length` random characters of 0-9A-Za-z, each as likely as any other. */
export function randomText(length: number, random: RandomBytes): string {
  let text = "";
  while (text.length < length) {
    for (const byte of random(new Uint8Array(length * 2))) {
      // 248 is four times 62: bytes above would make the first characters likelier.
      if (byte < 248 && text.length < length) text += digits[byte % 62];
    }
  }
  return text;
}

/** A new id (service.md: 8 characters of 0-9A-Za-z). That it is not taken yet is for the store to say. */
export const randomId = (random: RandomBytes): string => randomText(8, random);
