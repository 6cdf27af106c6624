import type { Order } from "../../review/session/queue.ts";

/** The options of `due review` and `review` as commander reads them. */
export interface ReviewOptions {
  readonly deck?: string;
  readonly recursive: boolean;
  readonly date?: string;
  readonly limit?: number;
  /** How many new cards today, or all. */
  readonly new?: number | "all";
  readonly order: Order;
  readonly tag?: readonly string[];
  readonly search?: string;
  readonly type?: boolean;
  readonly practice?: boolean;
  readonly plain?: boolean;
}

/** The same once the deck and the date are resolved. */
export interface SessionOptions extends Omit<ReviewOptions, "deck"> {
  readonly deck: string | undefined;
  /** `--date` as it is sent. */
  readonly timestamp: string | undefined;
  /** Whether the collection is a sample, which is deleted after the session. */
  readonly sample?: true;
}
