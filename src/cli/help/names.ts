import type { Command } from "commander";

/** A command as it is typed: `deckhand cards list`. */
export function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();
}
