import { Buffer } from "node:buffer";

/**
 * SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012): a keyed hash for short messages. For
 * where a signature is wanted and loading node:crypto, an eighth of starting Node, is not.
 *
 * @param key 16 bytes.
 * @returns 8 bytes, as in the paper: little-endian.
 */
export function sipHash(key: Buffer, message: Uint8Array): Buffer {
  const [k0, k1, k2, k3] = [0, 4, 8, 12].map((at) => key.readInt32LE(at)) as [Half, Half, Half, Half];
  // "somepseudorandomlygeneratedbytes"
  const state: State = [
    k0 ^ 0x70736575,
    k1 ^ 0x736f6d65,
    k2 ^ 0x6e646f6d,
    k3 ^ 0x646f7261,
    k0 ^ 0x6e657261,
    k1 ^ 0x6c796765,
    k2 ^ 0x79746573,
    k3 ^ 0x74656462,
  ];
  // Whole words, then one that ends with the length.
  const words = Buffer.alloc((message.length >> 3) * 8 + 8);
  words.set(message);
  words[words.length - 1] = message.length & 0xff;
  for (let at = 0; at < words.length; at += 8) {
    const [low, high] = [words.readInt32LE(at), words.readInt32LE(at + 4)];
    xorWith(state, v3, low, high);
    mix(state, 2);
    xorWith(state, v0, low, high);
  }
  xorWith(state, v2, 0xff, 0);
  mix(state, 4);
  for (const word of [v1, v2, v3]) xor(state, v0, word);
  const hash = Buffer.allocUnsafe(8);
  hash.writeInt32LE(half(state, v0), 0);
  hash.writeInt32LE(half(state, v0 + 1), 4);
  return hash;
}

/** A signed integer of 32 bits. */
type Half = number;

/**
 * Four words of 64 bits as halves of 32, the lower one first. Numbers are many times faster than BigInts, and before
 * they are compiled also than what a typed array holds.
 */
type State = Half[];
const [v0, v1, v2, v3] = [0, 2, 4, 6] as const;

function mix(state: State, rounds: number): void {
  for (let round = 0; round < rounds; round++) {
    add(state, v0, v1);
    rotate(state, v1, 13);
    xor(state, v1, v0);
    swap(state, v0);
    add(state, v2, v3);
    rotate(state, v3, 16);
    xor(state, v3, v2);
    add(state, v0, v3);
    rotate(state, v3, 21);
    xor(state, v3, v0);
    add(state, v2, v1);
    rotate(state, v1, 17);
    xor(state, v1, v2);
    swap(state, v2);
  }
}

const half = (state: State, at: number): Half => state[at] as Half;

function add(state: State, to: number, word: number): void {
  const low = (half(state, to) >>> 0) + (half(state, word) >>> 0);
  state[to] = low | 0;
  state[to + 1] = (half(state, to + 1) + half(state, word + 1) + (low > 0xffffffff ? 1 : 0)) | 0;
}

/** Left, by fewer than 32 bits. */
function rotate(state: State, word: number, bits: number): void {
  const [low, high] = [half(state, word), half(state, word + 1)];
  state[word] = (low << bits) | (high >>> (32 - bits));
  state[word + 1] = (high << bits) | (low >>> (32 - bits));
}

/** Rotates by 32 bits. */
function swap(state: State, word: number): void {
  const low = half(state, word);
  state[word] = half(state, word + 1);
  state[word + 1] = low;
}

const xor = (state: State, to: number, word: number) =>
  xorWith(state, to, half(state, word), half(state, word + 1));

function xorWith(state: State, to: number, low: Half, high: Half): void {
  state[to] = half(state, to) ^ low;
  state[to + 1] = half(state, to + 1) ^ high;
}
