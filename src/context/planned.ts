import type { Call } from "../client/index.ts";
import { type Plan, plan } from "../http/plan.ts";
import { type Documents, jsonText } from "../output/index.ts";
import type { Context } from "./context.ts";

/** A request that is not sent. */
export type PlannedRequest = Pick<Plan, "path" | "query" | "body"> & { readonly method: string };

/** The requests of a dry run: they are all that it prints. */
export interface Planned {
  /** Prints a request: its line and its body, or an object where JSON is wanted. */
  show(request: PlannedRequest): Promise<void>;
  /** The same for what a call would send. */
  showCall(call: Call<unknown>): Promise<void>;
  /** Lets a command run to its end that would print what it changed. */
  drain(documents: Documents, several: boolean): Promise<number>;
  /** Prints what had to wait for the rest: with json an array of several, one alone as it is. */
  end(): Promise<void>;
}

export function createPlanned(context: Context): Planned {
  const held: unknown[] = [];
  let array = false;
  /** Whether the command came to its end: only then nothing is an answer, too. */
  let drained = false;
  let ended = false;
  const waits = context.format === "json" || context.options.jq !== undefined;
  const planned: Planned = {
    showCall: ({ operation, input }) => planned.show(plan(operation, input)),
    async show({ method, path, query, body }) {
      const target = query === "" ? path : `${path}?${query}`;
      const request = { method, path: target, ...(body === undefined ? {} : { body }) };
      if (waits) held.push(request);
      else if (context.format === "ndjson") await context.write(`${jsonText(request)}\n`);
      else await context.write(`${method} ${target}\n${body === undefined ? "" : `${jsonText(body, 2)}\n`}`);
    },
    async drain(documents, several) {
      array ||= several;
      for await (const _ of documents);
      drained = true;
      return 0;
    },
    async end() {
      if (ended || !waits) return;
      ended = true;
      if (held.length === 0 && !(array && drained)) return;
      await context.printJson(array || held.length > 1 ? held : held[0]);
    },
  };
  return planned;
}
