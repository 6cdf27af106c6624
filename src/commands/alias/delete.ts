import { Command } from "commander";
import { changeAlias } from "../../config/aliases.ts";
import type { Context, StartContext } from "../../context/context.ts";

export function deleteCommand(start: StartContext): Command {
  return new Command("delete")
    .description("Delete aliases.")
    .argument("<name...>", "aliases")
    .addHelpText(
      "after",
      `
Examples:
  deckhand alias delete es
  deckhand alias delete es today`,
    )
    .action((names: string[], _options: object, command: Command) => deleteAliases(names, start(command)));
}

async function deleteAliases(names: readonly string[], context: Context): Promise<void> {
  for (const name of names) {
    if (context.options.dryRun) context.io.note(`Would delete the alias ${name}`);
    else await changeAlias(context.folders.config, name, undefined);
  }
}
