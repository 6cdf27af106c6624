import type { GlobalOptions } from "../cli/options.ts";
import type { Call } from "../client/index.ts";
import type { Format } from "../config/settings.ts";
import { PartialError, UsageError } from "../errors.ts";
import {
  createPrinter,
  type Document,
  type Documents,
  endsList,
  idOf,
  jsonText,
  type Output,
  type Printer,
  parseColumns,
  pick,
  type Sink,
  safeJson,
  visible,
  withDerived,
} from "../output/index.ts";
import type { Listing } from "../schema/resources.ts";
import type { Terminal } from "./io.ts";
import { once } from "./once.ts";
import { type PlannedRequest, PlannedRequests } from "./plan.ts";
import type { World } from "./world.ts";

interface PrintSettings {
  readonly io: Terminal;
  readonly options: GlobalOptions;
  readonly signal: AbortSignal;
  readonly env: World["env"];
  now(): number;
  /** The day of the user that an instant is in. */
  dayOf(instant: number): number;
  /** The format asked for, by an option or a setting. */
  /** The format asked for; undefined for the default of the place. */
  format(): Format | undefined;
}

/** The printer of a command. */
export class CommandPrint {
  readonly #settings: PrintSettings;
  #planned: PlannedRequests | undefined;

  constructor(settings: PrintSettings) {
    this.#settings = settings;
  }

  get format(): Format | undefined {
    return this.#settings.format();
  }

  /** Whether results are printed as JSON: `-o json`, `-o ndjson` or `--jq`. */
  get json(): boolean {
    return this.format === "json" || this.format === "ndjson" || this.#settings.options.jq !== undefined;
  }

  /** Whether lists are printed as a table on a terminal. */
  get table(): boolean {
    const { io, options } = this.#settings;
    const { format = "table" } = this;
    return format === "table" && options.jq === undefined && io.stdout.isTTY === true;
  }

  /** A list, streamed page by page. @returns how many documents it had */
  async list(listing: Listing, documents: Documents): Promise<number> {
    const { io } = this.#settings;
    const { rows } = io.stdout;
    if (!this.table || rows === undefined) return this.#printer(listing).list(documents);
    const { Pager } = await import("./pager.ts");
    const pager = new Pager(io, rows, this.#settings.env);
    try {
      return await this.#printer(listing, pager).list(documents);
    } finally {
      await pager.end();
    }
  }

  /** One document, or an array of them if several were asked for. */
  async documents(listing: Listing, documents: Documents, several: boolean): Promise<number> {
    return this.#printer(listing).documents(documents, several);
  }

  /** What was changed, item by item: ids in a pipe, nothing on a terminal, documents if a format is asked for. */
  async changes(listing: Listing, several: boolean): Promise<Sink> {
    return this.#settings.options.dryRun
      ? this.#plannedRequests.changes(several)
      : this.#printer(listing).changes(several);
  }

  /** A JSON value, through --jq if given. */
  readonly value = async (value: unknown): Promise<void> => {
    const { io, options } = this.#settings;
    if (options.jq !== undefined) return this.#filtered(options.jq, value).catch(this.#afterChange);
    if (this.format === "yaml") {
      const { yamlText } = await import("../output/yaml.ts");
      return io.write(yamlText(value));
    }
    await io.write(`${jsonText(value, this.format === "ndjson" ? undefined : 2)}\n`);
  };

  /** Rethrows an error; a command that has checked its filter has changed something since. */
  readonly #afterChange = (error: unknown): never => {
    throw this.checkFilter.created ? changedAnyway(error) : error;
  };

  /** A request that a dry run does not send. */
  async request(request: PlannedRequest): Promise<void> {
    await this.#plannedRequests.add(request);
  }

  /** The same for what a call would send. */
  async call({ operation, input }: Call<unknown>): Promise<void> {
    const { plan } = await import("../http/request.ts");
    await this.request(plan(operation, input));
  }

