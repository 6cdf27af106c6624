import { AnswerTooLargeError, BadResponseError } from "../errors.ts";
import type { Http } from "../http/index.ts";
import { isMap, type Operation, type Page } from "../schema/index.ts";
import { type Call, callOf, listed } from "./call.ts";

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

/** What is known of pages that are shorter than asked for, although they have a bookmark. */
export interface ShortPages {
  /** Whether nothing follows a page of that length. */
  isLast(length: number): boolean;
  /** Called where nothing followed one. */
  wasLast(length: number): void;
}

/**
 * Follows bookmarks, and gives every document once (docs/design/wire.md, Documents). The list ends with an empty page, and
 * with a bookmark that is missing, `nil` or was there before. A page that is too large is asked for again with fewer
 * documents.
 *
 * @param fetch gets a page of at most `size` documents, where the list takes a size.
 * @param pageSize the most that a page may be asked to hold; undefined where the service decides.
 * @param short pages that are shorter than asked for end the list where it says so; elsewhere one more request tells.
 * @returns pages; the last one has a bookmark only if there may be more.
 * @throws BadResponseError if the service repeats its documents under ever new bookmarks, or lists more than any has.
 */
export async function* followPages<T extends { readonly id: string }>(
  fetch: (bookmark: string | undefined, size: number | undefined) => Promise<Page<T>>,
  options: PageOptions,
  pageSize: number | undefined,
  short?: ShortPages,
): AsyncGenerator<FollowedPage<T>, void, undefined> {
  const ids = new Set<string>();
  const bookmarks = new Set<string>();
  let bookmark = options.bookmark;
  let left = options.limit ?? Number.POSITIVE_INFINITY;
  let largest = pageSize;
  let repeated = 0;
  let count = 0;
  /** The length of the page before, if it was shorter than asked for. */
  let shortBefore: number | undefined;
  if (bookmark !== undefined) see(bookmark, bookmarks);
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
    const fresh = page.docs.filter((doc) => see(doc.id, ids));
    const docs = fresh.length > left ? fresh.slice(0, left) : fresh;
    left -= docs.length;
    const { length } = page.docs;
    if (length === 0 && shortBefore !== undefined) short?.wasLast(shortBefore);
    shortBefore = size !== undefined && length < size ? length : undefined;
    const isLast = length === 0 || (shortBefore !== undefined && short?.isLast(length));
    const next = isLast ? undefined : nextBookmark(page, bookmarks);
    count += length;
    // Documents that were moved meanwhile may be listed twice, but not page after page.
    repeated = docs.length === 0 ? repeated + 1 : 0;
    if (next !== undefined && (repeated === mostRepeated || count > mostDocuments))
      throw new BadResponseError(
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

/** The answer as a page. */
export function pageOf<T>(answer: unknown, call: Call<Page<T>>): Page<T> {
  return pageWith(answer, listed<T>(answer, "docs", "id", call));
}

/** A page of these documents, with the bookmark of the answer. */
export function pageWith<T>(answer: unknown, docs: readonly T[]): Page<T> {
  const bookmark = isMap(answer) ? answer["bookmark"] : undefined;
  return { docs, bookmark: typeof bookmark === "string" ? bookmark : undefined };
}

/** A list whose pages are as long as the service decides. */
export function listOf<T extends { readonly id: string }>(http: Http, operation: Operation) {
  const list = (query: { readonly bookmark?: string | undefined } = {}): Call<Page<T>> =>
    callOf(http, operation, { query: { ...query } }, pageOf<T>);
  const pages = (options: PageOptions = {}) =>
    followPages((bookmark) => list({ bookmark }).send(), options, undefined);
  return { list, pages, all: (): Promise<readonly T[]> => collectPages(pages()) };
}

/** All documents of the pages. */
export async function collectPages<T>(pages: AsyncIterable<Page<T>>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const page of pages) for (const doc of page.docs) all.push(doc);
  return all;
}
