import type { Readable, Writable } from "node:stream";
import type { Command } from "commander";
import type { GlobalOptions } from "../cli/options.ts";
import type { Call, Client } from "../client/index.ts";
import type { Account, Folders, Format, Settings, Sources } from "../config/index.ts";
import type { DeckhandError } from "../errors.ts";
import type { Http } from "../http/index.ts";
import type { NameIndex } from "../names/types.ts";
import type { Documents, Output } from "../output/index.ts";
import type { StatusLine } from "../output/status.ts";
import type { Extension, Listing, Transport } from "../schema/index.ts";
import type { PlannedRequest } from "./planned.ts";

/** What the program is given by whoever runs it: the process, or a test. */
export interface World {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly home: string | undefined;
  /** Epoch milliseconds. */
  now(): number;
  /** From 0 to 1. */
  random(): number;
  /** Aborted with an InterruptedError when the program is told to stop. */
  readonly signal: AbortSignal;
  /** In place of the network and the local service, in tests. */
  readonly transport?: Transport;
}

/** Finishes the context of a command from its parsed global options. */
export type StartContext = (command: Command) => Context;

/** What a command gets. Everything costly is made when it is first asked for, and once. */
export interface Context {
  readonly world: World;
  readonly stdin: World["stdin"];
  readonly stdout: World["stdout"];
  readonly stderr: World["stderr"];
  readonly signal: AbortSignal;
  readonly options: GlobalOptions;
  readonly folders: Folders;
  readonly dryRun: boolean;
  /** Whether a person is there to be asked: both stdin and stderr are terminals. */
  readonly interactive: boolean;
  now(): number;
  random(): number;

  /** What the settings come from. */
  sources(): Sources;
  /** Settings with where each came from. */
  settings(): Settings;
  /** The account in use; throws NotConfiguredError where none can be told. */
  account(): Account;
  client(): Promise<Client>;
  /** The core itself, for raw requests. */
  http(): Promise<Http>;
  names(): Promise<NameIndex>;
  /** Whether the service has an extension. */
  has(extension: Extension): Promise<boolean>;

  /** The format asked for, undefined if none was. */
  readonly format: Format | undefined;
  /** Whether stdout takes colour. */
  readonly colour: boolean;
  /** Columns of the terminal, 80 where there is none. */
  readonly width: number;
  /** Whether the terminal shows more than ASCII. */
  readonly unicode: boolean;
  /** Prints documents as a list, page by page. */
  printList(listing: Listing, documents: Documents): Promise<number>;
  /** Prints one document, or an array of them if several were asked for. */
  printDocuments(listing: Listing, documents: Documents, several: boolean): Promise<number>;
  /** Prints what was changed: ids on a pipe, nothing on a terminal (`say` tells), documents in a format asked for. */
  printChanged(listing: Listing, documents: Documents, several: boolean): Promise<number>;
  /** Refuses a `--jq` expression that cannot be read; to be asked before something is changed. */
  checkFilter(): Promise<void>;
  readonly output: Output;
  /** Writes text of our own making, or bytes as they are, to stdout, waiting until it is taken. */
  write(data: string | Uint8Array): Promise<void>;
  /** Prints a JSON value (through --jq if given). */
  printJson(value: unknown): Promise<void>;

  /** A sentence for people on stderr, only on a terminal and not with --quiet. Names the profile where there are several. */
  say(sentence: string): void;
  /** A line on stderr even off a terminal; not with --quiet. */
  note(line: string): void;
  /** A warning on stderr, always. */
  warn(line: string): void;
  /** Reports an error as it will be reported at the end: one of several items that failed. */
  report(error: DeckhandError): void;
  /**
   * Keeps back all that would be said on stderr while something else has the whole terminal; what was said meanwhile
   * comes when the returned function is called.
   */
  holdMessages(): () => void;
  /** The line at the bottom of the terminal that says what is going on. */
  status(): Promise<StatusLine>;
  /**
   * Asks on a terminal; with --yes does not ask. A no ends the command with exit code 2, as it does with gh.
   *
   * @param question what is going to happen, and what is lost
   * @param otherwise what is told after a no: `nothing was deleted`
   * @throws UsageError after a no, and where nobody can be asked
   */
  confirm(question: string, otherwise: string): Promise<void>;
  /** Opens the user's editor on a text and returns what was saved; the file stays until it is discarded. */
  edit(text: string, name: string): Promise<Edited>;
  /** Prints a request that a dry run does not send. */
  showPlan(call: Call<unknown>): Promise<void>;
  showRequest(request: PlannedRequest): Promise<void>;
  /** Lets go of everything that keeps the process alive. */
  close(): Promise<void>;
}

export interface Edited {
  readonly text: string;
  /** Where the text is kept, if it must not be lost. */
  readonly path: string;
  /** Removes the file. */
  discard(): Promise<void>;
}
