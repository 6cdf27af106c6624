import type { Command, CommanderError } from "commander";
import { UsageError } from "../errors.ts";
import { nearest } from "../nearest.ts";
import { fullName } from "./help/text.ts";

/** Arguments that are text, which may begin with a dash; others are names, ids and paths. */
const freeText: ReadonlySet<string> = new Set(["front", "back", "query", "name", "value", "command"]);

/** Commander's error as one of ours, with what to write instead. */
export function usageErrorOf(error: CommanderError, command: Command): UsageError {
  const suggestion = /\n\(Did you mean (.*)\?\)$/.exec(error.message);
  const message = withoutValue(
    error.message
      .slice(0, suggestion?.index)
      .replace(/^error: (?:command-argument value )?/, "")
      // Commander's quotes, not an apostrophe in what it quotes.
      .replace(/(?<!\S)'|'(?![^\s.])/g, '"')
      .replaceAll("\n", "\\n")
      .replace(/\.$/, ""),
    command,
  );
  // Commander compares an option with its value.
  const [, option] = /^unknown option "(--[\w-]+)"$/.exec(message) ?? [];
  const options = () => command.options.map(({ long }) => long ?? "");
  const meant = suggestion?.[1] ?? (option && nearest(option, options()));
  const isOther = meant !== undefined && !message.includes(`"${meant}"`);
  return new UsageError(message, { hint: isOther ? `did you mean ${meant}?` : hintFor(error, command) });
}

/** What to write instead, where that is likely; else where to look. */
function hintFor({ code, message }: CommanderError, command: Command): string {
  if (/unknown option '--json\b/.test(message)) return "use --output json; --columns a,b chooses fields";
  const see = `see "${fullName(command)} --help"`;
  const names = command.registeredArguments.map((each) => each.name());
  const takesText = names.some((name) => freeText.has(name));
  if (code === "commander.unknownOption" && takesText)
    return `put -- before an argument that begins with a dash; ${see}`;
  if (code !== "commander.excessArguments") return see;
  if (takesText || names.some((name) => /^deck\b/.test(name)))
    return 'put quotes around words that belong together: "Capital of Norway?"';
  const takesDeck = names.length === 0 && command.options.some(({ long }) => long === "--deck");
  const [first = ""] = command.args;
  return takesDeck
    ? `a deck is chosen with --deck ${/^[\w/-]+$/.test(first) ? first : JSON.stringify(first)}`
    : see;
}

/** The message without the value of an unknown option, which may be a key: `--key=…`. */
function withoutValue(message: string, command: Command): string {
  const option = /^unknown option "(--?[\w-]+)=/.exec(message)?.[1];
  if (option === undefined) return message;
  const known = command.options.some(({ long, short }) => long === option || short === option);
  return known ? `option "${option}" takes no value` : `unknown option "${option}"`;
}
