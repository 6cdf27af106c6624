import { existsSync } from "node:fs";
import type { Command, CommanderError } from "commander";
import { UsageError } from "../errors.ts";
import { fullName } from "./help/text.ts";
import { globalsWithValue } from "./options.ts";

/** What other programs call our options. */
const otherPrograms: Readonly<Record<string, string>> = {
  "--json": "use --output json; --columns a,b chooses fields",
  "--format": "use --output <format>",
  "--fields": "use --columns a,b,c",
  "--force": "use --yes to confirm",
  "--header": "-o csv has a header, tsv has none",
  "--no-header": "-o tsv has no header",
  "--no-headers": "-o tsv has no header",
};

/** Options by which `cards list` chooses cards; verbs that take ids get them through a pipe. */
const choosing = new Set(["--tag", "--deck", "--deck-id", "--recursive", "--state", "--all"]);

/** Arguments that are text, which may begin with a dash; others are names, ids and paths. */
const freeText: ReadonlySet<string> = new Set(["front", "back", "query", "name", "value", "command"]);

/** Commander's error as one of ours, with what to write instead. @param rest the words after the command */
export function usageErrorOf(error: CommanderError, command: Command, rest: readonly string[]): UsageError {
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
  const [, meant] = suggestion ?? [];
  const hint = foreignHint(error, command, message, rest, meant !== undefined);
  if (hint !== undefined) return new UsageError(message, { hint });
  const see = `see "${fullName(command)} --help"`;
  const mayBeText =
    error.code === "commander.unknownOption" &&
    command.registeredArguments.some((each) => freeText.has(each.name()));
  const otherwise = mayBeText ? `put -- before an argument that begins with a dash; ${see}` : see;
  const isOther = meant !== undefined && !message.includes(`"${meant}"`);
  return new UsageError(message, { hint: isOther ? `did you mean ${meant}?` : otherwise });
}

/** The message without the value of an unknown option, which may be a key: `--key=…`. */
function withoutValue(message: string, command: Command): string {
  const option = /^unknown option "(--?[\w-]+)=/.exec(message)?.[1];
  if (option === undefined) return message;
  const known = command.options.some(({ long, short }) => long === option || short === option);
  return known ? `option "${option}" takes no value` : `unknown option "${option}"`;
}

/** What to write for arguments that are too many. @param rest the words after the command */
function tooManyWords(command: Command, rest: readonly string[]): string | undefined {
  const { registeredArguments, args } = command;
  if (rest.includes("-q")) return "-q is --quiet; --jq <filter> filters the result";
  const [first = ""] = args;
  if (registeredArguments.length === 0) {
    // `-n2` is read as `-n -2`.
    const number = /^-?(\d+)$/.exec(first)?.[1];
    if (number !== undefined && hasOption(command, "--limit"))
      return `did you mean --limit ${number}?${rest.some((word) => /^-n\d*$/.test(word)) ? " -n is --dry-run" : ""}`;
    if (!hasOption(command, "--deck")) return undefined;
    return `a deck is chosen with --deck ${/^[\w/-]+$/.test(first) ? first : JSON.stringify(first)}`;
  }
  // Words may have lost their quotes; several files, though, are no name of one.
  const names = registeredArguments.map((each) => each.name());
  if (names.some((name) => freeText.has(name)))
    return 'put quotes around words that belong together: "Capital of Norway?"';
  if (names.some((name) => /^deck\b/.test(name)))
    return "one deck at a time; put quotes around a name with spaces";
  const words = args.join(" ");
  return existsSync(words) ? `put quotes around the name: ${JSON.stringify(words)}` : undefined;
}

const hasOption = (command: Command, name: string): boolean =>
  command.options.some(({ long }) => long === name);

/**
 * What to write for an option that other programs, or other commands of ours, have.
 *
 * @param isNear whether the command has an option that is spelt nearly so
 */
function foreignHint(
  { code }: CommanderError,
  command: Command,
  message: string,
  rest: readonly string[],
  isNear: boolean,
): string | undefined {
  if (code === "commander.optionMissingArgument" && message.includes("--tag "))
    return "in most shells an unquoted # begins a comment: quote it ('#flags') or leave it out (flags)";
  if (code === "commander.excessArguments") return tooManyWords(command, rest);
  const [, state] = /^option "--state <state>" argument "(new|due|leech)"/.exec(message) ?? [];
  if (state !== undefined) return `a search finds them: deckhand cards search is:${state}`;
  const option = /^unknown option "(--[\w-]+)/.exec(message)?.[1] ?? "";
  if (/^--(?:picture|image|img|media|audio|sound)$/.test(option) && hasOption(command, "--attach"))
    return "did you mean --attach?";
  const letter = /^unknown option "-(\w)"/.exec(message)?.[1];
  const long = command.options.flatMap(({ long }) =>
    long !== undefined && long[2] === letter && !globalsWithValue.has(long) ? [long] : [],
  );
  if (long.length > 0) return `did you mean ${long.join(" or ")}?`;
  if (choosing.has(option) && command.registeredArguments[0]?.name() === "card")
    return `choose the cards with a list: deckhand cards list ${option} ... -o id | ${fullName(command)} -`;
  const isOfCreate = option !== "" && !isNear && otherPrograms[option] === undefined;
  if (isOfCreate && fullName(command) === "deckhand add")
    return `"deckhand cards create" has more options; put -- before a side that begins with a dash`;
  return otherPrograms[option];
}
