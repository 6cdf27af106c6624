import type { Context } from "../context/context.ts";
import { version } from "../version.ts";
import { command, declare } from "./shared/command.ts";

export const versionCommand = command(
  () =>
    declare(`Print the version of deckhand.

Examples:
  deckhand version
  deckhand version -o json`),
  printVersion,
);

/** The version alone, or an object in JSON, with the version of Node. */
async function printVersion(_options: object, { print, io }: Context): Promise<void> {
  if (print.json) await print.value({ version, node: process.versions.node });
  else await io.write(`${version}\n`);
}
