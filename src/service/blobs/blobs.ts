import type { Readable } from "node:stream";
import type { Db } from "../store/tables.ts";

/** A content that was received whole and is stored safely, where no request finds it yet. */
export interface Received {
  /** SHA-256 of the content, in hex. */
  readonly hash: string;
  /** In bytes. */
  readonly size: number;
  /** Where it is until it is kept: only the store that received it knows what this means. */
  readonly at: string;
}

/**
 * The contents of attachments, by account and hash. The rows that name them are in the database; `docs/design/service.md`
 * (Attachments) says how the two are kept in agreement:
 *
 * 1. `receive` outside of any transaction;
 * 2. `keep` as the last step of the writing transaction that names the content;
 * 3. in one that stops naming contents: `release`, after its rows are changed;
 * 4. `settle` after that has committed, and `discard` whatever happened to what was received.
 */
export interface Blobs {
  /** Stores a stream. @throws Problem 413 over `limit` bytes; nothing is left of it then. */
  receive(account: string, content: Readable, limit: number): Promise<Received>;
  /** Makes a received content the one that `read` finds. It replaces one that is there, which may have been damaged. */
  keep(db: Db, account: string, received: Received): Promise<void>;
  /** Records that these contents may be named no more. */
  release(db: Db, account: string, hashes: readonly string[]): Promise<void>;
  /** Deletes those contents that no row names any more. */
  settle(account: string, hashes: readonly string[]): Promise<void>;
  /** Deletes what was received unless it was kept. */
  discard(account: string, received: Received): Promise<void>;
  /**
   * A content; undefined if it is missing, has another size, or is short and damaged. The stream of a long damaged one
   * fails before its last piece: its reader never gets all of it.
   */
  read(account: string, hash: string, size: number): Promise<Readable | undefined>;
  /** Removes what killed processes have left. @param now epoch milliseconds */
  sweep(now: number): Promise<void>;
}
