import type { EventEmitter } from "node:events";
import { type Command, Help } from "commander";
import { findNoun } from "../find.ts";
import { globalOptionsGroup } from "../options.ts";

/** Wider lines are hard to read. */
export const widestHelp = 94;

/** A command as it is typed: `deckhand cards list`. */
export function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();
}

/** Whether help and completion leave a command out. Commander can set that, but does not return it. */
export const isHidden = (command: Command): boolean =>
  (command as Command & { _hidden?: boolean })._hidden === true;

/** Titles, `Usage:`, and lines that introduce those below them, in bold. */
export const withBoldHeadings = (text: string): string =>
  text.replace(/^(?:Usage:|\S.*:$)/gm, "\u001b[1m$&\u001b[22m");

/** Options that few need: help names them with --all, as the man page and the reference do. */
const rare: ReadonlySet<string | undefined> = new Set(
  `--bookmark --cards-view --deck-id --fail-fast --field-file --include --pos --raw-field --show-sides --no-show-sides
   --sort-by --sort-by-direction --no-sort-by-direction --template-id --trashed`.split(/\s+/),
);

/**
 * The help of a noun or a verb: usage, what it does, its verbs, arguments, examples and own options. Global options are
 * in a topic (docs/design/cli.md, Help).
 *
 * @param all whether options that few need are there, too
 */
export function helpText(command: Command, width: number, all = false): string {
  const own = ownOptions(command);
  const listed = own.filter(({ long }) => all || !rare.has(long));
  const left = own.length - listed.length;
  const helper = command.createHelp();
  const verbs = command.commands.filter((each) => !isHidden(each));
  const options = verbs.length > 0 ? ["<verb>", "[options]"] : own.length > 0 ? ["[options]"] : [];
  const described = command.registeredArguments.filter(({ description }) => description !== "");
  return [
    usageLine([fullName(command), ...options, ...argumentsOf(command)].join(" "), width),
    wrapped(command.description(), width),
    listOf(
      "Verbs:",
      verbs.map((each) => [each.name(), each.description()]),
      width,
    ),
    listOf(
      "Arguments:",
      described.map((each) => [each.name(), helper.argumentDescription(each)]),
      width,
    ),
    fitted(textAfter(command), width),
    listOf("Other commands:", otherVerbs(command), width),
    listOf(
      "Options:",
      listed.map((each) => [helper.optionTerm(each), helper.optionDescription(each)]),
      width,
    ),
    left === 0 ? "" : wrapped(`"${fullName(command)} --help --all" lists ${left} more.`, width),
    wrapped('"deckhand help options" lists the options of every command.', width),
  ]
    .filter((part) => part !== "")
    .map((part) => `${part}\n`)
    .join("\n");
}

/** Lines after the first begin below the command. */
function usageLine(usage: string, width: number): string {
  const title = "Usage: ";
  return (
    title + wrapped(usage, lineWidth(width) - title.length).replaceAll("\n", `\n${" ".repeat(title.length)}`)
  );
}

/** The options of a command besides those of every command. */
export const ownOptions = (command: Command) =>
  command.options.filter((option) => !option.hidden && option.helpGroupHeading !== globalOptionsGroup);

export const argumentsOf = (command: Command): string[] =>
  command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });

/** Notes and examples: what the command has added after its help. */
export function textAfter(command: Command): string {
  let text = "";
  const write = (more: string) => {
    text += more;
  };
  (command as Command & Pick<EventEmitter, "emit">).emit("afterHelp", { error: false, command, write });
  return text.replace(/^\n+/, "").trimEnd();
}

/** The other verbs of a noun whose help is that of its default verb. */
function otherVerbs(command: Command): (readonly [string, string])[] {
  const { defaultVerb, verbs = {} } = findNoun(command.name()) ?? {};
  if (defaultVerb === undefined || command.parent?.parent !== null || command.commands.length > 0) return [];
  const others = Object.entries(verbs).filter(([name, { hidden }]) => name !== defaultVerb && !hidden);
  return others.map(([name, { about }]) => [`${fullName(command)} ${name}`, about]);
}

/** Notes in lines that fit: a paragraph without indented lines is broken anew. Examples stay as they are. */
function fitted(text: string, width: number): string {
  const end = /^Examples:$/m.exec(text)?.index ?? text.length;
  const paragraphs = text.slice(0, end).trimEnd().split("\n\n");
  const lines = paragraphs.map((each) => (/^ /m.test(each) ? each : each.replaceAll("\n", " ")));
  const broken = lines
    .join("\n\n")
    .split("\n")
    .map((line) => {
      const indent = /^ */.exec(line)?.[0] ?? "";
      return wrapped(line.trimStart(), width - indent.length).replace(/^(?=.)/gm, indent);
    });
  return [broken.join("\n").trimEnd(), text.slice(end)].filter((part) => part !== "").join("\n\n");
}

/** Below this many columns a meaning is not beside its term but below it. */
const leastBeside = 20;

/** A title, and below it terms with their meanings beside them; nothing without items. */
export function listOf(title: string, items: readonly (readonly [string, string])[], width: number): string {
  if (items.length === 0) return "";
  const helper = helpOf(width);
  const widest = Math.max(...items.map(([term]) => term.length));
  if (lineWidth(width) - widest - 4 < leastBeside)
    return [
      title,
      ...items.flatMap(([term, about]) => [
        `  ${term}`,
        wrapped(about, width - 6).replace(/^(?=.)/gm, "      "),
      ]),
    ].join("\n");
  return [title, ...items.map(([term, about]) => helper.formatItem(term, widest, about, helper))].join("\n");
}

/** A text in lines that fit, broken between words. */
export const wrapped = (text: string, width: number): string => helpOf(width).boxWrap(text, lineWidth(width));

const lineWidth = (width: number) => Math.min(width, widestHelp);

function helpOf(width: number): Help {
  const help = new Help();
  // Below its default, commander leaves lines that the terminal would break inside words.
  help.minWidthToWrap = 12;
  help.prepareContext({ helpWidth: lineWidth(width) });
  return help;
}
