import type { Command } from "commander";
import { isHidden } from "./hidden.ts";
import { helpTopics, widestHelp } from "./topics.ts";

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
  const line = ["deckhand", ...path, "[options]", ...command.registeredArguments.map(argumentText)].join(" ");
  const own = command.options.filter((option) => option.helpGroupHeading !== "Global options:");
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
  const rows = command.options
    .filter((option) => isProgram || option.helpGroupHeading !== "Global options:")
    .map((option) => {
      const values =
        option.argChoices === undefined
          ? ""
          : `: ${option.argChoices.map((each) => `\`${each}\``).join(" ")}`;
      return `| \`${option.flags.replaceAll("|", "\\|")}\` | ${option.description.replaceAll("|", "\\|")}${values} |`;
    });
  return ["| option | meaning |", "|---|---|", ...rows];
}

function argumentText(argument: Command["registeredArguments"][number]): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

/** The examples of the help page. */
function examples(command: Command): string[] {
  let help = "";
  command.configureOutput({
    writeOut: (text) => {
      help += text;
    },
    getOutHelpWidth: () => 100,
  });
  command.outputHelp();
  const [, text] = help.split("\nExamples:\n");
  if (text === undefined) return [];
  const lines =
    text
      .split("\n\nSee also:")[0]
      ?.split("\n")
      .map((line) => line.replace(/^ {2}/, "")) ?? [];
  return ["", "```sh", ...lines.filter((line) => line !== ""), "```"];
}

function topicSection(text: string): string[] {
  const [title = "", , ...rest] = text.trimEnd().split("\n");
  return ["", `## ${title}`, "", "```", ...rest, "```"];
}
