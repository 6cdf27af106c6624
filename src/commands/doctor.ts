import { Command } from "commander";
import type { Context, StartContext } from "../context.ts";
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

export async function examine(context: Context): Promise<void> {
  const { examinations } = await import("../doctor/index.ts");
  let failed = 0;
  async function* findings() {
    for await (const finding of examinations(context)) {
      if (!finding["ok?"]) failed += 1;
      yield finding;
    }
  }
  await context.printList(report, findings());
  if (failed > 0)
    throw new DeckhandError("internal", `${failed} ${failed === 1 ? "check" : "checks"} failed`);
}
