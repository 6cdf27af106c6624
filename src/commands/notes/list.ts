import { UsageError } from "../../errors.ts";
import { followed, isThere } from "../../notes/reading.ts";
import { instant, integer, keyword, string } from "../../schema/kinds.ts";
import { listingOf } from "../../schema/resources.ts";
import { todayFigures } from "../due/today.ts";
import { withRecord } from "../shared/account.ts";
import { command, declare } from "../shared/command.ts";
import { sayCount } from "../shared/lists.ts";
import { realPath, withNotes } from "./follow.ts";

const listing = listingOf("folders", {
  folder: string({ about: "The folder or file that is followed." }),
  deck: keyword({ about: "The path of its deck." }),
  cards: integer({ about: "How many cards it has." }),
  due: integer({ about: "How many of them a review asks now.", nullable: true }),
  read: instant({ about: "When it was read last." }),
});

export const listCommand = command(
  () =>
    declare(`List the folders of notes that are followed.

"deckhand review <folder>" and "deckhand import <folder> --follow" begin to follow one.

  deckhand notes
  deckhand notes list -o json`),
  (_options, context) =>
    withRecord(context, async (record) => {
      const names = await context.names();
      const found: Record<string, unknown>[] = [];
      for (const { key: folder, id, written: read } of [...record.bySource(followed)]) {
        const deck = await names.path(id);
        const figures = deck && (await todayFigures({ deck: id, recursive: true }, context));
        const cards = [...record.bySource(folder)].filter(isThere).length;
        found.push({ folder, deck: deck ?? id, cards, due: figures ? figures.today.count : null, read });
      }
      await context.print.list(listing, found);
      sayCount(found.length, listing.name, context);
    }),
);

export const forgetCommand = command(
  () =>
    declare(`Stop following a folder. Its cards stay in the account, as cards like any other.

  deckhand notes forget ~/notes
  deckhand notes forget ~/notes --dry-run`).argument("<folder>", "the folder or file"),
  (path, _options, context) =>
    withNotes(context, async (record) => {
      const root = realPath(path);
      if (record.find(followed, root) === undefined)
        throw new UsageError(`${path} is not followed`, { hint: "`deckhand notes` lists what is." });
      if (context.options.dryRun) return context.io.print(`Would stop following ${root}`);
      record.forget(followed, root);
      record.replace(root, ["card ", "gone ", "file "], []);
      context.io.say(`${root} is not followed any more; its cards stay`);
    }),
);
