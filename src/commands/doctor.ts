import { formats } from "../config/settings.ts";
import type { Context, Print } from "../context/context.ts";
import type { Finding } from "../doctor/places.ts";
import { DeckhandError } from "../errors.ts";
import { count } from "../output/words.ts";
import { defaultStart } from "../schedule/days.ts";
import { boolean, string } from "../schema/kinds.ts";
import { listingOf } from "../schema/resources.ts";
import { command, declare } from "./shared/command.ts";

const report = listingOf("doctor", { check: string(), "ok?": boolean(), detail: string() });

const declared = () =>
  declare(`Look at versions, folders, settings, the service, the clock, the terminal and locks. Ends with 1 if something is wrong.

  deckhand doctor
  deckhand doctor -o json`);

export const doctorCommand = command(declared, async (_options, context) => {
  const { examinations } = await import("../doctor/index.ts");
  const print = await printOf(context);
  const failed: Finding[] = [];
  async function* findings() {
    for await (const finding of examinations(context)) {
      if (!finding["ok?"]) failed.push(finding);
      yield finding;
    }
  }
  await print.list(report, findings());
  if (failed.length === 0) return;
  // The table of a terminal is cut to its width, and what to do stands at the end of the lines.
  if (context.io.stdout.isTTY && (print.format ?? "table") === "table")
    for (const { check, detail } of failed) context.io.warn(`${check}: ${detail}`);
  throw new DeckhandError("internal", `${count(failed.length, "check")} failed`);
});

/** Invalid settings are part of the report: it is then printed as the command line alone says. */
async function printOf(context: Context): Promise<Print> {
  try {
    context.settings();
    return context.print;
  } catch (error) {
    if (!(error instanceof DeckhandError)) throw error;
    const { CommandPrint } = await import("../context/print.ts");
    const { io, options, world } = context;
    const asked = formats.find((format) => format === options.output);
    const settings = {
      output: { value: asked, origin: "option" },
      "review.day-starts-at": { value: defaultStart, origin: "default" },
    } as const;
    return new CommandPrint({ io, options, world, settings: () => settings });
  }
}
