import type { Context } from "../context.ts";
import type { HttpEvent } from "../http/index.ts";
import { visible } from "../output/index.ts";

/** How long a wait lasts before a person at a terminal is told of it. */
const patience = 2_000;

export interface EventTeller {
  event(event: HttpEvent): void;
  /** Takes a line of waiting off the terminal. */
  end(): void;
}

/** Tells on stderr what the core does: everything with --verbose, on a terminal only waits of more than two seconds. */
export function eventTeller(context: Context): EventTeller {
  const { stderr, options } = context;
  if (options.verbose)
    return { event: (event) => void stderr.write(`deckhand: ${visible(line(event))}\n`), end() {} };
  if (options.quiet || !stderr.isTTY) return { event() {}, end() {} };
  let timer: NodeJS.Timeout | undefined;
  let shown = false;
  const end = () => {
    clearTimeout(timer);
    if (shown) stderr.write("\r\u001b[2K");
    shown = false;
  };
  return {
    event(event) {
      end();
      if (event.type !== "wait") return;
      const show = () => {
        shown = true;
        stderr.write(`Waiting: ${reasons[event.why] ?? event.why}…`);
      };
      timer = setTimeout(show, patience);
      timer.unref();
    },
    end,
  };
}

const reasons: Readonly<Record<string, string>> = {
  "rate-limited": "the service asks for a pause",
  backoff: "the service did not answer, trying again soon",
  lock: "another deckhand is using this account",
  queue: "an earlier request is under way",
  pace: "keeping to the service's pace",
};

function line(event: HttpEvent): string {
  switch (event.type) {
    case "request": {
      const target = event.query === "" ? event.request.path : `${event.request.path}?${event.query}`;
      return `→ ${event.request.method} ${target}${event.attempt > 1 ? ` (attempt ${event.attempt})` : ""}`;
    }
    case "answer":
      return `← ${event.status} ${event.request.method} ${event.request.path} in ${Math.round(event.ms)} ms, ${event.bytes} bytes`;
    case "wait":
      return `waiting${event.ms === undefined ? "" : ` ${Math.round(event.ms)} ms`}: ${reasons[event.why] ?? event.why}`;
    case "waited":
      return `waited ${Math.round(event.ms)} ms: ${reasons[event.why] ?? event.why}`;
    case "retry":
      return `trying again (${event.repeat} of ${event.retries}): ${event.reason}`;
    case "alone":
      return `other processes cannot be seen: ${event.reason}`;
  }
}
