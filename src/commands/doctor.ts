import { Command } from "commander";
import type { Context, StartContext } from "../context/context.ts";
import type { Finding } from "../doctor/finding.ts";
import { DeckhandError } from "../errors.ts";
import { boolean, object, string } from "../schema/kinds.ts";
import type { Listing } from "../schema/resources.ts";

const report: Listing = {
  name: "doctor",
  kind: object({ check: string(), "ok?": boolean(), detail: string() }),
  columns: ["check", "ok?", "detail"],
};

export function doctorCommand(start: StartContext): Command {
  return new Command("doctor")
    .description(
      "Look at versions, folders, settings, the service, the clock, the terminal, cache and lock. Ends with 1 if something is wrong.",
    )
    .addHelpText(
      "after",
      `
Examples:
  deckhand doctor
  deckhand doctor -o json`,
    )
    .action((_options: object, command: Command) => examine(start(command)));
}

/** Settings that cannot be read are what the report is for: then how it is printed comes from the command line alone. */
function withOutput(context: Context): Context {
  try {
    context.settings();
    return context;
  } catch (error) {
    if (!(error instanceof DeckhandError)) throw error;
    const format = context.options.output;
    return Object.create(context, { format: { value: format }, colour: { value: false } }) as Context;
  }
}

export async function examine(context: Context): Promise<void> {
  const [{ examinations }, { printerFor }] = await Promise.all([
    import("../doctor/index.ts"),
    import("../context/printing.ts"),
  ]);
  const patient = withOutput(context);
  const failed: Finding[] = [];
  async function* findings() {
    for await (const finding of examinations(patient)) {
      if (!finding["ok?"]) failed.push(finding);
      yield finding;
    }
  }
  await printerFor(patient, report).list(findings());
  if (failed.length === 0) return;
  // The table of a terminal is cut to its width, and what to do stands at the end of the lines.
  if (context.stdout.isTTY && (patient.format ?? "table") === "table")
    for (const { check, detail } of failed) context.warn(`${check}: ${detail}`);
  throw new DeckhandError("internal", `${failed.length} ${failed.length === 1 ? "check" : "checks"} failed`);
}
