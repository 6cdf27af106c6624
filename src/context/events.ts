import type { HttpEvent } from "../http/index.ts";
import type { Task } from "../output/status.ts";
import type { Context } from "./context.ts";

/** How long a wait lasts before it is shown on a terminal, in milliseconds. */
const shownAfter = 2_000;
/** A wait of more than this is announced when it begins, off a terminal, too. */
const longWait = 10_000;

interface EventTeller {
  event(event: HttpEvent): void;
  /** Takes a line of waiting off the terminal. */
  end(): void;
}

/** Reports on stderr what the core does: everything with --verbose, else long waits. */
export function eventTeller(context: Pick<Context, "io" | "options">): EventTeller {
  if (context.options.verbose) return { event: (event) => context.io.note(eventLine(event)), end() {} };
  let timer: NodeJS.Timeout | undefined;
  let waits = 0;
  let shown: Task | undefined;
  const end = () => {
    waits += 1;
    clearTimeout(timer);
    shown?.end();
    shown = undefined;
  };
  const show = async (label: string, wait: number) => {
    const status = await context.io.status();
    if (wait === waits) shown = status.begin({ label });
  };
  return {
    event(event) {
      end();
      if (event.type !== "wait") return;
      const wait = waits;
      const [ms = 0, reason] = [event.ms, reasonFor(event)];
      if (ms > longWait)
        context.io.note(`Waiting ${Math.ceil(ms / 1000)} s: ${reason}. Ctrl-C ends the command.`);
      timer = setTimeout(() => void show(`Waiting: ${reason}`, wait), shownAfter);
      timer.unref();
    },
    end,
  };
}

const reasons: Readonly<Record<string, string>> = {
  "rate-limited": "the service asks for a pause",
  backoff: "the service failed, trying again soon",
  "other-process": "another deckhand is using this account",
  pace: "keeping to the service's pace",
};

type Waiting = Pick<Extract<HttpEvent, { readonly type: "wait" }>, "why"> & { readonly who?: string };

const reasonFor = ({ why, who }: Waiting) =>
  who === undefined ? (reasons[why] ?? why) : `${who} is using this account`;

function eventLine(event: HttpEvent): string {
  switch (event.type) {
    case "request": {
      const target = event.query === "" ? event.request.path : `${event.request.path}?${event.query}`;
      return `→ ${event.request.method} ${target}${event.attempt > 1 ? ` (attempt ${event.attempt})` : ""}`;
    }
    case "answer":
      return `← ${event.status} ${event.request.method} ${event.request.path} in ${Math.round(event.ms)} ms, ${event.bytes} bytes`;
    case "wait":
      return `waiting${event.ms === undefined ? "" : ` ${Math.round(event.ms)} ms`}: ${reasonFor(event)}`;
    case "retry":
      return `trying again (${event.repeat} of ${event.retries}): ${event.reason}`;
    case "alone":
      return `other processes cannot be seen: ${event.reason}`;
  }
}
