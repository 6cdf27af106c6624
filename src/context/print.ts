import type { GlobalOptions } from "../cli/options.ts";
import type { Settings } from "../config/index.ts";
import type { Format } from "../config/settings.ts";
import { PartialError, UsageError } from "../errors.ts";
import {
  createPrinter,
  type Documents,
  jsonText,
  type Output,
  type Printer,
  type Sink,
  safeJson,
  visible,
} from "../output/index.ts";
import { Days } from "../schedule/days.ts";
import type { Listing } from "../schema/resources.ts";
import type { Terminal } from "./io.ts";
import { once } from "./once.ts";
import type { World } from "./world.ts";

/** A request that is not sent. */
interface PlannedRequest {
  readonly method: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly body?: unknown;
  /** What it would do, for people; undefined where the request itself is asked for. */
  readonly sentence?: string | undefined;
}

interface PrintSettings {
  readonly io: Terminal;
  readonly options: GlobalOptions;
  readonly world: World;
  settings(): Pick<Settings, "output" | "review.day-starts-at">;
}

/** The printer of a command. */
export class CommandPrint {
  readonly #settings: PrintSettings;
  /** The requests of a dry run that are one JSON value, printed at its end. */
  readonly #withheld: unknown[] = [];
  /** Whether that is an array, also of one request or none. */
  #several = false;
  /** Whether the command came to its end: only then an empty array is an answer. */
  #complete = false;

  constructor(settings: PrintSettings) {
    this.#settings = settings;
  }

  /** The format asked for; undefined for the default of the place. */
  get format(): Format | undefined {
    return this.#settings.settings().output.value;
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
    const pager = new Pager(io, rows, this.#settings.world.env);
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
    if (!this.#settings.options.dryRun) return this.#printer(listing).changes(several);
    this.#several ||= several;
    const end = async () => {
      this.#complete = true;
    };
    return { write: async () => {}, end };
  }

  /** A JSON value, through --jq if given. */
  readonly value = async (value: unknown): Promise<void> => {
    const { io, options } = this.#settings;
    if (options.jq !== undefined) return this.#filtered(options.jq, jsonText(value ?? null));
    if (this.format === "yaml") {
      const { yamlText } = await import("../output/yaml.ts");
      return io.write(yamlText(value));
    }
    await io.write(`${jsonText(value, this.format === "ndjson" ? undefined : 2)}\n`);
  };

  /** A request that a dry run does not send: these are all that it prints. */
  async request({ method, path, query, body, sentence }: PlannedRequest): Promise<void> {
    const { io, options } = this.#settings;
    if (sentence !== undefined && this.table && !options.verbose) return io.write(`${sentence}\n`);
    const target = query === "" ? path : `${path}?${query}`;
    const request = { method, path: target, ...(body === undefined ? {} : { body }) };
    if (this.#isOneValue) this.#withheld.push(request);
    else if (this.format === "ndjson") await io.write(`${jsonText(request)}\n`);
    else await io.write(`${method} ${target}\n${body === undefined ? "" : `${jsonText(body, 2)}\n`}`);
  }

  /**
   * Refuses an invalid --jq expression; called before something is changed. One that then fails on the result of the
   * change ends with exit 9.
   */
  readonly checkFilter = once(async (): Promise<void> => {
    const { options, world } = this.#settings;
    if (options.jq === undefined) return;
    const { runJq } = await import("../output/jq.ts");
    // Without input jq only reads the expression.
    const { failure } = await runJq(options.jq, "", world.signal);
    if (failure !== undefined) throw failure;
  });

  /** Prints what a dry run withheld: an array of several requests, one alone as it is. */
  async end(): Promise<void> {
    const requests = this.#withheld.splice(0);
    const array = this.#several || requests.length > 1;
    if (requests.length > 0) await this.value(array ? requests : requests[0]);
    else if (array && this.#complete && this.#isOneValue) await this.value([]);
    this.#complete = false;
  }

  get #isOneValue(): boolean {
    return this.format === "json" || this.#settings.options.jq !== undefined;
  }

  #printer(listing: Listing, stdout: Output = this.#settings.io): Printer {
    const { io, options, world, settings } = this.#settings;
    const { jq, output } = options;
    if (jq !== undefined && output !== undefined && output !== "json" && output !== "ndjson")
      throw new UsageError(`--jq filters JSON and excludes --output ${output}`);
    return createPrinter({
      format: this.format,
      filter: jq === undefined ? undefined : (json) => this.#filtered(jq, json),
      columns: options.columns,
      listing,
      stdout,
      isTerminal: io.stdout.isTTY === true,
      width: io.width,
      colour: io.colour,
      now: world.now(),
      dayOf: new Days({ startsAt: settings()["review.day-starts-at"].value }).dayOf,
    });
  }

  /** Prints each result of a jq expression on a line: strings as they are, everything else as JSON. */
  async #filtered(filter: string, json: string): Promise<void> {
    const { io, world } = this.#settings;
    const { runJq } = await import("../output/jq.ts");
    const { results, failure } = await runJq(filter, json, world.signal);
    for (const result of results)
      await io.write(`${result.startsWith('"') ? visible(JSON.parse(result)) : safeJson(result)}\n`);
    if (failure === undefined) return;
    // A command that has checked its filter has changed something since. Exit 2 would say that nothing was done.
    if (!this.checkFilter.created) throw failure;
    io.warn(`--jq failed on the result: ${jsonText(JSON.parse(json))}`);
    throw new PartialError(failure.message, { hint: `${failure.hint}; the command was carried out` });
  }
}
