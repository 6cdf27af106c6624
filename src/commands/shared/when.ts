import type { Context } from "../../context/context.ts";
import { parseWhen, type When, whenForms } from "../../dates.ts";
import { UsageError } from "../../errors.ts";
import { dayOffset } from "./days.ts";

/**
 * The ISO timestamp that an option's value means (docs/design/cli.md, due): a timestamp as it is given, a day as the middle of it.
 * @throws UsageError that lists the forms
 */
export function timestampFrom(text: string, option: string, context: Context): string {
  return whenFrom(text, option, context).text;
}

/** The instant that an option's value means, in epoch milliseconds. @throws like `timestampFrom` */
export function instantFrom(text: string, option: string, context: Context): number {
  return whenFrom(text, option, context).instant;
}

function whenFrom(text: string, option: string, context: Context): When {
  const when = parseWhen(text, context.clock.now(), dayOffset(context));
  if (when === undefined) throw new UsageError(`${option} takes ${whenForms}, not ${JSON.stringify(text)}`);
  return when;
}
