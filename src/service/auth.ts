import { Buffer } from "node:buffer";
import { hash, timingSafeEqual } from "node:crypto";
import { type RandomBytes, randomText } from "./ids.ts";
import type { Store } from "./store/index.ts";
import { allKeys, deleteKeys, insertKey } from "./store/keys.ts";

/** The keys of the service: made here, told once, and only their hashes kept. */
export interface Keys {
  /** Makes another key for an account. @returns the key; it cannot be told again. */
  add(account: string): Promise<string>;
  /** The accounts that have keys, once for each key, oldest first. */
  list(): Promise<KeyInfo[]>;
  /** Removes all keys of an account. @returns how many there were. */
  remove(account: string): Promise<number>;
  /** The account of a key; undefined if it is none. */
  accountOf(key: string): Promise<string | undefined>;
}

export interface KeyInfo {
  readonly account: string;
  /** ISO 8601. */
  readonly created: string;
}

// Milliseconds for which keys are not asked for again: so long one works that another process removed.
const remembered = 1000;

interface KnownKey {
  readonly account: string;
  readonly hash: Buffer;
}

export function createKeys(store: Store, now: () => number, random: RandomBytes): Keys {
  let known: { readonly keys: readonly KnownKey[]; readonly readAt: number } | undefined;
  return {
    async add(account) {
      // 32 of 62 characters are 190 bits: nothing that could be guessed, so that a plain hash is enough.
      const key = randomText(32, random);
      await insertKey(store.db, { account, hash: hashOf(key).toString("hex"), created_at: now() });
      return key;
    },
    async list() {
      const keys = await allKeys(store.db);
      return keys.map((key) => ({ account: key.account, created: new Date(key.created_at).toISOString() }));
    },
    async remove(account) {
      const count = await deleteKeys(store.db, account);
      known = undefined;
      return count;
    },
    async accountOf(key) {
      const given = hashOf(key);
      if (known !== undefined && Math.abs(now() - known.readAt) < remembered) {
        const account = accountWith(given, known.keys);
        if (account !== undefined) return account;
      }
      // Also for a key that is not among those remembered: it may be new.
      const readAt = now();
      known = { keys: await hashes(store), readAt };
      return accountWith(given, known.keys);
    },
  };
}

async function hashes(store: Store): Promise<KnownKey[]> {
  return (await allKeys(store.db)).map(({ account, hash }) => ({ account, hash: Buffer.from(hash, "hex") }));
}

/** All are compared, in constant time each: how long it takes says nothing. */
function accountWith(given: Buffer, keys: readonly KnownKey[]): string | undefined {
  let account: string | undefined;
  for (const known of keys) if (timingSafeEqual(known.hash, given)) account = known.account;
  return account;
}

const hashOf = (key: string) => hash("sha256", key, "buffer");
