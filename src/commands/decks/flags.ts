import type { Deck } from "../../schema/deck.ts";
import { listings } from "../../schema/resources.ts";
import { type Flagged, flagCommand } from "../shared/flags.ts";
import { deckArgument, findDeck, noteDeck } from "./items.ts";

const decks: Flagged = {
  noun: "deck",
  argument: deckArgument,
  listing: listings.deck,
  examples: (verb) => [
    `deckhand decks ${verb} Geography/Europe`,
    `deckhand decks list -o id | deckhand decks ${verb} -`,
  ],
  find: findDeck,
  update: (client, id, body) => client.decks.update(id, body),
  get: (client, id) => client.decks.get(id),
  note: (id, document, context) => noteDeck(id, document as Deck | undefined, context),
};

const about = {
  archive: "Archive decks: their cards are neither new nor due.",
  unarchive: "Take decks out of the archive.",
  trash: "Put decks in the trash, and with them their cards and child decks. All of it stays stored.",
  restore: "Take decks out of the trash. Each deck is read back: exit 5 if the service left it there.",
};

export const archiveCommand = flagCommand("archive", about.archive, decks);
export const unarchiveCommand = flagCommand("unarchive", about.unarchive, decks);
export const trashCommand = flagCommand("trash", about.trash, decks);
export const restoreCommand = flagCommand("restore", about.restore, decks);
