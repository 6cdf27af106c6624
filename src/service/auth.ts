import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import { type RandomBytes, randomText } from "../schema/ids.ts";
import type { Store } from "./store/index.ts";
import {
  accountWithHash,
  allKeys,
  anyKey,
  deleteKeys,
  deleteSettings,
  insertKey,
  setSetting,
  setting,
  settingsLike,
} from "./store/keys.ts";
import type { Db } from "./store/tables.ts";

interface KeyInfo {
  readonly account: string;
  /** ISO 8601. */
  readonly created: string;
}

interface KeysSettings {
  readonly store: Store;
  now(): number;
  readonly random: RandomBytes;
  /** How long a wrong key waits for its answer, in milliseconds: that slows down guessing. */
  readonly delay: number;
}

/** The API keys of the service, and the sessions of browsers that signed in with one. Only hashes of both are stored. */
export class Keys {
  readonly #settings: KeysSettings;
  readonly #store: Store;
  /** How long a session lasts, in seconds: 30 days. */
  readonly sessionSeconds = 30 * 24 * 60 * 60;

  constructor(settings: KeysSettings) {
    this.#settings = settings;
    this.#store = settings.store;
  }

  /** Creates another key for an account. @returns the key, which cannot be shown again. */
  async add(account: string): Promise<string> {
    // 32 of 62 characters are 190 bits: a key cannot be guessed, so a plain hash of it is enough.
    const key = randomText(32, this.#settings.random);
    const row = { account, hash: hashOf(key), created_at: this.#settings.now() };
    await this.#store.write(account, (db) => insertKey(db, row));
    return key;
  }

  /** The accounts that have keys, once for each key, oldest first. */
  async list(): Promise<KeyInfo[]> {
    const keys = await this.#store.read(allKeys);
    return keys.map((key) => ({ account: key.account, created: new Date(key.created_at).toISOString() }));
  }

  /** Whether any account has a key. */
  exist(): Promise<boolean> {
    return this.#store.read(anyKey);
  }

  /**
   * Begins a session of a browser; those that are too old are deleted.
   *
   * @returns the session; undefined for an unknown key, or one of another account than `name` (if that is not "")
   */
  async beginSession(key: string, name: string): Promise<string | undefined> {
    const account = await this.accountOf(key, name);
    if (account === undefined) return undefined;
    const { random, now } = this.#settings;
    const session = randomText(32, random);
    await this.#store.write(account, async (db) => {
      await deleteSessions(db, ([begun]) => this.#isOver(begun));
      await setSetting(db, sessionSetting(session), `${now()} ${hashOf(key)} ${account}`);
    });
    return session;
  }

  /** The account of a session, while its key holds. */
  async accountOfSession(session: string): Promise<string | undefined> {
    const stored = await this.#store.read((db) => setting(db, sessionSetting(session)));
    const [begun, keyHash] = stored?.split(" ") ?? [];
    return keyHash === undefined || this.#isOver(begun) ? undefined : this.#accountOfHash(keyHash);
  }

  /** Ends one session, or those of all browsers of an account; its keys still hold. */
  endSession(session: string): Promise<void> {
    return this.#store.write(undefined, (db) => deleteSettings(db, [sessionSetting(session)]));
  }

  revokeSessions(account: string): Promise<void> {
    return this.#store.write(account, (db) =>
      deleteSessions(db, ([, , ...name]) => name.join(" ") === account),
    );
  }

  /** Deletes all keys of an account. @returns how many there were. */
  remove(account: string): Promise<number> {
    return this.#store.write(account, (db) => deleteKeys(db, account));
  }

  /**
   * The account of a key; undefined, after a while, for an unknown key. It is looked up by its hash in an index: how long
   * that takes depends on the hash, which says nothing about any other key.
   *
   * @param name of the account that the key must belong to; "" for whichever it is
   */
  async accountOf(key: string, name = ""): Promise<string | undefined> {
    const account = await this.#accountOfHash(hashOf(key));
    if (account !== undefined && (name === "" || name === account)) return account;
    await new Promise((resolve) => setTimeout(resolve, this.#settings.delay));
    return undefined;
  }

  #accountOfHash(hash: string): Promise<string | undefined> {
    return this.#store.read((db) => accountWithHash(db, hash));
  }

  #isOver(begun: string | undefined): boolean {
    return this.#settings.now() - Number(begun) > this.sessionSeconds * 1000;
  }
}

/** Where a session is kept: when it began, the hash of its key, its account. */
const sessionPrefix = "session ";
const sessionSetting = (session: string) => sessionPrefix + hashOf(session);

async function deleteSessions(db: Db, isOver: (stored: readonly string[]) => boolean): Promise<void> {
  const all = await settingsLike(db, `${sessionPrefix}%`);
  const over = all.filter(({ value }) => isOver(value.split(" ")));
  await deleteSettings(
    db,
    over.map(({ name }) => name),
  );
}

const hashOf = (key: string) => hash("sha256", key, "hex");

/**
 * The key of an Authorization header (service-api.md, Authentication): the user name of Basic, with an empty password or
 * none. Undefined for any other header.
 */
export function basicKey(header: string | undefined): string | undefined {
  const match = /^basic +([a-z0-9+/_-]+={0,2})\s*$/i.exec(header ?? "");
  if (match === null) return undefined;
  const credentials = Buffer.from(match[1] ?? "", "base64").toString("utf8");
  const colon = credentials.indexOf(":");
  if (colon === -1) return credentials;
  return colon === credentials.length - 1 ? credentials.slice(0, -1) : undefined;
}