  /**
   * Refuses an invalid --jq expression; called before something is changed. One that then fails on the result of the
   * change ends with exit 9.
   */
  readonly checkFilter = once(async (): Promise<void> => {
    const { options, signal } = this.#settings;
    if (options.jq === undefined) return;
    const { runJq } = await import("../output/jq.ts");
    // Without input jq only reads the expression.
    const { failure } = await runJq(options.jq, "", signal);
    if (failure !== undefined) throw failure;
  });

  /** Prints what a dry run withheld. */
  async end(): Promise<void> {
    await this.#planned?.end();
  }

  get #plannedRequests(): PlannedRequests {
    const { io, options } = this.#settings;
    this.#planned ??= new PlannedRequests({
      sentences: this.table && options.verbose !== true,
      json: this.format === "json" || options.jq !== undefined,
      ndjson: this.format === "ndjson",
      write: io.write,
      value: this.value,
    });
    return this.#planned;
  }

  #printer(listing: Listing, stdout: Output = this.#settings.io): Printer {
    const { io, options, now, dayOf } = this.#settings;
    if (options.jq !== undefined) return this.#filteringPrinter(listing, options.jq);
    return createPrinter({
      format: this.format,
      columns: options.columns,
      listing,
      stdout,
      isTerminal: io.stdout.isTTY === true,
      width: io.width,
      colour: io.colour,
      now: now(),
      dayOf,
    });
  }

  /** Collects the JSON result that would have been printed, and prints what the jq expression makes of it. */
  #filteringPrinter(listing: Listing, filter: string): Printer {
    const { columns, output } = this.#settings.options;
    if (output !== undefined && output !== "json" && output !== "ndjson")
      throw new UsageError(`--jq filters JSON and excludes --output ${output}`);
    const asked = columns === undefined ? undefined : parseColumns(columns, listing.kind);
    const print = (all: readonly unknown[], several: boolean) => {
      const shown =
        asked === undefined
          ? all
          : all.map((each) => pick(withDerived(each as Document, listing, asked), asked));
      return this.#filtered(filter, several ? shown : shown[0]);
    };
    const collect = async (documents: Documents, several: boolean) => {
      const all: unknown[] = [];
      try {
        for await (const next of documents)
          for (const each of Array.isArray(next) ? next : [next]) all.push(each);
      } catch (error) {
        // The first failure is the one to report.
        if (all.length > 0 && endsList(error)) await print(all, several).catch(() => {});
        throw error;
      }
      await print(all, several).catch(this.#afterChange);
      return all.length;
    };
    return {
      list: (documents) => collect(documents, true),
      documents: (documents, several) => collect(documents, several),
      async changes(several) {
        const all: Document[] = [];
        return {
          async write(documents) {
            for (const document of documents) all.push(document);
          },
          async end() {
            await print(all, several).catch((error: unknown) => {
              throw all.length === 0 ? error : changedAnyway(error, idsOf(all, listing));
            });
          },
        };
      },
    };
  }

  /** Prints each result of a jq expression on a line: strings as they are, everything else as JSON. */
  async #filtered(filter: string, value: unknown): Promise<void> {
    const { io, signal } = this.#settings;
    const { runJq } = await import("../output/jq.ts");
    const { results, said, failure } = await runJq(filter, jsonText(value ?? null), signal);
    said.forEach(io.note);
    for (const result of results)
      await io.write(`${result.startsWith('"') ? visible(JSON.parse(result)) : safeJson(result)}\n`);
    if (failure !== undefined) throw failure;
  }
}

/** A valid expression may fail on the result of a change. Exit 2 would say that nothing was done. */
function changedAnyway(error: unknown, ids = ""): unknown {
  if (!(error instanceof UsageError)) return error;
  const made = ids === "" ? "the command was carried out" : `the change was made: ${ids}`;
  return new PartialError(error.message, { hint: `${error.hint}; ${made}` });
}

const idsOf = (documents: readonly Document[], { kind }: Listing) =>
  documents.map((each) => idOf(each, kind)).join(", ");
