import type { Order } from "../../schema/index.ts";

/** The options of `due review` and `review`, once the deck and the date are resolved. */
export interface SessionOptions {
  readonly deck: string | undefined;
  readonly recursive: boolean;
  readonly date?: string | undefined;
  /** `--date` as it is sent. */
  readonly timestamp: string | undefined;
  readonly limit?: number | undefined;
  /** How many new cards today, or all. */
  readonly new?: number | "all" | undefined;
  /** What follows from the backlog if absent. */
  readonly order?: Order | undefined;
  readonly tag?: readonly string[] | undefined;
  readonly search?: string | undefined;
  readonly type?: boolean | undefined;
  readonly practice?: boolean | undefined;
  readonly plain?: boolean | undefined;
}

/** Which part of the day, and what is otherwise than by the settings. */
export type TodayOptions = Pick<SessionOptions, "deck" | "recursive" | "order" | "new">;

/** The whole day. */
export const wholeDay: TodayOptions = { deck: undefined, recursive: true };
