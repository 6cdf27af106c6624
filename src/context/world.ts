import type { Readable, Writable } from "node:stream";
import type { Transport } from "../schema/index.ts";

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

/** A text as the user left it in the editor. */
export interface Edited {
  readonly text: string;
  /** The file that holds the text. */
  readonly path: string;
  /** Removes the file. */
  discard(): Promise<void>;
}
