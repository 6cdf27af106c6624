import { type Command, CommanderError } from "commander";
import { UsageError } from "../../errors.ts";
import { nearest } from "../../nearest.ts";
import { documentation, version } from "../../version.ts";
import { findNoun } from "../find.ts";
import { helpTopics } from "../topics.ts";
import { commandTree, groups } from "../tree.ts";
import { usageErrorOf } from "../usage.ts";
import { fullName, helpText, isHidden, listOf, wrapped } from "./text.ts";

/** The help of the program or of a noun, printed where no command was named. */
export function groupHelp(command: Command, width: number): string {
  if (command.parent !== null) return helpText(command, width);
  return command.getOptionValue("version") === true ? `${version}\n` : programHelp(command, width);
}

/**
 * Parses what was typed where a command was to be named.
 *
 * @param help whether help is asked for
 * @throws UsageError for everything but global options
 */
export function refuseUnknown(command: Command, words: readonly string[], help: boolean): void {
  // A word after `--` is no command; commander hands it to one all the same.
  for (const each of command.commands) each.exitOverride().configureOutput({ writeErr: () => {} });
  try {
    command.parse(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === "commander.unknownCommand") throw unknownCommand(command, help);
    // Without a command, commander shows its help.
    if (error.code !== "commander.help") throw usageErrorOf(error, command);
  }
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

function unknownCommand(command: Command, help: boolean): UsageError {
  const [word = ""] = command.args;
  const names = command.commands.filter((each) => !isHidden(each)).map((each) => each.name());
  const isProgram = command.parent === null;
  const meant = meantCommands(word, isProgram ? undefined : command.name(), names);
  const topic = help && isProgram ? nearest(word, Object.keys(helpTopics)) : undefined;
  const shown = meant.length === 0 && topic !== undefined ? [`help ${topic}`] : meant;
  const list = shown.map((each) => `"deckhand ${each}"`).join(" or ");
  return new UsageError(`unknown command ${JSON.stringify(word)}`, {
    hint: list === "" ? `see "${fullName(command)} --help"` : `did you mean ${list}?`,
  });
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
