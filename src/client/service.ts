import { DeckhandError } from "../errors.ts";
import type { Http } from "../http/index.ts";
import { type Extension, isMap, operations } from "../schema/index.ts";

/** What the service can do beyond the documented interface. */
export interface Description {
  readonly service: string | undefined;
  readonly version: string | undefined;
  readonly extensions: readonly (Extension | (string & {}))[];
}

const plainService: Description = { service: undefined, version: undefined, extensions: [] };

export function serviceClient(http: Http) {
  let known: Promise<Description> | undefined;
  return {
    /**
     * What the service says it is, asked once. Any other answer, or none, means that it has no extensions (service.md,
     * What it adds).
     */
    describe(): Promise<Description> {
      known ??= ask(http).catch((error: unknown) => {
        if (error instanceof DeckhandError) return plainService;
        // An interruption says nothing about the service.
        known = undefined;
        throw error;
      });
      return known;
    },
  };
}

async function ask(http: Http): Promise<Description> {
  const answer = await http.call(operations["service.describe"], { retries: 1 });
  if (!isMap(answer) || !Array.isArray(answer["extensions"])) return plainService;
  const { service, version, extensions } = answer;
  return {
    service: typeof service === "string" ? service : undefined,
    version: typeof version === "string" ? version : undefined,
    extensions: extensions.filter((name) => typeof name === "string"),
  };
}
