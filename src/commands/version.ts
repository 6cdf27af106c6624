import { version } from "../version.ts";
import { command, declare } from "./shared/command.ts";

const declared = () =>
  declare(`Print the version of deckhand.

  deckhand version
  deckhand version -o json`);

/** The version alone, or an object in JSON, with the version of Node. */
export const versionCommand = command(declared, async (_options, { print, io }) => {
  if (print.json) await print.value({ version, node: process.versions.node });
  else await io.write(`${version}\n`);
});
