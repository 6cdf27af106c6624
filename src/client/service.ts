import { DeckhandError } from "../errors.ts";
import type { Http } from "../http/index.ts";
import { type Extension, isMap, operations } from "../schema/index.ts";

/** What the service can do beyond the documented interface. */
interface Description {
  readonly service: string | undefined;
  readonly version: string | undefined;
  readonly extensions: readonly (Extension | (string & {}))[];
  /** Names the store behind the service, where it has a name. */
  readonly store?: string | undefined;
}

const plainService: Description = { service: undefined, version: undefined, extensions: [] };

export function serviceClient(http: Http) {
  let known: Promise<Description> | undefined;
  const service = {
    /** Whether the service has an extension. */
    has: async (extension: Extension): Promise<boolean> =>
      (await service.describe()).extensions.includes(extension),
    /**
     * The service's description of itself, requested once. Any other answer means that it has no extensions
     * (docs/design/service.md, Extensions). Without an answer nothing is known, and the error is thrown.
     */
    describe(): Promise<Description> {
      known ??= askOrFail(http).catch((error: unknown) => {
        known = undefined;
        throw error;
      });
      return known;
    },
  };
  return service;
}

/**
 * How often an answer that is neither a description nor a refusal must come before it counts. A login page of a network,
 * for once, must not make an export leave out every attachment.
 */
const convincing = 3;

async function askOrFail(http: Http): Promise<Description> {
  for (let unclear = 0; unclear < convincing; unclear++) {
    const answer = await ask(http);
    if (answer !== undefined) return answer;
  }
  return plainService;
}

/** The description, or none where the service refuses; undefined after any other answer. */
async function ask(http: Http): Promise<Description | undefined> {
  try {
    return descriptionOf(await http.call(operations["service.describe"], { retries: 3 }));
  } catch (error) {
    if (!(error instanceof DeckhandError && isAnswer(error))) throw error;
    // A wrong key is an error; but the root may belong to another program, which does not know the key.
    if (error.code === "unauthorized") await http.call(operations["decks.list"], {});
    const { status = 0 } = error;
    return status >= 400 && status < 500 && status !== 408 && status !== 499 ? plainService : undefined;
  }
}

/** Whether the service itself refused and would again, as opposed to a lost connection or a temporary failure. */
function isAnswer({ code, status }: DeckhandError): boolean {
  if (code === "network" || code === "timeout" || code === "rate-limited") return false;
  return status !== 502 && status !== 503 && status !== 504;
}

function descriptionOf(answer: unknown): Description | undefined {
  if (!isMap(answer) || !Array.isArray(answer["extensions"])) return undefined;
  const { service, version, extensions, store } = answer;
  return {
    service: typeof service === "string" ? service : undefined,
    version: typeof version === "string" ? version : undefined,
    extensions: extensions.filter((name) => typeof name === "string"),
    ...(typeof store === "string" ? { store } : {}),
  };
}
