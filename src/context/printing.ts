import type { Call } from "../client/index.ts";
import type { Context } from "../context.ts";
import type { Plan } from "../http/plan.ts";
import { createPrinter, jsonText, type Printer } from "../output/index.ts";
import type { Listing } from "../schema/resources.ts";

/** The printer that the options and the terminal ask for. */
export function printerFor(context: Context, listing: Listing): Printer {
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

export async function printJson(context: Context, value: unknown): Promise<void> {
  await context.write(`${jsonText(value, context.format === "ndjson" ? undefined : 2)}\n`);
}

/** Prints what a call would send. */
export async function showPlan(context: Context, call: Call<unknown>): Promise<void> {
  const { plan } = await import("../http/plan.ts");
  await showRequest(context, plan(call.operation, call.input));
}

/** What a dry run prints of a request: its line and its body, or one object with a JSON format. */
export async function showRequest(
  context: Context,
  { method, path, query, body }: Pick<Plan, "path" | "query" | "body"> & { readonly method: string },
): Promise<void> {
  const target = query === "" ? path : `${path}?${query}`;
  if (context.format === "json" || context.format === "ndjson") {
    const request = { method, path: target, ...(body === undefined ? {} : { body }) };
    await context.write(`${jsonText(request, context.format === "json" ? 2 : undefined)}\n`);
    return;
  }
  await context.write(`${method} ${target}\n${body === undefined ? "" : `${jsonText(body, 2)}\n`}`);
}
