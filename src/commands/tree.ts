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
      list: { about: "List cards", aliases: ["ls"], load: async () => (await import("./cards/list.ts")).listCommand },
    },
  },
};
