import { jsonText, type Sink } from "../output/index.ts";

/** A request that is not sent. */
export interface PlannedRequest {
  readonly method: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly body?: unknown;
  /** What it would do, for people; undefined where the request itself is asked for. */
  readonly sentence?: string | undefined;
}

interface PlanSettings {
  /** Whether sentences are printed instead of requests, where there are some. */
  readonly sentences: boolean;
  /** Whether requests are JSON objects, one a line. */
  readonly ndjson: boolean;
  /** Whether all requests are printed as one JSON value at the end. */
  readonly json: boolean;
  write(text: string): Promise<void>;
  /** Prints a JSON value, through --jq if given. */
  value(value: unknown): Promise<void>;
}

/** The requests of a dry run, which are all that it prints. */
export class PlannedRequests {
  readonly #settings: PlanSettings;
  readonly #withheld: unknown[] = [];
  #array = false;
  /** Whether the command came to its end: only then an empty array is an answer. */
  #complete = false;

  constructor(settings: PlanSettings) {
    this.#settings = settings;
  }

  async add({ method, path, query, body, sentence }: PlannedRequest): Promise<void> {
    const { sentences, json, ndjson, write } = this.#settings;
    if (sentences && sentence !== undefined) return write(`${sentence}\n`);
    const target = query === "" ? path : `${path}?${query}`;
    const request = { method, path: target, ...(body === undefined ? {} : { body }) };
    if (json) this.#withheld.push(request);
    else if (ndjson) await write(`${jsonText(request)}\n`);
    else await write(`${method} ${target}\n${body === undefined ? "" : `${jsonText(body, 2)}\n`}`);
  }

  /** In place of what a command would print: nothing. */
  changes(several: boolean): Sink {
    this.#array ||= several;
    return {
      write: async () => {},
      end: async () => {
        this.#complete = true;
      },
    };
  }

  /** Prints the requests that are one JSON value: an array of several, one alone as it is. */
  async end(): Promise<void> {
    if (!this.#settings.json) return;
    const requests = this.#withheld.splice(0);
    const array = this.#array || requests.length > 1;
    if (requests.length > 0) await this.#settings.value(array ? requests : requests[0]);
    else if (array && this.#complete) await this.#settings.value([]);
    this.#complete = false;
  }
}
