import { Command } from "commander";
import { changeAlias, splitWords } from "../../config/aliases.ts";
import type { Context, StartContext } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";

export function setCommand(start: StartContext): Command {
  return new Command("set")
    .description("Create or change an alias: a name for a command with its options.")
    .argument("<name>", "what you type after deckhand")
    .argument("<command>", "what it means, without deckhand; more arguments are added at the end")
    .addHelpText(
      "after",
      `
Built-in commands win over aliases, and aliases over programs deckhand-<name> on
your PATH, which deckhand <name> runs.

Examples:
  deckhand alias set es "add --deck Languages/Spanish --tag new"
  deckhand alias set today "due --count"`,
    )
    .action((name: string, words: string, _options: object, command: Command) =>
      setAlias(name, words, start(command)),
    );
}

async function setAlias(name: string, words: string, context: Context): Promise<void> {
  if (!/^[\p{L}\p{N}][\p{L}\p{N}_-]*$/u.test(name))
    throw new UsageError(`an alias is letters, digits, - and _, not ${JSON.stringify(name)}`);
  if (splitWords(words).length === 0) throw new UsageError("the alias has no command");
  if (context.options.dryRun) return context.io.note(`Would set the alias ${name} to: ${words}`);
  await changeAlias(context.folders.config, name, words);
  context.io.say(`deckhand ${name} now means: deckhand ${words}`);
}
