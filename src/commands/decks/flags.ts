import type { Deck } from "../../schema/deck.ts";
import { listings } from "../../schema/resources.ts";
import { flagCommands } from "../shared/flags.ts";
import { deckArgument, findDeck, noteDeck } from "./items.ts";

export const { archiveCommand, unarchiveCommand, trashCommand, restoreCommand } = flagCommands(
  {
    noun: "deck",
    argument: deckArgument,
    listing: listings.deck,
    example: ["Geography/Europe", "list"],
    find: findDeck,
    update: (client, id, body) => client.decks.update(id, body),
    get: (client, id) => client.decks.get(id),
    note: (id, document, context) => noteDeck(id, document as Deck | undefined, context),
  },
  {
    archive: "Archive decks: their cards are neither new nor due.",
    unarchive: "Take decks out of the archive.",
    trash: "Put decks in the trash, and with them their cards and child decks. All of it stays stored.",
    restore: "Take decks out of the trash. Each deck is read back: exit 5 if the service left it there.",
  },
);
