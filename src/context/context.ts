import type { Readable, Writable } from "node:stream";
import type { Command } from "commander";
import type { GlobalOptions } from "../cli/options.ts";
import type { Call, Client } from "../client/index.ts";
import type { Account, Folders, Format, Settings, Sources } from "../config/index.ts";
import type { Names } from "../decks/names.ts";
import type { DeckhandError } from "../errors.ts";
import type { Http } from "../http/index.ts";
import type { Documents, Output, Sink } from "../output/index.ts";
import type { Choice } from "../output/prompts.ts";
import type { StatusLine } from "../output/status.ts";
import type { Listing, Transport } from "../schema/index.ts";

/** What the program gets from its caller: the process, or a test. */
export interface World {
  readonly stdin: Readable & { readonly isTTY?: boolean; readonly fd?: number };
  readonly stdout: Writable & {
    readonly isTTY?: boolean;
    readonly columns?: number;
    readonly rows?: number;
  };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly home: string | undefined;
  /** Epoch milliseconds. */
  now(): number;
  /** From 0 to 1. */
  random(): number;
  /** Aborted with an InterruptedError when the program receives a signal to stop. */
  readonly signal: AbortSignal;
  /** Replaces the network and the local service in tests. */
  readonly transport?: Transport;
}

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

/** The terminal, or what replaces it: streams, messages, questions. Data is printed by `Print`. */
export interface Io extends Output {
  readonly stdin: World["stdin"];
  readonly stdout: World["stdout"];
  readonly stderr: World["stderr"];
  /** Whether questions can be asked: stdin and stderr are terminals. */
  readonly interactive: boolean;
  /** Whether stdout takes colour. */
  readonly colour: boolean;
  /** Columns of the terminal; 80 without one. */
  readonly width: number;
  /** Whether the terminal shows more than ASCII. */
  readonly unicode: boolean;

  /** A line for people on stdout, its control characters made visible; on a terminal wrapped between words. */
  print(line: string): Promise<void>;
  /** A sentence for people on stderr, only on a terminal, without --quiet and --dry-run. Names the profile if there are several. */
  say(sentence: string): void;
  /** A line on stderr, also off a terminal; not with --quiet. */
  note(line: string): void;
  /** A warning on stderr, always. */
  warn(line: string): void;
  /** Reports an error in the output format, while the command goes on. */
  report(error: DeckhandError): void;
  /** Withholds messages while something else draws on the terminal. The returned function prints them. */
  holdMessages(): () => void;
  /** The status line at the bottom of the terminal. */
  status(): Promise<StatusLine>;

  /**
   * Asks for confirmation on a terminal; --yes answers it, and a dry run does not ask.
   *
   * @param question what is going to happen, and what is lost
   * @param otherwise what a refusal means: `nothing was deleted`
   * @param always whether --yes does not answer it
   * @throws UsageError after a no, and without a terminal to ask on
   */
  confirm(question: string, otherwise: string, always?: "despite --yes"): Promise<void>;
  /** Asks for a line of text. */
  ask(question: string, placeholder?: string): Promise<string>;
  /**
   * Asks to choose one of several things; returns its value, or what was typed where `other` has a label for it and that
   * was chosen.
   */
  choose(
    question: string,
    choices: readonly Choice[],
    other?: (typed: string) => string | undefined,
  ): Promise<string>;
  /** Asks for a secret; it is not echoed. */
  askSecret(question: string): Promise<string>;
  /** Opens the user's editor on a text. The file stays until it is discarded. */
  edit(text: string, name: string): Promise<Edited>;
}

/** Prints results on stdout in the format in use (docs/design/cli.md, Output). */
export interface Print {
  /** The format asked for; undefined for the default of the place. */
  readonly format: Format | undefined;
  /** Whether results are printed as JSON: `-o json`, `-o ndjson` or `--jq`. */
  readonly json: boolean;
  /** Whether lists are printed as a table on a terminal. */
  readonly table: boolean;
  /** A list, streamed page by page. @returns how many documents it had */
  list(listing: Listing, documents: Documents): Promise<number>;
  /** One document, or an array of them if several were asked for. */
  documents(listing: Listing, documents: Documents, several: boolean): Promise<number>;
  /** What was changed, item by item: ids in a pipe, nothing on a terminal, documents if a format is asked for. */
  changes(listing: Listing, several: boolean): Promise<Sink>;
  /** A JSON value, through --jq if given. */
  value(value: unknown): Promise<void>;
  /** A request that a dry run does not send. */
  request(request: PlannedRequest): Promise<void>;
  /** The same for what a call would send. */
  call(call: Call<unknown>): Promise<void>;
  /**
   * Refuses an invalid --jq expression; called before something is changed. One that then fails on the result of the
   * change ends with exit 9.
   */
  checkFilter(): Promise<void>;
}

/** A request that is not sent. */
export interface PlannedRequest {
  readonly method: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly body?: unknown;
}

export interface Edited {
  readonly text: string;
  /** The file that holds the text. */
  readonly path: string;
  /** Removes the file. */
  discard(): Promise<void>;
}
