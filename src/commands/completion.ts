import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Argument, Command } from "commander";
import type { Context, StartContext } from "../context/context.ts";

/** The script of each shell, in the folder `completions` of the package. */
const scripts = {
  bash: "deckhand.bash",
  zsh: "_deckhand",
  fish: "deckhand.fish",
  powershell: "deckhand.ps1",
} as const;

type Shell = keyof typeof scripts;

export function completionCommand(start: StartContext): Command {
  return new Command("completion")
    .description("Print the completion script of a shell.")
    .addArgument(new Argument("<shell>", "which shell").choices(Object.keys(scripts)))
    .addHelpText(
      "after",
      `
Bash, in ~/.bashrc:
  eval "$(deckhand completion bash)"
Zsh, once, into a folder of your fpath:
  deckhand completion zsh > ~/.zfunc/_deckhand
Fish, once:
  deckhand completion fish > ~/.config/fish/completions/deckhand.fish
PowerShell, in $PROFILE:
  deckhand completion powershell | Out-String | Invoke-Expression

Examples:
  deckhand completion bash
  deckhand completion zsh`,
    )
    .action((shell: Shell, _options: object, command: Command) => printCompletion(shell, start(command)));
}

async function printCompletion(shell: Shell, context: Context): Promise<void> {
  // From src/commands as well as from dist/chunks.
  await context.io.write(await readFile(join(__dirname, "..", "..", "completions", scripts[shell])));
}
