import type { Context } from "../../context/context.ts";
import type { LogHistory } from "../../review/session/log/history.ts";

/** Warns of lines of the review log that could not be read. */
export function warnOfDamage({ damaged, torn }: LogHistory, path: string, context: Context): void {
  if (torn) context.io.warn(`the last line of the review log ${path} is damaged and was left out`);
  else if (damaged.length > 0)
    context.io.warn(`damaged lines of the review log ${path} were left out: ${damaged.join(", ")}`);
}
