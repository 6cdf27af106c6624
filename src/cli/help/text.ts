import type { EventEmitter } from "node:events";
import { type Command, Help } from "commander";
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

/**
 * The help of a noun or a verb: usage, what it does, its verbs, arguments, examples and own options. Global options are
 * in a topic (docs/design/cli.md, Help).
 */
export function helpText(command: Command, width: number): string {
  const own = ownOptions(command);
  const helper = command.createHelp();
  const verbs = command.commands.filter((each) => !isHidden(each));
  const options = verbs.length > 0 ? ["<verb>", "[options]"] : own.length > 0 ? ["[options]"] : [];
  const described = command.registeredArguments.filter(({ description }) => description !== "");
  return [
    ["Usage:", fullName(command), ...options, ...argumentsOf(command)].join(" "),
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
    textAfter(command),
    listOf(
      "Options:",
      own.map((each) => [helper.optionTerm(each), helper.optionDescription(each)]),
      width,
    ),
    wrapped('"deckhand help options" lists the options of every command.', width),
  ]
    .filter((part) => part !== "")
    .map((part) => `${part}\n`)
    .join("\n");
}

/** The options of a command besides those of every command. */
export const ownOptions = (command: Command) =>
  command.options.filter((option) => !option.hidden && option.helpGroupHeading !== globalOptionsGroup);

/** The arguments as a usage line has them. */
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

/** A title, and below it terms with their meanings beside them; nothing without items. */
export function listOf(title: string, items: readonly (readonly [string, string])[], width: number): string {
  if (items.length === 0) return "";
  const helper = helpOf(width);
  const widest = Math.max(...items.map(([term]) => term.length));
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
