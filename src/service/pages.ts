import { bookmarkOf, type Place, placeOf, startBookmark } from "./bookmarks.ts";
import { invalid } from "./errors.ts";
import { type RandomBytes, randomText } from "./ids.ts";
import type { Call, Service } from "./service.ts";
import type { Store } from "./store/index.ts";
import { settingOr } from "./store/settings.ts";
import type { Db } from "./store/tables.ts";

/** The bookmarks of lists. */
export interface Bookmarks {
  /** @throws Problem 422 for a bookmark that was not given out for this list. Undefined means the start. */
  read(scope: string, bookmark: unknown): Place | undefined;
  write(scope: string, last: Place): string;
}

/** Bookmarks signed with a secret that the store keeps, so that they outlive the process. */
export async function openBookmarks(store: Store, random: RandomBytes): Promise<Bookmarks> {
  const secret = await settingOr(store.db, "bookmark-secret", () => randomText(43, random));
  return {
    read(scope, bookmark) {
      if (typeof bookmark !== "string") return undefined;
      const place = placeOf(secret, scope, bookmark);
      if (place === undefined) throw invalid({ bookmark: "is not a bookmark of this list" });
      return place === "start" ? undefined : place;
    },
    write: (scope, last) => bookmarkOf(secret, scope, last),
  };
}

/** What one list is made of. */
export interface List<Row> {
  /** Tells lists apart, by what they hold and their filter: a bookmark is good for one of them. */
  readonly name: string;
  rows(db: Db, after: Place | undefined): Promise<readonly Row[]>;
  place(row: Row): Place;
  documents(db: Db, rows: readonly Row[]): Promise<readonly unknown[]> | readonly unknown[];
}

/**
 * One page of a list (service.md, bookmark): the documents of the rows after the bookmark, and the bookmark of the last
 * one. An empty page gives back the bookmark that was sent, or `nil`.
 */
export async function pageOf<Row>(
  { account, query }: Call,
  service: Service,
  list: List<Row>,
): Promise<{ docs: readonly unknown[]; bookmark: string }> {
  const sent = query["bookmark"];
  const scope = JSON.stringify([account, list.name]);
  const bookmarks = await service.bookmarks();
  const after = bookmarks.read(scope, sent);
  return service.store.read(async (db) => {
    const rows = await list.rows(db, after);
    const last = rows.at(-1);
    return {
      docs: await list.documents(db, rows),
      bookmark: last === undefined ? String(sent ?? startBookmark) : bookmarks.write(scope, list.place(last)),
    };
  });
}
