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

/** Nothing that it answered was clear: that is true of this run, and not remembered. */
const unclearService: Description = { ...plainService };

/** What is remembered of a service from one run to the next. */
export interface Remembered {
  readonly description?: Description | undefined;
  /** The length of the longest page that was shorter than asked for and the last. */
  readonly lastPage?: number | undefined;
}

export interface ServiceMemory {
  read(): Remembered;
  write(remembered: Remembered): void;
}

/** For one run. */
export function shortMemory(known: Remembered = {}): ServiceMemory {
  let kept = known;
  return {
    read: () => kept,
    write(remembered) {
      kept = remembered;
    },
  };
}

export function serviceClient(http: Http, memory: ServiceMemory) {
  let known: Promise<Description> | undefined;
  const remember = (more: Remembered) => memory.write({ ...memory.read(), ...more });
  const service = {
    /** Whether the service has an extension. */
    has: async (extension: Extension): Promise<boolean> =>
      (await service.describe()).extensions.includes(extension),
    /**
     * The service's description of itself, requested once a day, or once a run with `again`. Any other answer means that it has no extensions
     * (docs/design/service.md, Extensions). Without an answer nothing is known, and the error is thrown.
     */
    async describe(again = false): Promise<Description> {
      const { description } = memory.read();
      if (description !== undefined && !again) return description;
      known ??= ask(http);
      try {
        const answer = await known;
        if (answer !== unclearService) remember({ description: answer });
        return answer;
      } catch (error) {
        known = undefined;
        throw error;
      }
    },
    /** What is known of its pages. A round number may be the most that it puts into one. */
    shortPages: {
      isLast(length: number): boolean {
        const { description, lastPage = 0 } = memory.read();
        if (description?.service !== undefined || length < lastPage) return true;
        return length === lastPage && length % 5 !== 0;
      },
      wasLast(length: number): void {
        if (length > (memory.read().lastPage ?? 0)) remember({ lastPage: length });
      },
    },
  };
  return service;
}

/** The description, or none where the service refuses or answers something else. */
async function ask(http: Http): Promise<Description> {
  try {
    return descriptionOf(await http.call(operations["service.describe"], { retries: 3 })) ?? unclearService;
  } catch (error) {
    if (!(error instanceof DeckhandError && isAnswer(error))) throw error;
    // A wrong key is an error; but the root may belong to another program, which does not know the key.
    if (error.code === "unauthorized") await http.call(operations["decks.list"], {});
    const { status = 0 } = error;
    return status >= 400 && status < 500 && status !== 408 && status !== 499 ? plainService : unclearService;
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
