import { Command, CommanderError } from "commander";
import type { StartContext } from "../context/context.ts";
import { DeckhandError, UsageError } from "../errors.ts";
import { fullName } from "./help/names.ts";
import { addGlobalOptions, globalsWithValue } from "./options.ts";
import { type CommandTree, commandTree, type NounEntry, type VerbEntry } from "./tree.ts";

export interface Invocation {
  readonly noun: string | undefined;
  readonly verb: string | undefined;
  /** Everything else, in order: options before the noun come first. */
  readonly rest: readonly string[];
}

/**
 * Finds noun and verb in the arguments without parsing them, so that only the named command has to be loaded. A word
 * that is no verb of a noun with a default verb is that verb's argument (`deckhand due Spanish`).
 */
function findCommand(args: readonly string[], tree: CommandTree = commandTree): Invocation {
  const rest: string[] = [];
  let noun: string | undefined;
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index] as string;
    if (word === "--") {
      rest.push(...args.slice(index));
      break;
    }
    if (word.startsWith("-") && word !== "-") {
      rest.push(word);
      if (globalsWithValue.has(word) && index + 1 < args.length) {
        index += 1;
        rest.push(args[index] as string);
      }
      continue;
    }
    if (noun === undefined) {
      noun = word;
      const entry = findNoun(tree, word);
      if (entry === undefined || entry.verbs === undefined)
        return { noun, verb: undefined, rest: [...rest, ...args.slice(index + 1)] };
      continue;
    }
    const entry = findNoun(tree, noun);
    const isVerb = entry !== undefined && findVerb(entry, word) !== undefined;
    if (!isVerb && entry?.defaultVerb !== undefined)
      return { noun, verb: entry.defaultVerb, rest: [...rest, ...args.slice(index)] };
    return { noun, verb: word, rest: [...rest, ...args.slice(index + 1)] };
  }
  return { noun, verb: noun === undefined ? undefined : findNoun(tree, noun)?.defaultVerb, rest };
}

/** Where help goes. */
interface HelpOutput {
  readonly stdout: (text: string) => void;
  readonly width: number;
  /** Whether help takes colour. */
  colour(): boolean;
}

/** Parses the arguments and runs the command they name. Throws what the command throws, and UsageError. */
export async function runProgram(
  args: readonly string[],
  start: StartContext,
  io: HelpOutput,
): Promise<void> {
  if (args[0] === "help" && args[1] !== undefined && (await showTopic(args[1], io))) return;
  const asked = args[0] === "help" ? helpInvocation(args.slice(1)) : findCommand(args);
  // As git and kubectl have it: `deckhand cards help list`.
  const invocation = asked.verb === "help" ? helpInvocation([asked.noun as string, ...asked.rest]) : asked;
  const command = await commandFor(invocation, start);
  for (let each: Command | null = command; each !== null; each = each.parent) prepare(each, io);
  const { noun, verb, rest } = invocation;
  const named = command.parent === null || command.commands.length > 0;
  try {
    if (named) {
      const { showGroup } = await import("./help/group.ts");
      const word = command.parent === null && noun !== undefined ? noun : verb;
      const before = args.slice(0, Math.max(0, args.indexOf(word ?? "")));
      return showGroup(command, word, { before, rest }, io);
    }
    await command.parseAsync([...rest], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return translate(error, command);
    throw args.includes(verb ?? "") ? error : await meantAsVerb(error, invocation);
  }
}

/** The whole tree with every command loaded: for completions, the reference and tests. */
export async function wholeProgram(start: StartContext): Promise<Command> {
  const root = emptyRoot();
  for (const [name, entry] of Object.entries(commandTree)) {
    if (entry.verbs === undefined) {
      root.addCommand(await load(name, entry, start), { hidden: entry.hidden ?? false });
      continue;
    }
    const noun = stub(name, entry);
    for (const [verbName, verb] of Object.entries(entry.verbs))
      noun.addCommand(await load(verbName, verb, start), { hidden: verb.hidden ?? false });
    root.addCommand(noun, { hidden: entry.hidden ?? false });
  }
  return root;
}

/** Prints a help topic that is no command. @returns false if there is none of that name */
async function showTopic(name: string, io: HelpOutput): Promise<boolean> {
  const { helpTopics, widestHelp } = await import("./help/topics.ts");
  if (!Object.hasOwn(helpTopics, name)) return false;
  io.stdout(helpTopics[name]?.text(Math.min(io.width, widestHelp)) ?? "");
  return true;
}

function helpInvocation(args: readonly string[]): Invocation {
  const invocation = findCommand(args);
  const noun = invocation.noun === "help" ? undefined : invocation.noun;
  return { ...invocation, noun, rest: ["--help"] };
}

async function commandFor(invocation: Invocation, start: StartContext): Promise<Command> {
  const { noun: nounName, verb: verbName } = invocation;
  const entry = nounName === undefined ? undefined : findNoun(commandTree, nounName);
  if (entry === undefined) {
    const root = emptyRoot();
    for (const [name, each] of Object.entries(commandTree))
      root.addCommand(stub(name, each), { hidden: each.hidden ?? false });
    return root;
  }
  // Only its name is needed, for usage lines.
  const root = new Command("deckhand");
  const name = nameOf(commandTree, entry);
  if (entry.verbs === undefined) {
    const command = await load(name, entry, start);
    root.addCommand(command);
    return command;
  }
  const noun = stub(name, entry);
  const verb = verbName === undefined ? undefined : findVerb(entry, verbName);
  if (verb?.hidden) {
    // It has no name of its own: the noun alone means it.
    const command = (await load(name, verb, start)).name(name);
    root.addCommand(command.addHelpText("after", seeAlso(name, entry, verb)));
    return command;
  }
  root.addCommand(noun);
  if (verb === undefined) {
    for (const [each, verbEntry] of Object.entries(entry.verbs))
      noun.addCommand(stub(each, verbEntry), { hidden: verbEntry.hidden ?? false });
    return noun;
  }
  const command = await load(nameOf(entry.verbs, verb), verb, start);
  noun.addCommand(command);
  if (verb === entry.verbs[entry.defaultVerb ?? ""]) command.addHelpText("after", seeAlso(name, entry, verb));
  return command;
}

/** The other verbs of a noun that is a command by itself: the help of the noun is that of its default verb. */
function seeAlso(name: string, { verbs = {} }: NounEntry, verb: VerbEntry): string {
  const others = Object.entries(verbs).filter(([, each]) => each !== verb && !each.hidden);
  const width = Math.max(...others.map(([each]) => each.length));
  const lines = others.map(([each, { about }]) => `  deckhand ${name} ${each.padEnd(width)}  ${about}`);
  return lines.length === 0 ? "" : `\nSee also:\n${lines.join("\n")}`;
}

function emptyRoot(): Command {
  return addGlobalOptions(new Command("deckhand"))
    .description(
      "Cards, decks, templates, attachments and due reviews of a Flashcard Service, from the terminal.",
    )
    .option("-V, --version", "print the version")
    .addHelpText("after", "\nTopics: deckhand help exit-codes | environment | output | profiles | settings");
}

function stub(name: string, entry: NounEntry | VerbEntry): Command {
  return new Command(name).description(entry.about).helpOption("-h, --help", "show this help");
}

async function load(name: string, entry: VerbEntry, start: StartContext): Promise<Command> {
  if (entry.load === undefined) throw new Error(`command ${name} has nothing to load`);
  const build = await entry.load();
  const command = addGlobalOptions(build(start));
  if (command.description() === "") command.description(entry.about);
  return command;
}

/** Titles, `Usage:`, and lines that introduce those below them, in bold. */
const withBoldHeadings = (text: string): string =>
  text.replace(/^(?:Usage:|\S.*:$)/gm, "\u001b[1m$&\u001b[22m");

function prepare(command: Command, io: HelpOutput): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => io.stdout(io.colour() ? withBoldHeadings(text) : text),
    writeErr: () => {},
    getOutHelpWidth: () => io.width,
    getErrHelpWidth: () => io.width,
  });
  command.showSuggestionAfterError(true);
  // Below it commander leaves lines to be cut by the terminal, in the middle of words.
  command.configureHelp({ minWidthToWrap: 12 });
}

