import type { Order } from "../../schema/index.ts";

/** The options of `due review` and `review` as commander reads them. */
export interface ReviewOptions {
  readonly deck?: string | undefined;
  readonly recursive: boolean;
  readonly date?: string;
  readonly limit?: number;
  /** How many new cards today, or all. */
  readonly new?: number | "all";
  /** What follows from the backlog if absent. `retrievability` is another name of `hardest`. */
  readonly order?: Order | "retrievability";
  readonly tag?: readonly string[];
  readonly search?: string;
  readonly type?: boolean;
  readonly practice?: boolean;
  readonly plain?: boolean;
  readonly browser?: boolean;
}

/** The same once the deck and the date are resolved. */
export interface SessionOptions extends Omit<ReviewOptions, "deck" | "order"> {
  readonly order?: Order | undefined;
  readonly deck: string | undefined;
  /** `--date` as it is sent. */
  readonly timestamp: string | undefined;
  /** Whether the collection is a sample, which is deleted after the session. */
  readonly sample?: true;
}

/** Which part of the day, and what is otherwise than by the settings. */
export type TodayOptions = Pick<SessionOptions, "deck" | "recursive" | "order" | "new">;

/** The whole day. */
export const wholeDay: TodayOptions = { deck: undefined, recursive: true };
