import { listings } from "../../schema/resources.ts";
import { type Flagged, flagCommand } from "../shared/flags.ts";

const cards: Flagged = {
  noun: "card",
  argument: "card ids, or - for one id a line on standard input",
  listing: listings.cards,
  examples: (verb) => [
    `deckhand cards ${verb} x7Rw2kQp`,
    `deckhand cards list --deck Geography -o id | deckhand cards ${verb} -`,
  ],
  find: async (id) => ({ id, label: id }),
  update: (client, id, body) => client.cards.update(id, body),
  get: (client, id) => client.cards.get(id),
};

const about = {
  archive: "Archive cards: they are kept, but neither new nor due.",
  unarchive: "Take cards out of the archive.",
  trash: "Put cards in the trash; the card and its attachments stay stored.",
  restore: "Take cards out of the trash. Each card is read back: exit 5 if the service left it there.",
};

export const archiveCommand = flagCommand("archive", about.archive, cards);
export const unarchiveCommand = flagCommand("unarchive", about.unarchive, cards);
export const trashCommand = flagCommand("trash", about.trash, cards);
export const restoreCommand = flagCommand("restore", about.restore, cards);
