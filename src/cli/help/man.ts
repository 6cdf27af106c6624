import type { Command } from "commander";
import { documentation } from "../../version.ts";
import { argumentsOf, fullName, isHidden, ownOptions, textAfter } from "./text.ts";
import { exitMeanings, variables } from "./topics.ts";

/** A man page: its file name, and its text in mdoc(7). */
interface ManPage {
  readonly file: string;
  readonly text: string;
}

/**
 * A man page for the program, each noun and each verb, from the same declarations as help.
 *
 * @param date of the build, as mdoc writes it: `July 31, 2026`
 */
export function manPages(program: Command, date: string): ManPage[] {
  const visit = (command: Command): ManPage[] => {
    const verbs = command.commands.filter((each) => !isHidden(each));
    return [pageOf(command, verbs, date), ...verbs.flatMap(visit)];
  };
  return visit(program);
}

const nameOf = (command: Command): string => fullName(command).replaceAll(" ", "-");

function pageOf(command: Command, verbs: readonly Command[], date: string): ManPage {
  const name = nameOf(command);
  const itself = command.commands.find(isHidden) ?? command;
  const options = command.parent === null ? command.options : ownOptions(itself);
  const helper = command.createHelp();
  const [notes = "", examples = ""] = `\n${textAfter(itself)}`.split("\nExamples:\n");
  const lines = [
    `.Dd ${date}`,
    `.Dt ${name.toUpperCase()} 1`,
    ".Os",
    ".Sh NAME",
    `.Nm ${name}`,
    `.Nd ${escaped(nameLine(command))}`,
    ".Sh SYNOPSIS",
    `.Nm ${fullName(command)}`,
    ...synopsis(itself, verbs, options.length > 0),
    ".Sh DESCRIPTION",
    ...paragraph(itself.description()),
    ...(notes.trim() === "" ? [] : literal(notes.trim())),
    ...list(
      "COMMANDS",
      verbs.map((each) => [`.It Cm ${each.name()}`, each.description()]),
    ),
    ...list(
      "OPTIONS",
      options.map((each) => [`.It Fl ${optionTerm(each.flags)}`, helper.optionDescription(each)]),
    ),
    ...(command.parent === null ? forAllCommands() : exitStatus()),
    ...(examples.trim() === ""
      ? []
      : [".Sh EXAMPLES", ...literal(outdented(examples.split("\n\n")[0] ?? ""))]),
    ".Sh SEE ALSO",
    ...seeAlso(command, verbs),
  ];
  return { file: `${name}.1`, text: `${lines.join("\n")}\n` };
}

/** What an exit code means is the same for every command: the page of the program lists it. */
const exitStatus = (): string[] => [
  ".Sh EXIT STATUS",
  ...paragraph(`0 if all went well, and ${failures} for failures.`),
  "See",
  ".Xr deckhand 1",
  "for the meaning of each.",
];

const failures = exitMeanings
  .filter(([code]) => code !== 0)
  .map(([code]) => code)
  .join(", ")
  .replace(/, (\d+)$/, " or $1");

/** What the page of the program says once for all. */
const forAllCommands = (): string[] => [
  ...list(
    "ENVIRONMENT",
    variables().map(([name, about]) => [`.It Ev ${name.replaceAll(", ", " , Ev ")}`, about]),
  ),
  ...list(
    "EXIT STATUS",
    exitMeanings.map(([code, about]) => [`.It ${code}`, about]),
  ),
];

function nameLine(command: Command): string {
  const text = command.description().replace(/\s+/g, " ");
  const first = /^.*?(?=[.;:] |[.;:]?$)/s.exec(text)?.[0] ?? text;
  return first.charAt(0).toLowerCase() + first.slice(1);
}

function synopsis(command: Command, verbs: readonly Command[], hasOptions: boolean): string[] {
  if (verbs.length > 0 && command.commands.length > 0) return [".Ar command", ".Op Ar options"];
  const words = argumentsOf(command).map((word) => {
    const name = word.replace(/^[[<]|[\]>]$/g, "");
    return word.startsWith("[") ? `.Op Ar ${name}` : `.Ar ${name}`;
  });
  return [...(hasOptions ? [".Op Ar options"] : []), ...words];
}

/** `-o, --output <format>` as mdoc has it: `o , -output Ar <format>`. */
function optionTerm(flags: string): string {
  const [, names = "", value] = /^([^<[]*?)(?:\s([<[].*))?$/.exec(flags) ?? [];
  const list = names.split(", ").map((each) => each.trim().replace(/^-/, ""));
  const shown = list.join(" , Fl ");
  return value === undefined ? shown : `${shown} Ar ${escaped(value.replace(/[<>[\]]/g, ""))}`;
}

function list(title: string, items: readonly (readonly [string, string])[]): string[] {
  if (items.length === 0) return [];
  return [
    `.Sh ${title}`,
    ".Bl -tag -width Ds",
    ...items.flatMap(([term, about]) => [term, ...paragraph(about)]),
    ".El",
  ];
}

function seeAlso(command: Command, verbs: readonly Command[]): string[] {
  const related = [...(command.parent === null ? [] : [command.parent]), ...verbs].map(nameOf);
  if (related.length === 0) related.push("deckhand");
  const sorted = [...new Set(related)].sort();
  const pages = sorted.map((name, index) => `.Xr ${name} 1${index < sorted.length - 1 ? " ," : ""}`);
  return command.parent === null ? [...pages, ".Pp", "Guides:", `.Lk ${documentation}`] : pages;
}

/** Text in lines of at most 78 bytes; sentences begin on a new line, as mdoc wants it. */
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

const literal = (text: string): string[] => [
  ".Bd -literal",
  ...text.split("\n").map((line) => escaped(line) || "\\&"),
  ".Ed",
];

const outdented = (text: string): string => text.replace(/^ {2}/gm, "").trimEnd();

/** Backslashes, and a dot or an apostrophe at the start of a line, mean something to mdoc. */
const escaped = (text: string): string =>
  text
    .replaceAll("\\", "\\e")
    .replace(/^([.'])/, "\\&$1")
    .replace(
      /[^\u0020-\u007e]/g,
      (character) => `\\[u${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`,
    );
