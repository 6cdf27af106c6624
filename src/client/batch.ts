import type { Http } from "../http/index.ts";
import { type BatchOperation, type BatchResult, isMap, operations } from "../schema/index.ts";
import { type Call, callOf, incomplete } from "./call.ts";

/** Operations in one request, in order; only where the service has the extension `batch`. */
export const batchClient =
  (http: Http) =>
  (batch: readonly BatchOperation[]): Call<readonly BatchResult[]> =>
    callOf(http, operations["batch.apply"], { body: { operations: batch } }, (answer, call) => {
      const results = isMap(answer) ? answer["results"] : undefined;
      if (!Array.isArray(results) || results.length !== batch.length) throw incomplete(call, "results");
      return results as readonly BatchResult[];
    });
