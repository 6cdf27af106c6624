import { UsageError } from "../errors.ts";
import {
  createPrinter,
  type Document,
  type Documents,
  endsList,
  idOf,
  jsonText,
  type Printer,
  parseColumns,
  pick,
  safeJson,
  visible,
} from "../output/index.ts";
import type { Listing } from "../schema/resources.ts";
import type { Context } from "./context.ts";

/** The printer that the options and the terminal ask for. */
export function printerFor(context: Context, listing: Listing): Printer {
  if (context.options.jq !== undefined) return filtering(context, listing, context.options.jq);
  return createPrinter({
    format: context.format,
    columns: context.options.columns,
    listing,
    stdout: context.output,
    isTerminal: context.stdout.isTTY === true,
    width: context.width,
    colour: context.colour,
    now: context.now(),
  });
}

/** Gathers the JSON result that would have been printed, and prints what the jq expression makes of it. */
function filtering(context: Context, listing: Listing, filter: string): Printer {
  const { columns } = context.options;
  const format = context.options.output;
  if (format !== undefined && format !== "json" && format !== "ndjson")
    throw new UsageError(`--jq filters JSON: it does not go with --output ${format}`);
  const asked = columns === undefined ? undefined : parseColumns(columns, listing.kind);
  const print = async (all: readonly unknown[], several: boolean) => {
    const shown = asked === undefined ? all : all.map((each) => pick(each as Document, asked));
    await printFiltered(context, filter, several ? shown : shown[0]);
  };
  const gather = async (documents: Documents, several: boolean, changed = false) => {
    const all: unknown[] = [];
    try {
      for await (const next of documents)
        for (const each of Array.isArray(next) ? next : [next]) all.push(each);
    } catch (error) {
      // What went wrong first is what is told.
      if (all.length > 0 && (changed || endsList(error))) await print(all, several).catch(() => {});
      throw error;
    }
    await print(all, several).catch((error: unknown) => {
      throw changed ? doneAllTheSame(error, all as readonly Document[], listing) : error;
    });
    return all.length;
  };
  return {
    list: (documents) => gather(documents, true),
    documents: (documents, several) => gather(documents, several),
    changed: (documents, several) => gather(documents, several, true),
  };
}

/** An expression that jq can read may still fail on what was done: whoever sees the error is not to do it again. */
function doneAllTheSame(error: unknown, all: readonly Document[], { kind }: Listing): unknown {
  if (!(error instanceof UsageError)) return error;
  const ids = all.map((each) => idOf(each, kind)).join(", ");
  return new UsageError(error.message, { hint: `${error.hint}; it was done all the same: ${ids}` });
}

/**
 * Refuses a jq expression that jq cannot read: before something is changed, as nothing could be told of it afterwards.
 *
 * @throws UsageError
 */
export async function checkFilter({ options: { jq = "." }, signal }: Context): Promise<void> {
  const { runJq } = await import("../output/jq.ts");
  // Of no input jq reads the expression only.
  const { failure } = await runJq(jq, "", signal);
  if (failure !== undefined) throw failure;
}

/** Prints each result of a jq expression on a line: strings as they are, everything else as JSON. */
async function printFiltered(context: Context, filter: string, value: unknown): Promise<void> {
  const { runJq } = await import("../output/jq.ts");
  const { results, said, failure } = await runJq(filter, jsonText(value ?? null), context.signal);
  said.forEach(context.note);
  const safe = context.stdout.isTTY ? visible : (text: string) => text;
  for (const result of results)
    await context.write(`${result.startsWith('"') ? safe(JSON.parse(result)) : safeJson(result)}\n`);
  if (failure !== undefined) throw failure;
}

export async function printJson(context: Context, value: unknown): Promise<void> {
  if (context.options.jq !== undefined) return printFiltered(context, context.options.jq, value);
  await context.write(`${jsonText(value, context.format === "ndjson" ? undefined : 2)}\n`);
}
