import type { Command } from "commander";
import type { StartContext } from "../context.ts";

/** Builds a command: it only declares options and arguments; its action starts a context and runs. */
export type CommandBuilder = (start: StartContext) => Command;

export interface VerbEntry {
  readonly about: string;
  /** Hidden other names. */
  readonly aliases?: readonly string[];
  readonly hidden?: boolean;
  readonly load?: () => Promise<CommandBuilder>;
}

export interface NounEntry extends VerbEntry {
  readonly verbs?: { readonly [verb: string]: VerbEntry };
  /** Runs when no verb is named. */
  readonly defaultVerb?: string;
}

export type CommandTree = { readonly [noun: string]: NounEntry };

/** Every command, by name. Nothing is loaded until it runs: a help page of a noun needs only these sentences. */
export const commandTree: CommandTree = {
  cards: {
    about: "List, read, create, change and remove cards",
    aliases: ["card"],
    verbs: {
      list: {
        about: "List cards",
        aliases: ["ls"],
        load: async () => (await import("./cards/list.ts")).listCommand,
      },
      get: { about: "Show cards", load: async () => (await import("./cards/get.ts")).getCommand },
      create: { about: "Create a card", load: async () => (await import("./cards/create.ts")).createCommand },
      update: { about: "Change cards", load: async () => (await import("./cards/update.ts")).updateCommand },
      edit: {
        about: "Edit a card in your editor",
        load: async () => (await import("./cards/edit.ts")).editCommand,
      },
      move: {
        about: "Move cards to another deck",
        load: async () => (await import("./cards/move.ts")).moveCommand,
      },
      archive: {
        about: "Archive cards",
        load: async () => (await import("./cards/flags.ts")).archiveCommand,
      },
      unarchive: {
        about: "Take cards out of the archive",
        load: async () => (await import("./cards/flags.ts")).unarchiveCommand,
      },
      trash: {
        about: "Put cards in the trash",
        load: async () => (await import("./cards/flags.ts")).trashCommand,
      },
      restore: {
        about: "Take cards out of the trash",
        load: async () => (await import("./cards/flags.ts")).restoreCommand,
      },
      delete: {
        about: "Remove cards for good",
        aliases: ["rm"],
        load: async () => (await import("./cards/delete.ts")).deleteCommand,
      },
    },
  },
};
