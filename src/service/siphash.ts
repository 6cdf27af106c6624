import { Buffer } from "node:buffer";

/**
 * SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012): a keyed hash for short messages. For
 * where a signature is wanted and loading node:crypto, an eighth of starting Node, is not.
 *
 * @param key 16 bytes.
 * @returns 8 bytes, as in the paper: little-endian.
 */
export function sipHash(key: Uint8Array, message: Uint8Array): Uint8Array {
  const keyView = viewOf(key);
  const [k0, k1] = [keyView.getBigUint64(0, true), keyView.getBigUint64(8, true)];
  const state = {
    v0: k0 ^ 0x736f6d6570736575n,
    v1: k1 ^ 0x646f72616e646f6dn,
    v2: k0 ^ 0x6c7967656e657261n,
    v3: k1 ^ 0x7465646279746573n,
  };
  // Whole words, then one that ends with the length.
  const padded = new Uint8Array((message.length >> 3) * 8 + 8);
  padded.set(message);
  padded[padded.length - 1] = message.length & 0xff;
  const words = viewOf(padded);
  for (let at = 0; at < padded.length; at += 8) {
    const word = words.getBigUint64(at, true);
    state.v3 ^= word;
    mix(state, 2);
    state.v0 ^= word;
  }
  state.v2 ^= 0xffn;
  mix(state, 4);
  const hash = Buffer.alloc(8);
  hash.writeBigUInt64LE(state.v0 ^ state.v1 ^ state.v2 ^ state.v3);
  return hash;
}

interface State {
  v0: bigint;
  v1: bigint;
  v2: bigint;
  v3: bigint;
}

function mix(state: State, rounds: number): void {
  let { v0, v1, v2, v3 } = state;
  for (let round = 0; round < rounds; round++) {
    v0 = word(v0 + v1);
    v1 = rotated(v1, 13n) ^ v0;
    v0 = rotated(v0, 32n);
    v2 = word(v2 + v3);
    v3 = rotated(v3, 16n) ^ v2;
    v0 = word(v0 + v3);
    v3 = rotated(v3, 21n) ^ v0;
    v2 = word(v2 + v1);
    v1 = rotated(v1, 17n) ^ v2;
    v2 = rotated(v2, 32n);
  }
  state.v0 = v0;
  state.v1 = v1;
  state.v2 = v2;
  state.v3 = v3;
}

const word = (value: bigint) => BigInt.asUintN(64, value);
const rotated = (value: bigint, bits: bigint) => word(value << bits) | (value >> (64n - bits));
const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
