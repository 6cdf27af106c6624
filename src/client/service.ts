import { DeckhandError } from "../errors.ts";
import type { Http } from "../http/index.ts";
import { type Extension, operations, type ServiceInfo } from "../schema/index.ts";

/** What the service can do beyond the documented interface. */
type Description = Pick<ServiceInfo, "service" | "version" | "store"> & {
  readonly extensions: readonly string[];
};

const plainService: Description = { extensions: [] };

/** Nothing that it answered was clear: that is true of this run, and not remembered. */
const unclearService: Description = { ...plainService };

/** What is remembered of a service from one run to the next. */
export interface ServiceMemory {
  read(): Description | undefined;
  write(description: Description): void;
  /** Whether it is one of ours, whatever it says. */
  readonly isOurs?: boolean;
}

/** For one run. */
export function shortMemory(isOurs = false): ServiceMemory {
  let kept: Description | undefined;
  return {
    read: () => kept,
    write(description) {
      kept = description;
    },
    isOurs,
  };
}

export function serviceClient(http: Http, memory: ServiceMemory) {
  let known: Promise<Description> | undefined;
  const service = {
    /** Whether the service has an extension. */
    has: async (extension: Extension): Promise<boolean> =>
      (await service.describe()).extensions.includes(extension),
    /**
     * The service's description of itself, requested once a day, or once a run with `again`. Any other answer means that it has no extensions
     * (docs/design/service.md, Extensions). Without an answer nothing is known, and the error is thrown.
     */
    async describe(again = false): Promise<Description> {
      const description = memory.read();
      if (description !== undefined && !again) return description;
      known ??= ask(http);
      try {
        const answer = await known;
        if (answer !== unclearService) memory.write(answer);
        return answer;
      } catch (error) {
        known = undefined;
        throw error;
      }
    },
    /** Whether it is known to be a service of ours: of its lists, a page that is shorter than asked for is the last. */
    isOurs: (): boolean => memory.isOurs === true || memory.read()?.service != null,
  };
  return service;
}

/** The description, or none where the service refuses or answers something else. */
async function ask(http: Http): Promise<Description> {
  try {
    const answer = await http.call(operations["service.describe"], { retries: 3 });
    const { service, version, extensions, store } = answer as Description;
    return { service, version, extensions, store };
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
