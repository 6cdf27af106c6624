import { credentialsPath } from "../../config/credentials.ts";
import { configPath } from "../../config/index.ts";
import type { Context } from "../../context/context.ts";
import { argument, command, declare } from "../shared/command.ts";

const things = ["config", "credentials", "data", "state", "cache"] as const;
type Thing = (typeof things)[number];

const declared = () =>
  declare(`Print where things are kept: the file of the settings, or of the keys, or a folder.

Examples:
  deckhand config path
  ls "$(deckhand config path data)"`).addArgument(
    argument("[what]", "which of them").choices(things).default("config"),
  );

export const pathCommand = command(declared, (what, _options, context) => printPath(what, context));

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
