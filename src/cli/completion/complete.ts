import type { Argument, Command, Option } from "commander";
import { findCommand, findNoun, findVerb, type Invocation, nameOf, splitLine } from "../find.ts";
import { isHidden } from "../help/text.ts";
import { commandNamed } from "../program.ts";
import { commandTree } from "../tree.ts";
import type { Candidate } from "./cached-names.ts";
import { type Offer, valuesFor } from "./values.ts";

/**
 * `deckhand __complete <word>...`, which the completion scripts run: prints what the last word may be, one candidate a
 * line with its meaning after a tab, or a line `:files` where the shell is to complete file names. Whatever fails, it
 * prints nothing: a completion must not disturb the line that is typed.
 */
export async function printCompletions(
  words: readonly string[],
  write: (text: string) => void,
): Promise<void> {
  const offer = await completions(words).catch((): Offer => []);
  if (offer === "files") write(":files\n");
  else write(offer.map(({ word, about }) => `${word}\t${about}\n`).join(""));
}

/** What the last of the words may be, as far as it is typed. */
export async function completions(words: readonly string[]): Promise<Offer> {
  const typed = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const offer = await (before.find((word) => !word.startsWith("-")) === "help"
    ? helpWords(before.filter((word) => word !== "help"))
    : offerAfter(before, typed));
  return offer === "files" ? offer : offer.filter(({ word }) => word.startsWith(typed));
}

async function offerAfter(before: readonly string[], typed: string): Promise<Offer> {
  const invocation = findCommand(before);
  const noun = invocation.noun === undefined ? undefined : findNoun(invocation.noun);
  // An unknown command has nothing to complete.
  if (invocation.noun !== undefined && noun === undefined) return [];
  const command = await commandNamed(invocation);
  const position = positionIn(invocation.rest, command);
  const values = valuesIn(invocation, position);
  if (position.option !== undefined) return values(position.option);
  if (!position.ended && typed.startsWith("-")) {
    const inside = valueInside(typed, command);
    if (inside === undefined) return optionWords(command);
    return prefixed(values(inside.option), inside.lead);
  }
  const verbs =
    command.parent === null || position.arguments.length === 0 ? verbWords(invocation, command) : [];
  const argument = argumentAt(command, position.arguments.length);
  const own = argument === undefined || command.commands.length > 0 ? [] : values(argument);
  if (own !== "files") {
    const isOne = [...verbs, ...own].some(({ word }) => word.startsWith(typed));
    return !isOne && argument?.name() === "deck|folder" ? "files" : [...verbs, ...own];
  }
  // A shell completes files or words. What begins like a verb is most likely one: `sync sta`.
  return typed !== "" && verbs.some(({ word }) => word.startsWith(typed)) ? verbs : own;
}

interface Position {
  /** The option whose value comes next. */
  readonly option: Option | undefined;
  readonly arguments: readonly string[];
  /** Whether `--` was typed: no options follow. */
  readonly ended: boolean;
  readonly profile: string | undefined;
}

/** Where the words have led, by the options that commander knows. */
function positionIn(words: readonly string[], command: Command): Position {
  const options = (name: string) => optionNamed(name, command);
  const parsed = [...splitLine(words, (name) => takesValue(options(name)))];
  const last = parsed.at(-1);
  const open = last?.apart === true && last.value === undefined ? last.options.at(-1) : undefined;
  return {
    option: open === undefined ? undefined : options(open),
    arguments: parsed.flatMap((word) => (word.options.length === 0 ? [word.text] : [])),
    ended: words.includes("--"),
    profile: parsed.findLast((word) => word.options.includes("--profile"))?.value,
  };
}

/** Completes the value of an option or an argument of this command. */
function valuesIn({ noun, verb }: Invocation, position: Position) {
  const path = canonicalPath(noun, verb);
  return (what: Option | Argument): Offer =>
    valuesFor({
      placeholder: placeholderOf(what),
      choices: what.argChoices,
      option: "long" in what ? (what.long ?? what.short) : undefined,
      path,
      before: position.arguments,
      profile: position.profile,
    });
}

const placeholderOf = (what: Option | Argument): string =>
  "flags" in what ? (/[<[](.+?)[>\]]/.exec(what.flags)?.[1] ?? "").replace(/\.\.\.$/, "") : what.name();

/** The names that the words stand for. */
function canonicalPath(noun: string | undefined, verb: string | undefined): string {
  const entry = noun === undefined ? undefined : findNoun(noun);
  if (entry === undefined) return "";
  const found = verb === undefined ? undefined : findVerb(entry, verb);
  const names = [nameOf(commandTree, entry), found === undefined ? "" : nameOf(entry.verbs ?? {}, found)];
  return names.filter((name) => name !== "").join(" ");
}

const takesValue = (option: Option | undefined): boolean => option?.required || option?.optional || false;

function optionNamed(word: string, command: Command): Option | undefined {
  return command.options.find(({ short, long }) => short === word || long === word);
}

/** The option whose value is in the same word: `--deck=x`, `-dx`. */
function valueInside(typed: string, command: Command): { option: Option; lead: string } | undefined {
  const lead = typed.startsWith("--") ? (/^--[^=]+=/.exec(typed)?.[0] ?? "") : typed.slice(0, 2);
  if (lead === "" || lead === typed.slice(0, 1) || (typed.length <= 2 && !typed.startsWith("--")))
    return undefined;
  const option = optionNamed(lead.replace(/=$/, ""), command);
  return option !== undefined && takesValue(option) ? { option, lead } : undefined;
}

const prefixed = (offer: Offer, lead: string): Offer =>
  offer === "files" ? offer : offer.map(({ word, about }) => ({ word: lead + word, about }));

function optionWords(command: Command): Candidate[] {
  const own = command.options.filter(({ hidden }) => !hidden);
  return [...own, command.createOption("-h, --help", "show this help")].flatMap(
    ({ short, long, description }) =>
      [short, long].filter((name) => name != null).map((word) => ({ word, about: description })),
  );
}

/** The commands that may come next: nouns, or the verbs of a noun that is not followed by one. */
function verbWords({ noun, verb }: Invocation, command: Command): Candidate[] {
  if (command.commands.length > 0) {
    const own = command.commands.filter((each) => !isHidden(each));
    const about = "Show the help of a command, or a topic";
    const help = command.parent === null ? [{ word: "help", about }] : [];
    return [...own.map((each) => ({ word: each.name(), about: each.description() })), ...help];
  }
  const entry = noun === undefined ? undefined : findNoun(noun);
  if (entry?.defaultVerb === undefined || verb !== entry.defaultVerb) return [];
  return Object.entries(entry.verbs ?? {}).flatMap(([word, { about, hidden }]) =>
    hidden ? [] : [{ word, about }],
  );
}

function argumentAt(command: Command, index: number): Argument | undefined {
  const last = command.registeredArguments.at(-1);
  return command.registeredArguments[index] ?? (last?.variadic ? last : undefined);
}

/** What may follow `help`: nouns and topics, then the verbs of a noun. */
async function helpWords(before: readonly string[]): Promise<Candidate[]> {
  const [noun, ...others] = before.filter((word) => !word.startsWith("-"));
  const about = (table: Readonly<Record<string, { readonly about: string; readonly hidden?: boolean }>>) =>
    Object.entries(table).flatMap(([word, entry]) => (entry.hidden ? [] : [{ word, about: entry.about }]));
  if (noun !== undefined) return others.length > 0 ? [] : about(findNoun(noun)?.verbs ?? {});
  const { helpTopics } = await import("../topics.ts");
  return [...about(commandTree), ...about(helpTopics)];
}
