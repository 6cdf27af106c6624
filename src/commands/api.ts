import type { Context } from "../context/context.ts";
import { DeckhandError, UsageError } from "../errors.ts";
import type { Http, RawAnswer, RawRequest } from "../http/index.ts";
import { rawTarget } from "../http/request.ts";
import { visible } from "../output/index.ts";
import { isMap } from "../schema/check.ts";
import type { Operation } from "../schema/operation.ts";
import { operations } from "../schema/operations.ts";
import {
  assignment,
  collect,
  command,
  declare,
  type OptionsOf,
  oneOf,
  typedValue,
} from "./shared/command.ts";
import { readText } from "./shared/text.ts";

const declared = () =>
  declare(`Send one raw request, by the same rules as everything else, and print the answer as JSON.

  deckhand api GET /cards --query limit=5
  deckhand api POST /decks --field name=Spanish --field sort=3
  deckhand api GET /decks --paginate`)
    .argument("<method>", "GET, POST or DELETE; a path alone is a GET")
    .argument("[path]", "relative to the base URL: /cards or cards")
    .option("--query <name=value>", "a query parameter (repeatable)", collect)
    .option("--field <name=value>", "a field: text, a number, true, false or null (repeatable)", collect)
    .option("--raw-field <name=value>", "a field of the body that stays text (repeatable)", collect)
    .option("--input <path>", "the whole body as JSON from a file, or - for standard input")
    .option("--paginate", "follow bookmarks: print one page that holds all")
    .option("--include", "print status and headers, too");

type ApiOptions = OptionsOf<typeof declared>;

export const apiCommand = command(declared, async (method, path, options, context) => {
  if (path !== undefined) return callApi(method, fromBase(path), options, context);
  if (!method.startsWith("/"))
    throw new UsageError('missing required argument "path"', { hint: 'see "deckhand api --help"' });
  return callApi("GET", method, options, context);
});

/** The path with its first slash, which may be left out. An address keeps its own form, and is refused later. */
const fromBase = (path: string) => (/^\w[^:]*(?:\?|$)/.test(path) ? `/${path}` : path);

async function callApi(method: string, path: string, options: ApiOptions, context: Context): Promise<void> {
  refuseListing(options, context);
  const request = await requestFrom(method.toUpperCase(), path, options, context);
  if (options.paginate && request.method !== "GET") throw new UsageError("--paginate follows GET only");
  if (context.options.dryRun)
    return context.print.request({ ...request, ...rawTarget(request.path, request.query ?? []) });
  if (request.method !== "GET") await context.print.checkFilter();
  const http = await context.http();
  if (options.paginate) return context.print.value(await allPages(http, request));
  const answer = await http.raw(request);
  const error = answer.error && named(answer.error);
  if (error !== undefined && !options.include) throw error;
  if (options.include) await context.io.write(headOf(answer));
  await printBody(answer, context);
  if (error !== undefined) throw error;
}

/** What failed was a request: here the user named it. */
function named(error: Error): Error {
  if (!(error instanceof DeckhandError) || error.request === undefined) return error;
  const { request, message, status } = error;
  const said = status === undefined ? message : `${message} (${status})`;
  return error.with({ message: `${request.method} ${request.path}: ${said}` });
}

/** The answer is printed as it is: what shapes lists would be ignored without a word. */
function refuseListing({ paginate, include }: ApiOptions, { options }: Context): void {
  const { output = "json", columns } = options;
  if (columns !== undefined || (output !== "json" && output !== "ndjson"))
    throw new UsageError("api prints the whole answer as JSON", { hint: "--jq filters it." });
  oneOf({ "--paginate": paginate, "--include": include });
}

