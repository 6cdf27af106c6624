import { listings } from "../../schema/resources.ts";
import { flagCommands } from "../shared/flags.ts";

export const { archiveCommand, unarchiveCommand, trashCommand, restoreCommand } = flagCommands(
  {
    noun: "card",
    argument: "card ids, or - for one id a line on standard input",
    listing: listings.cards,
    example: ["x7Rw2kQp", "list --deck Geography"],
    find: async (id) => ({ id, label: id }),
    update: (client, id, body) => client.cards.update(id, body),
    get: (client, id) => client.cards.get(id),
  },
  {
    archive: "Archive cards: they are kept, but neither new nor due.",
    unarchive: "Take cards out of the archive.",
    trash: "Put cards in the trash; the card and its attachments stay stored.",
    restore: "Take cards out of the trash. Each card is read back: exit 5 if the service left it there.",
  },
);
