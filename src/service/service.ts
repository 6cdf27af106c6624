import type { WireRequest } from "../schema/index.ts";
import type { Reply } from "./answers.ts";
import type { Blobs } from "./blobs.ts";
import type { Place } from "./bookmarks.ts";
import type { TimeZone } from "./days.ts";
import type { RandomBytes } from "./ids.ts";
import type { Scheduler } from "./scheduler.ts";
import type { Store } from "./store/index.ts";

/** Sizes in bytes. */
export interface Limits {
  readonly body: number;
  readonly attachment: number;
}

/** What handlers work with. */
export interface Service {
  readonly store: Store;
  readonly blobs: Blobs;
  readonly limits: Limits;
  readonly timeZone: TimeZone;
  now(): number;
  readonly random: RandomBytes;
  /** Loaded when first asked for. */
  scheduler(): Promise<Scheduler>;
  readonly bookmarks: Bookmarks;
}

/** The bookmarks of lists; `list` names the list and its filter. */
export interface Bookmarks {
  /** @throws Problem 422 for a bookmark that was not given out for this list. Undefined means the start. */
  read(account: string, list: string, bookmark: unknown): Promise<Place | undefined>;
  /** The bookmark of a page that ends at `last`; of an empty page the one that was sent, or `nil`. */
  write(account: string, list: string, last: Place | undefined, sent: unknown): Promise<string>;
}

/** A request that was understood: the account may make it, and the query and the body fit the schema's kinds. */
export interface Call {
  readonly account: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Decoded, not checked. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly request: WireRequest;
}

export type Handler = (call: Call, service: Service) => Promise<Reply>;
