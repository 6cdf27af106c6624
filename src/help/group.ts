import type { Command } from "commander";
import { UsageError } from "../errors.ts";
import { nearest } from "../nearest.ts";
import { globalsWithValue, isGlobalOption } from "../options.ts";
import { version } from "../version.ts";
import { isHidden } from "./hidden.ts";
import { fullName } from "./names.ts";
import { helpTopics } from "./topics.ts";

/** A noun or the program by itself: its help, or what is wrong with the word that should have named a command. */
export function showGroup(
  command: Command,
  word: string | undefined,
  rest: readonly string[],
  io: { stdout: (text: string) => void },
): void {
  const help = rest.includes("--help") || rest.includes("-h");
  if (word !== undefined) {
    const near = nearest(
      word,
      command.commands.filter((each) => !isHidden(each)).map((each) => each.name()),
    );
    const topic = help && command.parent === null ? nearest(word, Object.keys(helpTopics)) : undefined;
    const meant = near ? `${fullName(command)} ${near}` : topic && `deckhand help ${topic}`;
    throw new UsageError(`unknown command ${JSON.stringify(word)}`, {
      hint: meant ? `did you mean "${meant}"?` : `see "${fullName(command)} --help"`,
    });
  }
  const unknown = optionsOf(rest).find((each) => !["-h", "--help", "-V", "--version"].includes(each));
  if (unknown !== undefined && !help)
    throw new UsageError(`unknown option ${JSON.stringify(unknown)}`, {
      hint: `see "${fullName(command)} --help"`,
    });
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
