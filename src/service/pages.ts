import { Buffer } from "node:buffer";
import { bookmarkOf, type Place, placeOf, startBookmark } from "./bookmarks.ts";
import { refuseInvalid } from "./errors.ts";
import type { RandomBytes } from "./ids.ts";
import type { Call, Service } from "./service.ts";
import type { Store } from "./store/index.ts";
import { settingOr } from "./store/settings.ts";

/** The bookmarks of lists. */
export interface Bookmarks {
  /** "start" where there is no bookmark; undefined for one that was not given out for this list. */
  read(scope: string, bookmark: unknown): Place | "start" | undefined;
  write(scope: string, last: Place): string;
}

/** Bookmarks signed with a secret that the store keeps, so that they outlive the process. */
export async function openBookmarks(store: Store, random: RandomBytes): Promise<Bookmarks> {
  const kept = await settingOr(store.db, "bookmark-key", () => hexOf(random(new Uint8Array(16))));
  const secret = Buffer.from(kept, "hex");
  return {
    read: (scope, bookmark) => (typeof bookmark === "string" ? placeOf(secret, scope, bookmark) : "start"),
    write: (scope, last) => bookmarkOf(secret, scope, last),
  };
}

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** One page of a list. */
export interface Page {
  /** The place after which it begins; undefined for the start. */
  readonly after: Place | undefined;
  /** Its bookmark, from the place of its last item; an empty page gives back the one that was sent, or `nil`. */
  bookmark(last: Place | undefined): string;
}

/**
 * Begins a page of a list (service.md, bookmark).
 *
 * @param list tells lists apart, by what they hold and their filter: a bookmark is good for one of them.
 * @throws Problem 422 for a bookmark of another list, or none of ours, and for what else is wrong with the query.
 */
export async function beginPage(
  { account, query, problems }: Call,
  service: Service,
  list: string,
): Promise<Page> {
  const sent = query["bookmark"];
  const scope = JSON.stringify([account, list]);
  const bookmarks = await service.bookmarks();
  const place = bookmarks.read(scope, sent);
  refuseInvalid(problems, place === undefined ? { bookmark: "is not a bookmark of this list" } : undefined);
  return {
    after: place === "start" ? undefined : place,
    bookmark: (last) => (last === undefined ? String(sent ?? startBookmark) : bookmarks.write(scope, last)),
  };
}
