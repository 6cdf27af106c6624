import type { Command } from "commander";
import type { GlobalOptions } from "../cli/options.ts";
import type { Client } from "../client/index.ts";
import type { Account, Folders, Settings, Sources } from "../config/index.ts";
import type { Names } from "../decks/names.ts";
import type { Http } from "../http/index.ts";
import type { Terminal } from "./io.ts";
import type { CommandPrint } from "./print.ts";
import type { World } from "./world.ts";

export type { Edited, World } from "./world.ts";
/** The terminal, or what replaces it: streams, messages, questions. Data is printed by `Print`. */
export type Io = Terminal;
/** Prints results on stdout in the format in use (docs/design/cli.md, Output). */
export type Print = CommandPrint;

/** Builds the context of a command from its parsed global options. */
export type StartContext = (command: Command) => Context;

/** What a command gets. Whatever is costly is created on first use, and once. */
export interface Context {
  /** The environment and platform; the streams are in `io`. */
  readonly world: World;
  readonly io: Io;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly options: GlobalOptions;
  readonly folders: Folders;
  /** Where settings are read from. */
  sources(): Sources;
  /** Every setting with its origin. */
  settings(): Settings;
  /** The account in use. @throws NotConfiguredError */
  account(): Account;
  client(): Promise<Client>;
  /** The HTTP core, for raw requests. */
  http(): Promise<Http>;
  names(): Promise<Names>;
  readonly print: Print;
}

interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** From 0 to 1. */
  random(): number;
}
