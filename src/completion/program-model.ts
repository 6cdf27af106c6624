import { commandTree } from "../commands/tree.ts";
import type { StartContext } from "../context.ts";
import { wholeProgram } from "../program.ts";
import { type CommandModel, completionModel } from "./model.ts";

/** The model of this program, with every command loaded. */
export async function programModel(start: StartContext): Promise<CommandModel[]> {
  const defaults = Object.fromEntries(
    Object.entries(commandTree).map(([noun, entry]) => [noun, entry.defaultVerb]),
  );
  return completionModel(await wholeProgram(start), defaults);
}
