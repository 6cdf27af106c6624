import type { FollowedPage } from "../../client/index.ts";
import type { Context } from "../../context/context.ts";
import type { Listing } from "../../schema/index.ts";
import { sayNone } from "./none.ts";

/**
 * Prints pages as they come. Where a limit ended the list and the service has more, a line on stderr says so, and gives
 * the bookmark to go on with where there is one; nothing is asked only to find that out (docs/design/cli.md, cards).
 */
export async function printPages<T>(
  pages: AsyncIterable<FollowedPage<T>>,
  listing: Listing,
  options: { readonly limit: number | undefined; readonly advice?: string },
  context: Context,
): Promise<void> {
  let left = options.limit ?? Number.POSITIVE_INFINITY;
  let rest: string | null | undefined;
  let cut = false;
  async function* documents() {
    for await (const page of pages) {
      left -= page.docs.length;
      rest = left <= 0 ? page.bookmark : undefined;
      cut = page.cut === true;
      yield page.docs;
    }
  }
  const count = await context.print.list(listing, documents());
  if (count === 0) sayNone(`No ${listing.name} found`, context);
  if (cut) context.io.note(`There are more ${listing.name}: --limit ${options.limit} left them out`);
  if (rest)
    context.io.note(
      `There may be more ${listing.name}: go on with --bookmark ${rest}${options.advice ?? ""}`,
    );
}
