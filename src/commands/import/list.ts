import type { Context } from "../../context/context.ts";
import { instant, keyword, object, string } from "../../schema/kinds.ts";
import type { Listing } from "../../schema/resources.ts";
import { command, declare } from "../shared/command.ts";
import { sayCount } from "../shared/lists.ts";
import { openImports } from "./prepare.ts";

const listing: Listing = {
  name: "imports",
  kind: object({
    id: keyword({ about: "Names it for import undo." }),
    at: instant({ about: "When it began." }),
    state: string({ about: "finished, stopped or undone." }),
    name: string({ about: "What was imported." }),
  }),
  columns: ["id", "at", "state", "name"],
};

const declared = () =>
  declare(`List the last imports, the newest first.

The last 50 imports on this machine into the account in use are kept.

Examples:
  deckhand import list
  deckhand import list -o json`);

export const listCommand = command(declared, (_options, context) => listImportsOf(context));

async function listImportsOf(context: Context): Promise<void> {
  const records = await openImports(context);
  const imports = records.list().map(({ id, at, finished, undone, name }) => ({
    ...{ id, at: new Date(at).toISOString(), name },
    state: undone ? "undone" : finished ? "finished" : "stopped",
  }));
  records.close();
  await context.print.list(listing, imports);
  sayCount(imports.length, listing.name, context);
}
