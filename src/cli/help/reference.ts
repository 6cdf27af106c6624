import type { Command } from "commander";
import { argumentsOf, isHidden, ownOptions, textAfter, widestHelp } from "./text.ts";
import { helpTopics } from "./topics.ts";

/** The command reference as markdown, from the same declarations as the help pages. */
export function referenceText(program: Command): string {
  const commands = program.commands.filter((each) => !isHidden(each));
  const contents = commands.map((each) => `- [${each.name()}](#${each.name()}): ${each.description()}`);
  return [
    "# Command reference",
    "",
    "Generated from the command tree by `npm run generate`; `deckhand help <command>` shows the same.",
    "",
    ...contents,
    "",
    "## Global options",
    "",
    ...optionTable(program),
    ...commands.flatMap((each) => section(each, [], 2)),
    ...Object.values(helpTopics).flatMap((topic) => topicSection(topic.text(widestHelp))),
    "",
  ].join("\n");
}

function section(command: Command, above: readonly string[], level: number): string[] {
  const path = [...above, command.name()];
  const verbs = command.commands.filter((each) => !isHidden(each) && each.name() !== "help");
  // A hidden verb has no name of its own: the noun alone means it, as in `deckhand serve`.
  const itself = verbs.length === 0 ? command : command.commands.find(isHidden);
  const about = (itself ?? command).description();
  return [
    "",
    `${"#".repeat(level)} ${path.join(" ")}`,
    "",
    about,
    ...(itself === undefined ? [] : usage(itself, path)),
    ...verbs.flatMap((each) => section(each, path, level + 1)),
  ];
}

function usage(command: Command, path: readonly string[]): string[] {
  const line = ["deckhand", ...path, "[options]", ...argumentsOf(command)].join(" ");
  const own = ownOptions(command);
  return [
    "",
    "```",
    line,
    "```",
    ...(own.length === 0 ? [] : ["", ...optionTable(command)]),
    ...examples(command),
  ];
}

function optionTable(command: Command): string[] {
  const isProgram = command.parent === null;
  const rows = (isProgram ? command.options : ownOptions(command)).map((option) => {
    const values =
      option.argChoices === undefined ? "" : `: ${option.argChoices.map((each) => `\`${each}\``).join(" ")}`;
    return `| \`${option.flags.replaceAll("|", "\\|")}\` | ${option.description.replaceAll("|", "\\|")}${values} |`;
  });
  return ["| option | meaning |", "|---|---|", ...rows];
}

/** The examples of the help page. */
function examples(command: Command): string[] {
  const [, text] = `\n${textAfter(command)}`.split("\nExamples:\n");
  const lines = (text?.split("\n\n")[0] ?? "").split("\n").map((line) => line.replace(/^ {2}/, ""));
  return text === undefined ? [] : ["", "```sh", ...lines.filter((line) => line !== ""), "```"];
}

function topicSection(text: string): string[] {
  const [title = "", , ...rest] = text.trimEnd().split("\n");
  return ["", `## ${title}`, "", "```", ...rest, "```"];
}
