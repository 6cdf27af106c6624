import type { FollowedPage } from "../../client/index.ts";
import type { Context } from "../../context/context.ts";
import type { Document } from "../../output/index.ts";
import type { Listing } from "../../schema/index.ts";

interface PageSettings {
  /** How many documents in all; undefined for all. */
  readonly limit: number | undefined;
  /** What to do besides continuing with the bookmark. */
  readonly advice?: string;
  /** What is said after the count, on a terminal. */
  remark?(): string;
  /** Adds columns to the documents of a page. */
  complete?(page: readonly Document[]): Promise<readonly Document[]>;
}

/**
 * Prints pages as they come. If a limit ended the list and the service has more, a line on stderr says so, with the
 * bookmark to continue with; no request is made only to find out (docs/design/cli.md, Lists of cards).
 */
export async function printPages<T extends Document>(
  pages: AsyncIterable<FollowedPage<T>>,
  listing: Listing,
  { limit, advice = "", remark = () => "", complete = async (page) => page }: PageSettings,
  context: Context,
): Promise<void> {
  let left = limit ?? Number.POSITIVE_INFINITY;
  let rest: string | null | undefined;
  let cut: FollowedPage<T>["cut"];
  async function* documents() {
    for await (const page of pages) {
      left -= page.docs.length;
      rest = left <= 0 ? page.bookmark : undefined;
      cut = page.cut;
      yield await complete(page.docs);
    }
  }
  const count = await context.print.list(listing, documents());
  sayCount(count, listing.name, context, remark());
  const more = cut === "maybe" ? "may be" : "are";
  if (cut) context.io.note(`There ${more} more ${listing.name}: --limit ${limit} left them out`);
  if (rest) context.io.note(`There may be more ${listing.name}: continue with --bookmark ${rest}${advice}`);
}

/** Says on a terminal how many documents a table has: without rows it prints nothing. */
export function sayCount(count: number, name: string, context: Context, remark = ""): void {
  if (count === 0) sayNone(`No ${name} found`, context);
  else if (context.print.table) context.io.say(`${count} ${count === 1 ? singular(name) : name}${remark}`);
}

/** One of `cards`, `items in the trash`. */
const singular = (name: string) => name.replace(/s\b/, "");

/** Says on a terminal that a list is empty. */
export function sayNone(sentence: string, context: Context): void {
  if (context.print.table) context.io.say(sentence);
}
