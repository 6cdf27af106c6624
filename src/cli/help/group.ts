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
  const meant = meantCommands(word, isProgram ? undefined : command.name(), names, rest);
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

/** What people type for a verb of ours, by the words of other programs. */
const synonyms: Readonly<Record<string, string>> = {
  show: "get",
  view: "get",
  new: "create",
  add: "create",
  rename: "update",
  set: "update",
  remove: "delete",
  rm: "delete",
  del: "delete",
  find: "search",
  ls: "list",
};

/** The commands that a word means which is no command of its noun, as they are typed after `deckhand`. */
const elsewhere: Readonly<Record<string, readonly string[]>> = {
  search: ["cards search <query>"],
  show: ["cards get <card>", "decks get <deck>"],
  view: ["cards get <card>", "decks get <deck>"],
  undo: ["due undo", "cards restore <card>", "import undo"],
  new: ["add", "decks create <name>"],
  create: ["add", "decks create <name>"],
  delete: ["cards trash <card>", "cards delete <card>"],
  remove: ["cards trash <card>", "cards delete <card>"],
  rm: ["cards trash <card>", "cards delete <card>"],
  rename: ["decks update <deck> --name <name>", "tags rename"],
  study: ["review"],
  practice: ["review --practice"],
  status: ["auth status", "doctor"],
  // Words of Anki. What is skipped in a review comes back as what is buried there.
  suspend: ["cards archive <card>"],
  unsuspend: ["cards unarchive <card>"],
  bury: ["review", "cards archive <card>"],
  flag: ["cards update <card> --add-tag <tag>"],
  "cards suspend": ["cards archive <card>"],
  "cards bury": ["cards archive <card>"],
  "cards flag": ["cards update <card> --add-tag <tag>"],
  "decks suspend": ["decks archive <deck>"],
  "cards tag": ["cards update <card> --add-tag <tag>"],
  "decks move": ["decks update <deck> --parent <deck>"],
  "decks rename": ["decks update <deck> --name <name>"],
  "tags add": ["cards update <card> --add-tag <tag>"],
  "tags delete": ["tags remove <tag>"],
  "trash restore": ["cards restore <card>", "decks restore <deck>"],
  "attach delete": ["attach remove <card> <file-name>"],
  "attach download": ["attach get <card> <file-name>"],
};

/**
 * The commands that were probably meant, at most two, as they are typed after `deckhand`.
 *
 * @param noun the noun that the word follows; undefined for the first word
 * @param names the commands that could be here
 * @param rest the words after it
 */
function meantCommands(
  word: string,
  noun: string | undefined,
  names: readonly string[],
  rest: readonly string[],
): readonly string[] {
  if (noun === undefined && word === "restore" && rest.some((each) => /\.tar$/i.test(each)))
    return ["backup restore <file>"];
  const known = own(elsewhere, noun === undefined ? word : `${noun} ${word}`);
  if (known !== undefined) return known;
  const synonym = own(synonyms, word) ?? word;
  if (noun === undefined) {
    const verbs = withVerb(word);
    if (verbs.length > 0) return verbs;
  }
  const near = names.includes(synonym) ? synonym : nearest(word, names);
  if (near !== undefined) return [noun === undefined ? near : `${noun} ${near}`];
  // `cards review`, `decks export`.
  if (noun !== undefined) return findNoun(word) === undefined || word === noun ? [] : [word];
  return withVerb(synonym).slice(0, 2);
}

/** The value of a word that somebody typed, which may be `constructor`. */
const own = <T>(table: Readonly<Record<string, T>>, word: string): T | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined;

/** The commands with this verb: those of cards and decks first. */
function withVerb(verb: string): string[] {
  const nouns = [...new Set(["cards", "decks", ...Object.keys(commandTree)])].filter((noun) => {
    const entry = own(commandTree[noun]?.verbs ?? {}, verb);
    return entry !== undefined && entry.hidden !== true;
  });
  return nouns.slice(0, 2).map((noun) => `${noun} ${verb}`);
}
