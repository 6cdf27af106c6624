import type { Command } from "commander";
import { UsageError } from "../../errors.ts";
import { nearest } from "../../nearest.ts";
import { documentation, version } from "../../version.ts";
import { findNoun, splitLine } from "../find.ts";
import { globalNames, globalsWithValue } from "../options.ts";
import { helpTopics } from "../topics.ts";
import { commandTree, groups } from "../tree.ts";
import { fullName, helpText, isHidden, listOf, wrapped } from "./text.ts";

interface WordsAround {
  readonly before: readonly string[];
  readonly rest: readonly string[];
}

const asksForHelp = (words: readonly string[]) => words.includes("--help") || words.includes("-h");

/**
 * The help of the program or of a noun, printed where no command was named.
 *
 * @param word what was typed as the command; undefined for nothing
 * @throws UsageError for an unknown command, and for unknown options
 */
export function groupHelp(
  command: Command,
  word: string | undefined,
  { before, rest }: WordsAround,
  width: number,
): string {
  const help = asksForHelp(rest);
  if (word !== undefined) throw unknownCommand(word, command, { before, rest });
  const unknown = optionsOf(rest).find((each) => !["-h", "--help", "-V", "--version"].includes(each));
  if (unknown !== undefined && !help) throw unknownOption(unknown, command);
  const last = rest.at(-1) ?? "";
  if (globalsWithValue.has(last) && !help)
    throw new UsageError(`option ${JSON.stringify(last)} argument missing`, { hint: seeHelp(command) });
  if (command.parent !== null) return helpText(command, width);
  return !help && (rest.includes("--version") || rest.includes("-V"))
    ? `${version}\n`
    : programHelp(command, width);
}

/** The first screen: at most 40 lines of 80 columns. */
function programHelp(command: Command, width: number): string {
  const nouns = Object.entries(commandTree);
  const widest = Math.max(...nouns.map(([name]) => name.length));
  const line = ([name, { about }]: (typeof nouns)[number]) => [name.padEnd(widest), about] as const;
  const topics = Object.keys(helpTopics).join(", ");
  const section = (group: (typeof groups)[number]) => {
    const own = nouns.filter(([, entry]) => entry.group === group);
    // The last group is for the few who look for it.
    if (group === "Tools") return `${group}:\n  ${wrapped(own.map(([name]) => name).join(", "), width - 2)}`;
    return listOf(`${group}:`, own.map(line), width);
  };
  return [
    wrapped(command.description(), width),
    "Usage: deckhand <command> [options]",
    groups.map(section).join("\n"),
    `Examples:
  deckhand demo
  deckhand add "Capital of Norway?" Oslo --deck Geography --create-deck`,
    wrapped(`"deckhand help <command>" shows a command, "deckhand help <topic>" a topic: ${topics}.`, width),
    wrapped(`Guides: ${documentation}`, width),
  ]
    .map((part) => `${part}\n`)
    .join("\n");
}

function unknownCommand(word: string, command: Command, { before, rest }: WordsAround): UsageError {
  // The value of a mistyped option looks like a command.
  const mistyped = optionsOf(before).find((option) => nearestOption(option, command) !== undefined);
  if (mistyped !== undefined) return unknownOption(mistyped, command);
  const names = command.commands.filter((each) => !isHidden(each)).map((each) => each.name());
  const isProgram = command.parent === null;
  const meant = meantCommands(word, isProgram ? undefined : command.name(), names);
  const topic = asksForHelp(rest) && isProgram ? nearest(word, Object.keys(helpTopics)) : undefined;
  const shown = meant.length === 0 && topic !== undefined ? [`help ${topic}`] : meant;
  return new UsageError(`unknown command ${JSON.stringify(word)}`, {
    hint: shown.length === 0 ? seeHelp(command) : didYouMean(shown),
  });
}

const didYouMean = (commands: readonly string[]) =>
  `did you mean ${commands.map((each) => `"deckhand ${each}"`).join(" or ")}?`;

const seeHelp = (command: Command) => `see "${fullName(command)} --help"`;

/** The words that are options, without global options and their values. */
const optionsOf = (words: readonly string[]): string[] =>
  [...splitLine(words)]
    .filter(({ options }) => options.some((each) => !globalNames.has(each)))
    .map(({ text }) => text);

function unknownOption(option: string, command: Command): UsageError {
  const near = nearestOption(option, command);
  // The value may be a key.
  const name = option.replace(/^(--?[\w-]+)=.*$/s, "$1");
  return new UsageError(`unknown option ${JSON.stringify(name)}`, {
    hint: near ? `did you mean ${near}?` : seeHelp(command),
  });
}

/** The global option that was probably meant. */
function nearestOption(option: string, command: Command): string | undefined {
  const [name = ""] = option.split("=");
  const own = command.parent === null ? ["--help", "--version"] : ["--help"];
  const long = [...globalNames].filter((each) => each.startsWith("--"));
  return name.startsWith("--") ? nearest(name, [...long, ...own]) : undefined;
}

/** Verbs that mean the same, of other programs and of other nouns. */
const synonyms = [
  "get show view",
  "create new add",
  "update rename set",
  "delete remove rm del",
  "search find",
];
const alike = (word: string): readonly string[] =>
  synonyms.map((words) => words.split(" ")).find((words) => words.includes(word)) ?? [word];

/**
 * The commands that were probably meant, at most two, as they are typed after `deckhand`.
 *
 * @param noun the noun that the word follows; undefined for the first word
 * @param names the commands that could be here
 */
function meantCommands(word: string, noun: string | undefined, names: readonly string[]): readonly string[] {
  const same = alike(word);
  if (noun === undefined) {
    const verbs = same.flatMap(withVerb).slice(0, 2);
    const near = nearest(word, names);
    return verbs.length > 0 || near === undefined ? verbs : [near];
  }
  const near = same.find((each) => names.includes(each)) ?? nearest(word, names);
  if (near !== undefined) return [`${noun} ${near}`];
  // `cards review`, `decks export`.
  return same.length === 1 && findNoun(word) !== undefined && word !== noun ? [word] : [];
}

/** The commands with this verb: those of cards and decks first. */
function withVerb(verb: string): string[] {
  const nouns = [...new Set(["cards", "decks", ...Object.keys(commandTree)])].filter((noun) => {
    const { verbs = {} } = commandTree[noun] ?? {};
    return Object.hasOwn(verbs, verb) && verbs[verb]?.hidden !== true;
  });
  return nouns.map((noun) => `${noun} ${verb}`);
}
