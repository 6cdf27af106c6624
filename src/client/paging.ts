import { DeckhandError } from "../errors.ts";
import { isTooLarge } from "../http/index.ts";
import type { Page } from "../schema/index.ts";

export interface PageOptions {
  /** How many documents in all; all if absent. */
  readonly limit?: number | undefined;
  /** Where to begin: the bookmark of an earlier page. */
  readonly bookmark?: string | undefined;
}

export interface FollowedPage<T> extends Page<T> {
  /** Whether the limit may have cut the page: the rest of it has no bookmark. */
  readonly cut?: boolean | undefined;
}

/**
 * Follows bookmarks, and gives every document once (docs/design/wire.md, Documents). The list ends with an empty page, and
 * with a bookmark that is missing, `nil` or was there before. A page that is too large is asked for again with fewer
 * documents.
 *
 * @param fetch gets a page of at most `size` documents, where the list takes a size.
 * @param pageSize the most that a page may be asked to hold; undefined where the service decides.
 * @param isLast whether a page that is shorter than asked for ends the list; elsewhere one more request tells.
 * @returns pages; the last one has a bookmark only if there may be more.
 * @throws DeckhandError if the service repeats its documents under ever new bookmarks, or lists more than any has.
 */
export async function* followPages<T extends { readonly id: string }>(
  fetch: (bookmark: string | undefined, size: number | undefined) => Promise<Page<T>>,
  options: PageOptions,
  pageSize: number | undefined,
  isLast: () => boolean = () => false,
): AsyncGenerator<FollowedPage<T>, void, undefined> {
  const ids = new Set<string>();
  const bookmarks = new Set<string>();
  let bookmark = options.bookmark;
  let left = options.limit ?? Number.POSITIVE_INFINITY;
  let largest = pageSize;
  let repeated = 0;
  let count = 0;
  if (bookmark !== undefined) see(bookmark, bookmarks);
  while (left > 0) {
    const size = largest === undefined ? undefined : Math.min(largest, left);
    let page: Page<T>;
    try {
      page = await fetch(bookmark, size);
    } catch (error) {
      if (!isTooLarge(error) || size === undefined || size === 1) throw error;
      largest = Math.ceil(size / 4);
      continue;
    }
    const fresh = page.docs.filter((doc) => see(doc.id, ids));
    const docs = fresh.length > left ? fresh.slice(0, left) : fresh;
    left -= docs.length;
    const { length } = page.docs;
    const ends = length === 0 || (size !== undefined && length < size && isLast());
    const next = ends ? undefined : nextBookmark(page, bookmarks);
    count += length;
    // Documents that were moved meanwhile may be listed twice, but not page after page.
    repeated = docs.length === 0 ? repeated + 1 : 0;
    if (next !== undefined && (repeated === mostRepeated || count > mostDocuments))
      throw new DeckhandError(
        "bad-response",
        count > mostDocuments
          ? "the service lists more than ten million documents"
          : "the service lists the same documents again and again",
        { hint: "Its list has no end. What came before this is complete only up to here." },
      );
    // An empty last page says that nothing follows after all.
    if (docs.length > 0 || (next === undefined && bookmark !== undefined))
      yield docs.length < fresh.length ? { docs, bookmark: undefined, cut: true } : { docs, bookmark: next };
    if (next === undefined) return;
    see(next, bookmarks);
    bookmark = next;
  }
}

/** So many pages in a row without a new document are an error. */
const mostRepeated = 3;
/** No account has so many. */
const mostDocuments = 10_000_000;

/** A list that never ends must not fill the memory. */
const mostSeen = 100_000;

/** Adds a text to those that were seen last. @returns whether it is new */
function see(text: string, seen: Set<string>): boolean {
  if (seen.has(text)) return false;
  if (seen.size === mostSeen) seen.clear();
  seen.add(text);
  return true;
}

/** Some services send `nil` when nothing follows. */
function nextBookmark(page: Page<unknown>, seen: ReadonlySet<string>): string | undefined {
  const { bookmark } = page;
  if (bookmark === undefined || bookmark === null || bookmark === "" || bookmark === "nil") return undefined;
  return seen.has(bookmark) ? undefined : bookmark;
}

/** A list whose pages are as long as the service decides. */
export function listOf<T extends { readonly id: string }>(
  page: (query: Pick<PageOptions, "bookmark">) => Promise<Page<T>>,
) {
  const list = (query: Pick<PageOptions, "bookmark"> = {}) => page(query);
  const pages = (options: PageOptions = {}) =>
    followPages((bookmark) => list({ bookmark }), options, undefined);
  return { list, pages, all: (): Promise<readonly T[]> => collectPages(pages()) };
}

/** All documents of the pages. */
export async function collectPages<T>(pages: AsyncIterable<Page<T>>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const page of pages) for (const doc of page.docs) all.push(doc);
  return all;
}
