import type { Command } from "commander";
import { UsageError } from "../../errors.ts";
import { nearest } from "../../nearest.ts";
import { version } from "../../version.ts";
import { globalLongNames, globalsWithValue, isGlobalOption } from "../options.ts";
import { isHidden } from "./hidden.ts";
import { fullName } from "./names.ts";
import { helpTopics } from "./topics.ts";

/**
 * A noun or the program by itself: its help, or what is wrong with the word that should have named a command.
 *
 * @param before what stood before that word
 */
export function showGroup(
  command: Command,
  word: string | undefined,
  { before, rest }: { readonly before: readonly string[]; readonly rest: readonly string[] },
  io: { stdout: (text: string) => void },
): void {
  const help = rest.includes("--help") || rest.includes("-h");
  if (word !== undefined) {
    // The value of a mistyped option is taken for the command.
    const mistyped = optionsOf(before).find((option) => nearestOption(option, command) !== undefined);
    if (mistyped !== undefined) throw unknownOption(mistyped, command);
    const near = nearest(
      word,
      command.commands.filter((each) => !isHidden(each)).map((each) => each.name()),
    );
    const meant = near ? `${fullName(command)} ${near}` : command.parent === null && noCommand(word, help);
    throw new UsageError(`unknown command ${JSON.stringify(word)}`, {
      hint: meant ? `did you mean "${meant}"?` : `see "${fullName(command)} --help"`,
    });
  }
  const unknown = optionsOf(rest).find((each) => !["-h", "--help", "-V", "--version"].includes(each));
  if (unknown !== undefined && !help) throw unknownOption(unknown, command);
  const last = rest.at(-1) ?? "";
  if (globalsWithValue.has(last) && !help)
    throw new UsageError(`option ${JSON.stringify(last)} argument missing`, {
      hint: `see "${fullName(command)} --help"`,
    });
  if (!help && command.parent === null && (rest.includes("--version") || rest.includes("-V")))
    io.stdout(`${version}\n`);
  else if (!help && command.parent !== null)
    throw new UsageError(
      `${command.name()} needs a verb: ${command.commands
        .filter((each) => !isHidden(each))
        .map((each) => each.name())
        .join(", ")}`,
      {
        hint: `see "${fullName(command)} --help"`,
      },
    );
  else command.outputHelp();
}

/** The options among these words that are no global ones with their values. */
function optionsOf(words: readonly string[]): string[] {
  return words.filter(
    (word, index) =>
      word.startsWith("-") && !isGlobalOption(word) && !globalsWithValue.has(words[index - 1] ?? ""),
  );
}

function unknownOption(option: string, command: Command): UsageError {
  const near = nearestOption(option, command);
  return new UsageError(`unknown option ${JSON.stringify(option)}`, {
    hint: near ? `did you mean ${near}?` : `see "${fullName(command)} --help"`,
  });
}

/** The option that every command has, or the program, that this one was probably meant to be. */
function nearestOption(option: string, command: Command): string | undefined {
  const [name = ""] = option.split("=");
  const own = command.parent === null ? ["--help", "--version"] : ["--help"];
  return name.startsWith("--") ? nearest(name, [...globalLongNames, ...own]) : undefined;
}

/** What a word of the program's own stands for that other programs have as a command. */
function noCommand(word: string, help: boolean): string | undefined {
  if (word === "version") return "deckhand --version";
  const topic = help ? nearest(word, Object.keys(helpTopics)) : undefined;
  return topic && `deckhand help ${topic}`;
}