/** `deckhand due lsit` asks for a deck of that name, and most likely means the verb. */
async function meantAsVerb(error: unknown, { noun, verb, rest }: Invocation): Promise<unknown> {
  const entry = noun === undefined ? undefined : findNoun(commandTree, noun);
  const [word] = rest;
  if (entry?.defaultVerb === undefined || entry.defaultVerb !== verb || word === undefined) return error;
  // What the service did not find was no name.
  if (!(error instanceof DeckhandError) || error.code !== "not-found" || error.request !== undefined)
    return error;
  const { nearest } = await import("../nearest.ts");
  const near = nearest(word, Object.keys(entry.verbs ?? {}));
  if (near === undefined) return error;
  const hint = `did you mean "deckhand ${noun} ${near}"?`;
  return new DeckhandError(error.code, error.message, { ...error, cause: error.cause, hint });
}

/** Commander's complaint as our own two lines. Help and version that were asked for are no errors. */
function translate(error: CommanderError, command: Command): void {
  if (error.exitCode === 0) return;
  const suggestion = /\n\(Did you mean (.*)\?\)$/.exec(error.message);
  const message = error.message
    .slice(0, suggestion?.index)
    .replace(/^error: (?:command-argument value )?/, "")
    // Its own quotes, not an apostrophe in what it quotes.
    .replace(/(?<!\S)'|'(?![^\s.])/g, '"')
    .replaceAll("\n", "\\n")
    .replace(/\.$/, "");
  const see = `see "${fullName(command)} --help"`;
  // A card's first line may be a list's, or the rule between two sides.
  const mayBeText = error.code === "commander.unknownOption" && command.registeredArguments.length > 0;
  const hint = mayBeText ? `what begins with a dash and is no option stands behind --; ${see}` : see;
  throw new UsageError(message, { hint: suggestion ? `did you mean ${suggestion[1]}?` : hint });
}

function findNoun(tree: CommandTree, word: string): NounEntry | undefined {
  return Object.hasOwn(tree, word)
    ? tree[word]
    : Object.values(tree).find((entry) => entry.aliases?.includes(word));
}

function findVerb(noun: NounEntry, word: string): VerbEntry | undefined {
  const verbs = noun.verbs ?? {};
  return Object.hasOwn(verbs, word)
    ? verbs[word]
    : Object.values(verbs).find((verb) => verb.aliases?.includes(word));
}

function nameOf(table: { readonly [name: string]: unknown }, entry: unknown): string {
  return Object.keys(table).find((name) => table[name] === entry) ?? "";
}
