import type { StartContext } from "../../context/context.ts";
import { helpTopics } from "../help/topics.ts";
import { wholeProgram } from "../program.ts";
import { commandTree } from "../tree.ts";
import { type CommandModel, completionModel } from "./model.ts";

/** The model of this program, with every command loaded. */
export async function programModel(start: StartContext): Promise<CommandModel[]> {
  return completionModel(await wholeProgram(start), commandTree);
}

/** With `help`, whose verbs are the nouns and the topics, and the verbs of a noun behind it. */
export function withHelp([program, ...commands]: readonly CommandModel[]): CommandModel[] {
  if (program === undefined) return [];
  const about = "Show the help of a command, or a topic";
  const page = (path: readonly string[], verbs: CommandModel["verbs"]): CommandModel => ({
    path: ["help", ...path],
    aliases: [],
    about,
    options: [],
    positionals: [],
    verbs,
  });
  const topics = Object.entries(helpTopics).map(([name, topic]) => ({ name, about: topic.about }));
  return [
    { ...program, verbs: [...program.verbs, { name: "help", about }] },
    ...commands,
    page([], [...program.verbs, ...topics]),
    ...commands
      .filter(({ path, verbs }) => path.length === 1 && verbs.length > 0)
      .map(({ path, verbs }) => page(path, verbs)),
  ];
}
