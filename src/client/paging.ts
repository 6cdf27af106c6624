import { AnswerTooLargeError, BadResponseError } from "../errors.ts";
import { isMap, type Page } from "../schema/index.ts";
import { type Call, listed } from "./call.ts";

export interface PageOptions {
  /** How many documents in all; all if absent. */
  readonly limit?: number | undefined;
  /** Where to begin: the bookmark of an earlier page. */
  readonly bookmark?: string | undefined;
}

export interface FollowedPage<T> extends Page<T> {
  /** Where the limit cut the page, or may have: the rest of it has no bookmark. */
  readonly cut?: true | "maybe" | undefined;
}

/**
 * Follows bookmarks, and gives every document once (docs/design/wire.md, Documents). The list ends with a page that is
 * empty or shorter than asked for, and with a bookmark that is missing, `nil` or was there before. A page that is too
 * large is asked for again with fewer documents.
 *
 * @param fetch gets a page of at most `size` documents, where the list takes a size.
 * @param pageSize the most that a page may be asked to hold; undefined where the service decides.
 * @returns pages; the last one has a bookmark only if there may be more.
 * @throws BadResponseError if the service repeats its documents under ever new bookmarks.
 */
export async function* followPages<T extends { readonly id: string }>(
  fetch: (bookmark: string | undefined, size: number | undefined) => Promise<Page<T>>,
  options: PageOptions,
  pageSize: number | undefined,
): AsyncGenerator<FollowedPage<T>, void, undefined> {
  const ids = new Set<string>();
  const bookmarks = new Set<string>();
  let bookmark = options.bookmark;
  let left = options.limit ?? Number.POSITIVE_INFINITY;
  let largest = pageSize;
  let repeated = 0;
  if (bookmark !== undefined) bookmarks.add(bookmark);
  while (left > 0) {
    const size = largest === undefined ? undefined : Math.min(largest, left);
    let page: Page<T>;
    try {
      page = await fetch(bookmark, size);
    } catch (error) {
      if (!(error instanceof AnswerTooLargeError) || size === undefined || size === 1) throw error;
      largest = Math.ceil(size / 4);
      continue;
    }
    const fresh = page.docs.filter((doc) => !ids.has(doc.id) && ids.add(doc.id));
    const docs = fresh.length > left ? fresh.slice(0, left) : fresh;
    left -= docs.length;
    const short = page.docs.length === 0 || (size !== undefined && page.docs.length < size);
    const next = short ? undefined : nextBookmark(page, bookmarks);
    // Documents that were moved meanwhile may be listed twice, but not page after page.
    repeated = docs.length === 0 ? repeated + 1 : 0;
    if (next !== undefined && repeated === mostRepeated)
      throw new BadResponseError("the service lists the same documents again and again", {
        hint: "Its list has no end. What came before this is complete only up to here.",
      });
    if (docs.length > 0)
      yield docs.length < fresh.length ? { docs, bookmark: undefined, cut: true } : { docs, bookmark: next };
    if (next === undefined) return;
    bookmarks.add(next);
    bookmark = next;
  }
}

/** So many pages in a row without a new document are an error. */
const mostRepeated = 3;

/** Some services send `nil` when nothing follows. */
function nextBookmark(page: Page<unknown>, seen: ReadonlySet<string>): string | undefined {
  const { bookmark } = page;
  if (bookmark === undefined || bookmark === null || bookmark === "" || bookmark === "nil") return undefined;
  return seen.has(bookmark) ? undefined : bookmark;
}

/** The answer as a page. */
export function pageOf<T>(answer: unknown, call: Call<Page<T>>): Page<T> {
  const docs = listed<T>(answer, "docs", "id", call);
  const bookmark = isMap(answer) ? answer["bookmark"] : undefined;
  return { docs, bookmark: typeof bookmark === "string" ? bookmark : undefined };
}

/** All documents of the pages. */
export async function collectPages<T>(pages: AsyncIterable<Page<T>>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const page of pages) for (const doc of page.docs) all.push(doc);
  return all;
}
