import { Argument, Command } from "commander";
import type { Shell } from "../cli/completion/scripts.ts";
import type { Context, StartContext } from "../context/context.ts";

export function completionCommand(start: StartContext): Command {
  return new Command("completion")
    .description("Print the completion script of a shell.")
    .addArgument(new Argument("<shell>", "which shell").choices(["bash", "zsh", "fish", "powershell"]))
    .addHelpText(
      "after",
      `
Bash, in ~/.bashrc:          eval "$(deckhand completion bash)"
Zsh, once, on your fpath:    deckhand completion zsh > ~/.zfunc/_deckhand
Fish, once:                  deckhand completion fish > ~/.config/fish/completions/deckhand.fish
PowerShell, in $PROFILE:     deckhand completion powershell | Out-String | Invoke-Expression

Examples:
  deckhand completion bash
  deckhand completion zsh`,
    )
    .action((shell: Shell, _options: object, command: Command) =>
      printCompletion(shell, start, start(command)),
    );
}

export async function printCompletion(shell: Shell, start: StartContext, context: Context): Promise<void> {
  const { completionScripts } = await import("../cli/completion/scripts.ts");
  const { programModel, withHelp } = await import("../cli/completion/program-model.ts");
  await context.io.write(completionScripts[shell].write(withHelp(await programModel(start))));
}
