import type { Days } from "../schedule/days.ts";
import type { Scheduler } from "../schedule/index.ts";
import type { Asked } from "../schedule/today.ts";
import type { TodayQuery, WireAnswer, WireRequest } from "../schema/index.ts";

/** What the page needs of the service; all of it without a key and without the turn of a client. */
export interface StudyService {
  send(account: string, request: WireRequest): Promise<WireAnswer>;
  /** The cards that are asked today, in their order. */
  asked(account: string, query: Partial<TodayQuery>): Promise<readonly Asked[]>;
  days(account: string): Promise<Days>;
  scheduler(account: string): Promise<Scheduler>;
  now(): number;
  /** Reports what went wrong. */
  onError(error: unknown): void;
}

/** Who may see the page. */
export interface Access {
  /** How long a session lasts; absent where the program that serves the page ends before. */
  readonly sessionSeconds?: number;
  /** The account of a session; undefined for one that is not valid (any more), or "". */
  accountOfSession(session: string): Promise<string | undefined>;
  /**
   * Begins a session. Slow for a wrong key.
   *
   * @param name of the account that the key must belong to; "" for whichever it is
   * @returns what the cookie holds
   */
  beginSession(key: string, name: string): Promise<string | undefined>;
  endSession(session: string): Promise<void>;
}
