import type { Context } from "../../context/context.ts";
import { instant, keyword, object, string } from "../../schema/kinds.ts";
import type { Listing } from "../../schema/resources.ts";
import { command, declare } from "../shared/command.ts";
import { sayCount } from "../shared/pages.ts";
import { findTrashed } from "./find.ts";

const listing: Listing = {
  name: "items in the trash",
  kind: object({
    id: keyword({ about: "The card or deck." }),
    kind: string({ about: "card or deck." }),
    name: string({ about: "The card's name, the deck's path." }),
    "trashed?": instant({ about: "When it was trashed." }),
  }),
  columns: ["id", "kind", "name", "trashed?"],
};

const declared = () =>
  declare(`List the cards and decks in the trash.

"deckhand cards restore" and "deckhand decks restore" restore them.

Examples:
  deckhand trash list
  deckhand trash list -o json --jq '.[] | select(.kind == "card").id'`);

export const listCommand = command(declared, (_options, context) => listTrash(context));

async function listTrash(context: Context): Promise<void> {
  const found = await findTrashed(context);
  await context.print.list(
    listing,
    found.map((each) => ({ ...each })),
  );
  sayCount(found.length, listing.name, context);
}