async function requestFrom(
  method: string,
  path: string,
  options: ApiOptions,
  context: Context,
): Promise<RawRequest> {
  if (!/^[A-Z]+$/.test(method)) throw new UsageError(`${JSON.stringify(method)} is no method`);
  const operation = operationOf(method, path);
  if (operation?.body === "multipart")
    throw new UsageError("a file is not sent like this", { hint: "Use attach add." });
  const body = await bodyFrom(options, context);
  if (body !== undefined && method === "GET")
    throw new UsageError("GET sends no body", { hint: "Give parameters with --query." });
  return {
    method,
    path,
    query: (options.query ?? []).map((text) => assignment(text, "--query")),
    ...(body === undefined ? {} : { body }),
    operation,
  };
}

/** The documented operation of a path: what it says of the body and the answer decides how they are encoded. */
function operationOf(method: string, path: string): Operation | undefined {
  const [target = ""] = path.split("?");
  return Object.values(operations).find(
    (each) =>
      each.method === method && new RegExp(`^${each.path.replace(/:[a-z-]+/g, "[^/]+")}/?$`).test(target),
  );
}

async function bodyFrom(options: ApiOptions, context: Context): Promise<unknown> {
  const fields = [
    ...(options.field ?? []).map((text) => {
      const [name, value] = assignment(text, "--field");
      return [name, typedValue(value)] as const;
    }),
    ...(options.rawField ?? []).map((text) => assignment(text, "--raw-field")),
  ];
  if (options.input === undefined) return fields.length === 0 ? undefined : Object.fromEntries(fields);
  if (fields.length > 0)
    throw new UsageError("--input gives the whole body: it excludes --field and --raw-field");
  const text = await readText(options.input, context);
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (cause) {
    throw new UsageError(`--input is not valid JSON: ${(cause as Error).message}`, { cause });
  }
}

/** Follows bookmarks by the rules of every list, and gives one page that holds all. */
async function allPages(http: Http, request: RawRequest): Promise<unknown> {
  const { followPages } = await import("../client/paging.ts");
  // Parameters in the path count as those of --query do.
  const target = rawTarget(request.path, request.query ?? []);
  const pairs = [...new URLSearchParams(target.query)];
  const given = pairs.filter(([name]) => name !== "bookmark");
  const begin = pairs.find(([name]) => name === "bookmark")?.[1];
  const limit = given.find(([name]) => name === "limit")?.[1];
  const fetch = async (bookmark: string | undefined, size: number | undefined) => {
    const sized = given.map(([name, value]) => [name, name === "limit" ? String(size) : value] as const);
    const query = bookmark === undefined ? sized : [...sized, ["bookmark", bookmark] as const];
    const { body, error } = await http.raw({ ...request, path: target.path, query });
    if (error !== undefined) throw named(error);
    if (!isMap(body) || !Array.isArray(body["docs"]))
      throw new UsageError(`${request.path} is no list: --paginate needs one`);
    const documents: readonly unknown[] = body["docs"];
    return {
      docs: documents.map((document) => ({ id: identityOf(document), document })),
      bookmark: body["bookmark"] as string | null | undefined,
    };
  };
  const docs: unknown[] = [];
  const size = limit === undefined ? undefined : Number(limit);
  for await (const page of followPages(fetch, { bookmark: begin }, size))
    for (const { document } of page.docs) docs.push(document);
  return { docs };
}

/** What tells a document from the others of its list: its id, or all of it where it has none, as attachments have. */
function identityOf(document: unknown): string {
  const id = isMap(document) ? document["id"] : undefined;
  return typeof id === "string" ? id : JSON.stringify(document);
}

/** What is in none of our encodings is printed as it came, on a terminal made safe. */
async function printBody(answer: RawAnswer, context: Context): Promise<void> {
  if (answer.body !== undefined) return context.print.value(answer.body);
  if (!context.io.stdout.isTTY) return context.io.write(answer.bytes);
  if (answer.text !== "") await context.io.write(`${visible(answer.text)}\n`);
}

function headOf({ status, headers }: RawAnswer): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${visible(value)}\n`);
  return `HTTP ${status}\n${lines.join("")}\n`;
}
