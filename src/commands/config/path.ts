import { Argument, Command } from "commander";
import { credentialsPath } from "../../config/credentials.ts";
import { configPath } from "../../config/index.ts";
import type { Context, StartContext } from "../../context/context.ts";

const things = ["config", "credentials", "data", "state", "cache"] as const;
type Thing = (typeof things)[number];

export function pathCommand(start: StartContext): Command {
  return new Command("path")
    .description("Print where things are kept: the file of the settings, or of the keys, or a folder.")
    .addArgument(new Argument("[what]", "which of them").choices(things).default("config"))
    .addHelpText(
      "after",
      `
Examples:
  deckhand config path
  ls "$(deckhand config path data)"`,
    )
    .action((what: Thing, _options: object, command: Command) => printPath(what, start(command)));
}

async function printPath(what: Thing, context: Context): Promise<void> {
  const path = pathOf(what, context);
  const { output, jq } = context.options;
  if (output === "json" || output === "ndjson" || jq !== undefined) await context.print.value(path);
  else await context.io.write(`${path}\n`);
}

function pathOf(what: Thing, { folders }: Context): string {
  if (what === "config") return configPath(folders.config);
  if (what === "credentials") return credentialsPath(folders.config);
  return folders[what];
}
