import type { Days } from "../schedule/days.ts";
import type { WireRequest } from "../schema/index.ts";
import type { Reply } from "./answers.ts";
import type { Blobs } from "./blobs.ts";
import type { RandomBytes } from "./ids.ts";
import type { Bookmarks } from "./pages.ts";
import type { Store } from "./store/index.ts";
import type { Db } from "./store/tables.ts";

/** Sizes in bytes. */
export interface Limits {
  readonly body: number;
  readonly attachment: number;
}

/** What handlers work with. */
export interface Service {
  readonly store: Store;
  /** Loaded when first asked for, as uploads are rare. */
  blobs(): Promise<Blobs>;
  /** Their secret is read when it is first needed. */
  bookmarks(): Promise<Bookmarks>;
  readonly limits: Limits;
  /** The days of an account's user. `db`: the connection of the transaction that asks. */
  daysOf(db: Db, account: string): Promise<Days>;
  /** The share of cards that should be remembered when they come up. */
  readonly retention: number;
  now(): number;
  readonly random: RandomBytes;
  /** Told what went wrong without harm to the answer. */
  onError(error: unknown): void;
}

/** A request that was understood: who asks is known, the query and the body have been decoded and checked. */
export interface Call {
  readonly account: string;
  /** Decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** The fields that the operation knows; unknown ones are ignored (service.md). */
  readonly body: Readonly<Record<string, unknown>>;
  /**
   * What is wrong with the query or the body by itself, for the handler to tell together with what is wrong with what
   * they name.
   */
  readonly problems: Readonly<Record<string, string>> | undefined;
  readonly request: WireRequest;
}

export type Handler = (call: Call, service: Service) => Promise<Reply>;
