import { Command } from "commander";
import type { Context, StartContext } from "../context.ts";
import { UsageError } from "../errors.ts";
import type { RawAnswer, RawRequest } from "../http/index.ts";
import { jsonText, visible } from "../output/index.ts";
import { check } from "../schema/check.ts";
import type { ObjectKind } from "../schema/kinds.ts";
import { collect, typedValue } from "./shared/options.ts";
import { readText } from "./shared/text.ts";

export interface ApiOptions {
  readonly query?: readonly string[];
  readonly field?: readonly string[];
  readonly rawField?: readonly string[];
  readonly input?: string;
  readonly paginate?: boolean;
  readonly include?: boolean;
}

export function apiCommand(start: StartContext): Command {
  return new Command("api")
    .description("Send one raw request, by the same rules as everything else, and print the answer as JSON.")
    .argument("<method>", "GET, POST or DELETE")
    .argument("<path>", "relative to the base URL: /cards")
    .option("--query <name=value>", "a query parameter (repeatable)", collect)
    .option("--field <name=value>", "a field of the body: numbers, true, false and null are these (repeatable)", collect)
    .option("--raw-field <name=value>", "a field of the body that stays text (repeatable)", collect)
    .option("--input <path>", "the whole body as JSON from a file, or - for standard input")
    .option("--paginate", "follow bookmarks: print one page that holds all")
    .option("--include", "print status and headers, too")
    .addHelpText(
      "after",
      `
Examples:
  deckhand api GET /cards --query limit=5
  deckhand api POST /decks --field name=Spanish --field sort=3
  deckhand api GET /decks --paginate`,
    )
    .action((method: string, path: string, options: ApiOptions, command: Command) =>
      callApi(method, path, options, start(command)),
    );
}

export async function callApi(
  method: string,
  path: string,
  options: ApiOptions,
  context: Context,
): Promise<void> {
  const request = await requestFrom(method.toUpperCase(), path, options, context);
  if (options.paginate && request.method !== "GET") throw new UsageError("--paginate follows GET only");
  const http = await context.http();
  if (context.dryRun) return showRequest(request, context);
  if (options.paginate) {
    const { allPages } = await import("./shared/all-pages.ts");
    return context.printJson(await allPages(http, request));
  }
  const answer = await http.raw(request);
  if (options.include) await context.write(headOf(answer));
  if (answer.error !== undefined && !options.include) throw answer.error;
  await printBody(answer, context);
  if (answer.error !== undefined) throw answer.error;
}

async function requestFrom(
  method: string,
  path: string,
  options: ApiOptions,
  context: Context,
): Promise<RawRequest> {
  if (!/^[A-Z]+$/.test(method)) throw new UsageError(`${JSON.stringify(method)} is no method`);
  const { findOperation } = await import("../schema/find-operation.ts");
  const operation = findOperation(method, path);
  const { body: kind, answer } = operation ?? {};
  const body = await bodyFrom(options, context);
  if (body !== undefined && (method === "GET" || method === "HEAD"))
    throw new UsageError(`${method} sends no body`, { hint: "Give parameters with --query." });
  return {
    method,
    path,
    query: (options.query ?? []).map((text) => pair(text, "--query")),
    ...(body === undefined ? {} : { body }),
    ...(isKind(kind) ? { bodyKind: kind } : {}),
    ...(isKind(answer) ? { answerKind: answer } : {}),
    ...(operation === undefined ? {} : { repeatable: operation.repeatable }),
  };
}

async function bodyFrom(options: ApiOptions, context: Context): Promise<unknown> {
  const fields = [
    ...(options.field ?? []).map((text) => {
      const [name, value] = pair(text, "--field");
      return [name, typedValue(value)] as const;
    }),
    ...(options.rawField ?? []).map((text) => pair(text, "--raw-field")),
  ];
  if (options.input === undefined)
    return fields.length === 0 ? undefined : Object.assign(Object.create(null), Object.fromEntries(fields));
  if (fields.length > 0) throw new UsageError("--input gives the whole body: it excludes --field and --raw-field");
  const text = await readText(options.input, context);
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (cause) {
    throw new UsageError(`--input is not valid JSON: ${(cause as Error).message}`, { cause });
  }
}

/** What is not in one of our encodings is printed as the text that it is. */
async function printBody(answer: RawAnswer, context: Context): Promise<void> {
  if (answer.body !== undefined) return context.printJson(answer.body);
  if (answer.text === "") return;
  const text = context.stdout.isTTY ? visible(answer.text) : answer.text;
  await context.write(text.endsWith("\n") ? text : `${text}\n`);
}

function headOf({ status, headers }: RawAnswer): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${visible(value)}\n`);
  return `HTTP ${status}\n${lines.join("")}\n`;
}
