import { Command } from "commander";
import type { Context, StartContext } from "../../context.ts";
import { ConflictError } from "../../errors.ts";
import type { CardUpdate } from "../../schema/card.ts";
import { listings } from "../../schema/resources.ts";
import { type Change, perform, printChanges } from "../shared/changes.ts";
import { type EachOptions, eachItem } from "../shared/items.ts";

interface Flag {
  readonly verb: string;
  readonly about: string;
  readonly done: string;
  body(context: Context): CardUpdate;
}

const archive: Flag = {
  verb: "archive",
  about: "Archive cards: they are kept, but neither new nor due.",
  done: "Archived",
  body: () => ({ "archived?": true }),
};
const unarchive: Flag = {
  verb: "unarchive",
  about: "Take cards out of the archive.",
  done: "Unarchived",
  body: () => ({ "archived?": false }),
};
const trash: Flag = {
  verb: "trash",
  about: "Put cards in the trash; the card and its attachments stay stored.",
  done: "Trashed",
  body: (context) => ({ "trashed?": new Date(context.now()).toJSON() }),
};
const restore: Flag = {
  verb: "restore",
  about: "Take cards out of the trash. The API does not promise this: the card is read back to see.",
  done: "Restored",
  body: () => ({ "trashed?": null }),
};

export const archiveCommand = (start: StartContext) => flagCommand(archive, start);
export const unarchiveCommand = (start: StartContext) => flagCommand(unarchive, start);
export const trashCommand = (start: StartContext) => flagCommand(trash, start);
export const restoreCommand = (start: StartContext) => flagCommand(restore, start);

function flagCommand(flag: Flag, start: StartContext): Command {
  return new Command(flag.verb)
    .description(flag.about)
    .argument("<card...>", "card ids, or - for one id a line on standard input")
    .option("--fail-fast", "stop at the first card that fails")
    .addHelpText(
      "after",
      `
Examples:
  deckhand cards ${flag.verb} x7Rw2kQp
  deckhand cards list --deck Geography -o id | deckhand cards ${flag.verb} -`,
    )
    .action((cards: string[], options: EachOptions, command: Command) =>
      setFlag(flag, cards, options, start(command)),
    );
}

async function setFlag(
  flag: Flag,
  ids: readonly string[],
  options: EachOptions,
  context: Context,
): Promise<void> {
  const client = await context.client();
  const changes = eachItem(ids, options, context, (id) =>
    perform(context, client.cards.update(id, flag.body(context)), async (document): Promise<Change> => {
      if (flag === restore) await assertRestored(id, context);
      return { id, document, sentence: `${flag.done} ${id}` };
    }),
  );
  await printChanges(context, listings.cards, changes, ids.length > 1 || ids[0] === "-");
}

async function assertRestored(id: string, context: Context): Promise<void> {
  const card = await (await context.client()).cards.get(id).send();
  if (card["trashed?"])
    throw new ConflictError(`card ${JSON.stringify(id)} is still trashed: the service did not restore it`, {
      hint: "Restore it in the service's own app.",
    });
}
