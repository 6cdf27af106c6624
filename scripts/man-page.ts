import type { Command, Option } from "commander";
import { argumentsOf, fullName, isHidden, ownOptions } from "../src/cli/help/text.ts";
import { helpTopics } from "../src/cli/topics.ts";
import { documentation } from "../src/version.ts";

/**
 * The man page of the program in mdoc(7), from the same declarations as help: every command with its options.
 *
 * @param date of the build, as mdoc writes it: `July 31, 2026`
 */
export async function manPage(program: Command, date: string): Promise<string> {
  const lines = [
    `.Dd ${date}`,
    ".Dt DECKHAND 1",
    ".Os",
    ".Sh NAME",
    ".Nm deckhand",
    ".Nd study flashcards in your terminal",
    ".Sh SYNOPSIS",
    ".Nm",
    ".Ar command",
    ".Op Ar options",
    ".Sh DESCRIPTION",
    ...paragraph(program.description()),
    ...paragraph('"deckhand help <command>" shows a command with examples.'),
    ".Sh OPTIONS",
    ...optionList(program, program.options),
    ".Sh COMMANDS",
    ...program.commands.filter((each) => !isHidden(each)).flatMap(commandLines),
    ".Sh ENVIRONMENT",
    ...(await tableOf("environment", ".It Ev ")),
    ".Sh EXIT STATUS",
    ...(await tableOf("exit-codes", ".It ")),
    ".Sh SEE ALSO",
    "Guides:",
    `.Lk ${documentation}`,
  ];
  return `${lines.join("\n")}\n`;
}

/** A command, and the verbs below it. The noun alone stands for a verb that is hidden. */
function commandLines(command: Command): string[] {
  const verbs = command.commands.filter((each) => !isHidden(each));
  const itself = verbs.length === 0 ? command : command.commands.find(isHidden);
  if (itself === undefined) return verbs.flatMap(commandLines);
  const own = ownOptions(itself);
  const words = [fullName(command), ...(own.length > 0 ? ["[options]"] : []), ...argumentsOf(itself)];
  const options = own.length === 0 ? [] : optionList(itself, own);
  return [
    `.Ss ${escaped(words.join(" "))}`,
    ...paragraph(itself.description()),
    ...options,
    ...verbs.flatMap(commandLines),
  ];
}

function optionList(command: Command, options: readonly Option[]): string[] {
  const helper = command.createHelp();
  return list(options.map((each) => [`.It Fl ${optionTerm(each.flags)}`, helper.optionDescription(each)]));
}

/** `-o, --output <format>` as mdoc has it: `o , -output Ar <format>`. */
function optionTerm(flags: string): string {
  const [, names = "", value] = /^([^<[]*?)(?:\s([<[].*))?$/.exec(flags) ?? [];
  const shown = names
    .split(", ")
    .map((each) => each.trim().replace(/^-/, ""))
    .join(" , Fl ");
  return value === undefined ? shown : `${shown} Ar ${escaped(value.replace(/[<>[\]]/g, ""))}`;
}

/** The table of a topic: its first column, and the others beside it. */
async function tableOf(topic: string, item: string): Promise<string[]> {
  const text = (await helpTopics[topic]?.text()) ?? "";
  const rows = text.matchAll(/^\| +(.+?) +\| +(.*?)(?: +\| +(.*?))? +\|$/gm);
  const cells = [...rows].slice(1).map((row) => row.slice(1).map((cell) => (cell ?? "").replaceAll("`", "")));
  return list(
    cells.map(([name = "", ...about]) => [`${item}${name}`, about.filter((cell) => cell !== "").join(": ")]),
  );
}

const list = (items: readonly (readonly [string, string])[]): string[] => [
  ".Bl -tag -width Ds",
  ...items.flatMap(([term, about]) => [term, ...paragraph(about)]),
  ".El",
];

/** Text in lines of at most 76 bytes; sentences begin on a new line, as mdoc wants it. */
function paragraph(text: string): string[] {
  const lines: string[] = [];
  for (const sentence of text
    .replace(/\s+/g, " ")
    .trim()
    .split(/(?<=[.!?]) (?=[A-Z"])/)) {
    let line = "";
    for (const word of sentence.split(" ")) {
      if (line !== "" && Buffer.byteLength(line) + 1 + Buffer.byteLength(word) > 76) {
        lines.push(line);
        line = word;
      } else line = line === "" ? word : `${line} ${word}`;
    }
    lines.push(line);
  }
  return lines.map(escaped);
}

/** Backslashes, and a dot or an apostrophe at the start of a line, mean something to mdoc. */
const escaped = (text: string): string =>
  text
    .replaceAll("\\", "\\e")
    .replace(/^([.'])/, "\\&$1")
    .replace(
      /[^\u0020-\u007e]/g,
      (character) => `\\[u${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`,
    );
