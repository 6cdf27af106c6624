import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Access } from "./ports.ts";

/** How long a session lasts, in seconds: 30 days. */
export const sessionSeconds = 30 * 24 * 60 * 60;

/** What the service knows of its keys. */
export interface SessionKeys {
  /** Signs sessions; the same for all servers of a store. */
  secret(): Promise<string>;
  /** @returns the account of a key and the hash that it is stored as */
  find(key: string): Promise<{ readonly account: string; readonly hash: string } | undefined>;
  /** The account of a stored hash, if its sessions of that instant (epoch milliseconds) still hold. */
  accountOf(hash: string, begun: number): Promise<string | undefined>;
  now(): number;
  /** Milliseconds that a wrong key waits for its answer. */
  readonly delay: number;
}

/**
 * Sessions of people with a key. A session names the hash of its key and when it began, signed: it ends with its key, with
 * `serve key revoke`, and after 30 days, and no table has to keep it.
 */
export function keyAccess(keys: SessionKeys): Access {
  const signature = async (text: string) =>
    createHmac("sha256", await keys.secret())
      .update(text)
      .digest("base64url");
  return {
    async accountOf(session) {
      const [begun = "", hash = "", signed = "", ...more] = session.split(".");
      if (more.length > 0 || !/^\d{1,15}$/.test(begun)) return undefined;
      if (!isSame(signed, await signature(`${begun}.${hash}`))) return undefined;
      const age = keys.now() - Number(begun);
      if (age > sessionSeconds * 1000) return undefined;
      return keys.accountOf(hash, Number(begun));
    },
    async login(key, name) {
      const found = await keys.find(key);
      if (found === undefined || (name !== "" && name !== found.account)) {
        await new Promise((resolve) => setTimeout(resolve, keys.delay));
        return undefined;
      }
      const text = `${keys.now()}.${found.hash}`;
      return `${text}.${await signature(text)}`;
    },
  };
}

/** The session of the one person at this machine: a link that works once begins it. */
export function linkAccess(account: string): Access & { readonly token: string } {
  const [token, session] = [randomText(), randomText()];
  let used = false;
  return {
    token,
    accountOf: async (given) => (isSame(given, session) ? account : undefined),
    async login(given) {
      if (used || !isSame(given, token)) return undefined;
      used = true;
      return session;
    },
  };
}

const randomText = () => randomBytes(24).toString("base64url");

function isSame(given: string, right: string): boolean {
  const [a, b] = [given, right].map((text) => createHmac("sha256", "length").update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
