import type { Context } from "../../context/context.ts";

/** Says on a terminal that a list is empty: a table without rows prints nothing. */
export function sayNone(sentence: string, context: Context): void {
  if (context.print.table) context.io.say(sentence);
}
