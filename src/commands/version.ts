import { Command } from "commander";
import type { Context, StartContext } from "../context/context.ts";
import { version } from "../version.ts";

export function versionCommand(start: StartContext): Command {
  return new Command("version")
    .description("Print the version of deckhand.")
    .addHelpText(
      "after",
      `
Examples:
  deckhand version
  deckhand version -o json`,
    )
    .action((_options: object, command: Command) => printVersion(start(command)));
}

/** The version alone, or an object in JSON, with the version of Node. */
async function printVersion({ print, io }: Context): Promise<void> {
  if (print.json) await print.value({ version, node: process.versions.node });
  else await io.write(`${version}\n`);
}
