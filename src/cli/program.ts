import { Command, CommanderError } from "commander";
import type { StartContext } from "../context/context.ts";
import { UsageError } from "../errors.ts";
import { findCommand, findNoun, findVerb, type Invocation, nameOf } from "./find.ts";
import { helpText, widestHelp, withBoldHeadings } from "./help/text.ts";
import { addGlobalOptions } from "./options.ts";
import { type CommandBuilder, commandTree, type NounEntry, type VerbEntry } from "./tree.ts";

interface HelpOutput {
  readonly stdout: (text: string) => void;
  readonly width: number;
  /** Whether help takes colour. */
  colour(): Promise<boolean>;
  /** Whether there is a person at a terminal that shows screens: the program alone opens its own. */
  readonly hasScreen: () => boolean;
}

/**
 * Parses the arguments and runs the command they name.
 *
 * @param loadStart loads what builds contexts; not called for help
 * @throws what the command throws, and UsageError
 */
export async function runProgram(
  args: readonly string[],
  loadStart: () => Promise<StartContext>,
  io: HelpOutput,
): Promise<void> {
  if (args[0] === "help" && args[1] !== undefined && (await printTopic(args[1], args.slice(2), io))) return;
  const asked = args[0] === "help" ? helpInvocation(args.slice(1)) : findCommand(args);
  // As in git and kubectl: `deckhand cards help list`.
  const invocation = asked.verb === "help" ? helpInvocation([asked.noun ?? "", ...asked.rest]) : asked;
  const { noun, verb, rest } = invocation;
  const helpOnly = rest[0] === "--help";
  const runs = noun !== undefined && findNoun(noun) !== undefined && !helpOnly;
  const command = await commandNamed(invocation, runs ? await loadStart() : undefined);
  for (let each: Command | null = command; each !== null; each = each.parent) prepare(each);
  if (command.parent === null || command.commands.length > 0) {
    const { groupHelp, refuseUnknown } = await import("./help/group.ts");
    const help = rest.includes("--help") || rest.includes("-h");
    const words = command.parent === null ? args : args.toSpliced(args.indexOf(noun ?? ""), 1);
    const word = command.parent === null ? noun : verb;
    refuseUnknown(command, help ? [word ?? []].flat() : words, help);
    if (command.parent !== null || help || command.getOptionValue("version") === true || !io.hasScreen())
      return printHelp(groupHelp(command, io.width), io);
    const { openHome } = await import("../commands/home/home.ts");
    return openHome({}, (await loadStart())(command));
  }
  let help = "";
  command.outputHelp = () => {
    help = helpText(command, io.width, rest.includes("--all"));
  };
  try {
    await command.parseAsync([...rest], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version are no errors.
    if (error.exitCode !== 0) throw (await import("./usage.ts")).usageErrorOf(error, command);
  }
  if (help !== "") await printHelp(help, io);
}

async function printHelp(text: string, io: HelpOutput): Promise<void> {
  io.stdout((await io.colour()) ? withBoldHeadings(text) : text);
}

/** The whole tree with every command loaded: for the reference, man pages and tests. */
export async function wholeProgram(): Promise<Command> {
  const root = emptyRoot();
  for (const [name, entry] of Object.entries(commandTree)) {
    const noun = await load(name, entry);
    for (const [verbName, verb] of Object.entries(entry.verbs ?? {}))
      noun.addCommand(await load(verbName, verb), { hidden: verb.hidden ?? false });
    root.addCommand(noun);
  }
  return root;
}

/**
 * The command that was named, the only one loaded: a verb or a noun with its parents; a noun with the names of its
 * verbs, or the program with those of its nouns, where no command was named.
 *
 * @param start builds its context; without it the command can be described, not run
 */
export async function commandNamed(
  { noun: nounName, verb: verbName }: Invocation,
  start: StartContext = notToRun,
): Promise<Command> {
  const entry = nounName === undefined ? undefined : findNoun(nounName);
  const root = emptyRoot();
  if (entry === undefined) {
    for (const [name, each] of Object.entries(commandTree)) root.addCommand(stub(name, each));
    return root;
  }
  const name = nameOf(commandTree, entry);
  const { verbs = {} } = entry;
  const verb = findVerb(entry, verbName ?? "");
  const command = await load(verb ? nameOf(verbs, verb) : name, verb ?? entry, start);
  // The noun alone means a hidden verb.
  if (verb === undefined || verb.hidden) root.addCommand(command.name(name));
  else root.addCommand(stub(name, entry).addCommand(command));
  if (verb === undefined)
    for (const [each, verbEntry] of Object.entries(verbs))
      command.addCommand(stub(each, verbEntry), { hidden: verbEntry.hidden ?? false });
  return command;
}

const notToRun: StartContext = () => {
  throw new Error("this command was loaded to be described, not run");
};

/** Prints a help topic; a noun of that name has its own help before it. @returns false if there is no such topic */
async function printTopic(name: string, more: readonly string[], io: HelpOutput): Promise<boolean> {
  const { helpTopics, topicText } = await import("./topics.ts");
  const topic = Object.hasOwn(helpTopics, name) ? helpTopics[name] : undefined;
  if (topic === undefined || more.some((word) => !word.startsWith("-"))) return false;
  const noun = findNoun(name);
  const text = await topicText(topic, Math.min(io.width, widestHelp), await io.colour());
  const parts = [text];
  if (noun !== undefined) parts.unshift(helpText(await commandNamed(helpInvocation([name])), io.width));
  await printHelp(parts.join("\n"), io);
  return true;
}

/** The command whose help is asked for. @throws UsageError for words after it */
function helpInvocation(args: readonly string[]): Invocation {
  const invocation = findCommand(args);
  const entry = findNoun(invocation.noun ?? "");
  const [extra = "-"] = invocation.rest;
  if (entry !== undefined && !extra.startsWith("-")) {
    const verbs = invocation.verb === entry.defaultVerb ? [] : [invocation.verb];
    throw new UsageError(`there is no command ${JSON.stringify(args.join(" "))}`, {
      hint: `see "${["deckhand", invocation.noun, ...verbs].join(" ")} --help"`,
    });
  }
  return {
    ...invocation,
    noun: invocation.noun === "help" ? undefined : invocation.noun,
    rest: ["--help", ...args.filter((word) => word === "--all")],
  };
}

function emptyRoot(): Command {
  return addGlobalOptions(new Command("deckhand"))
    .description("Study flashcards in your terminal: offline, from Anki, CSV or Markdown, scriptable.")
    .option("-V, --version", "print the version");
}

function stub(name: string, entry: NounEntry | VerbEntry): Command {
  return addGlobalOptions(new Command(name)).description(entry.about);
}

/** Loads a command; a noun without one of its own is a name. */
async function load(name: string, entry: VerbEntry, start: StartContext = notToRun): Promise<Command> {
  if (entry.load === undefined) return stub(name, entry);
  const build = (await entry.load())[`${name}Command`];
  if (typeof build !== "function") throw new Error(`the module of the command ${name} exports no builder`);
  const command = addGlobalOptions((build as CommandBuilder)(start)).name(name);
  if (command.description() === "") command.description(entry.about);
  return command;
}

function prepare(command: Command): void {
  command.exitOverride().configureOutput({ writeErr: () => {} });
  command.showSuggestionAfterError(true);
}
