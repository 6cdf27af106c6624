import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import type { RandomBytes } from "../schema/ids.ts";
import type { Store } from "./store/index.ts";
import { setting, settingOr } from "./store/keys.ts";
import type { Place } from "./store/tables.ts";

/**
 * Bookmarks of lists. A bookmark is a place, signed together with its scope (account, list and filter), so that a forged
 * one and one of another list are recognised. It names a place, not an item: items may come and go around it.
 */
export class Bookmarks {
  /** The bookmark that means the start (docs/design/service.md). */
  readonly start = "nil";
  readonly #secret: Buffer;

  constructor(secret: Buffer) {
    this.#secret = secret;
  }

  /** Names the store: a hash of the secret, which each store has of its own. */
  get store(): string {
    return createHmac("sha256", this.#secret).update("store").digest("base64url").slice(0, 22);
  }

  /** @param scope has no line break. */
  write(scope: string, place: Place): string {
    const payload = Buffer.from(JSON.stringify(place)).toString("base64url");
    return `${payload}.${this.#sign(scope, payload).toString("base64url")}`;
  }

  /** The place that a bookmark names: "start", or undefined if it was not given out for this list. */
  read(scope: string, bookmark: string): Place | "start" | undefined {
    if (bookmark === this.start) return "start";
    const [payload = "", signature = "", ...more] = bookmark.split(".");
    const [given, expected] = [Buffer.from(signature, "base64url"), this.#sign(scope, payload)];
    if (more.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected))
      return undefined;
    return JSON.parse(Buffer.from(payload, "base64url").toString()) as Place;
  }

  #sign(scope: string, payload: string): Buffer {
    return createHmac("sha256", this.#secret).update(`${payload}\n${scope}`).digest().subarray(0, 16);
  }
}

const secretName = "bookmark-key";

/** Bookmarks signed with a secret that the store keeps, so that they outlive the process. */
export async function openBookmarks(store: Store, random: RandomBytes): Promise<Bookmarks> {
  const create = () => Buffer.from(random(new Uint8Array(16))).toString("hex");
  const secret =
    (await store.read((db) => setting(db, secretName))) ??
    (await store.write(undefined, (db) => settingOr(db, secretName, create)));
  return new Bookmarks(Buffer.from(secret, "hex"));
}
