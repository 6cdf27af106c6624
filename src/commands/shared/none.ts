import type { Context } from "../../context/context.ts";

/** Of an empty list a table shows nothing at all: a person at the terminal is told. */
export function sayNone(sentence: string, context: Context): void {
  const { format = "table", options, stdout } = context;
  if (format === "table" && options.jq === undefined && stdout.isTTY === true) context.say(sentence);
}
