import { createStatusLine, type StatusLine } from "../output/status.ts";
import type { Context } from "./context.ts";

/**
 * The status line of a command: on stderr, where that is a terminal that knows escapes, and not with --quiet.
 *
 * @param held whether something else has the terminal now
 */
export function createStatus(context: Context, held: () => boolean): StatusLine {
  const { stderr, options, world } = context;
  return createStatusLine({
    write(text) {
      if (!held()) stderr.write(text);
    },
    enabled: stderr.isTTY === true && !options.quiet && world.env["TERM"] !== "dumb",
    width: () => stderr.columns || 80,
    unicode: context.unicode,
    now: context.now,
    every(milliseconds, work) {
      const timer = setInterval(work, milliseconds);
      timer.unref();
      return () => clearInterval(timer);
    },
  });
}
