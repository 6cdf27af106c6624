import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { argument, command, declare } from "./shared/command.ts";

/** The script of each shell, in the folder `completions` of the package. */
const scripts = {
  bash: "deckhand.bash",
  zsh: "_deckhand",
  fish: "deckhand.fish",
  powershell: "deckhand.ps1",
} as const;

const shells = ["bash", "zsh", "fish", "powershell"] as const;

const declared = () =>
  declare(`Print the completion script of a shell.

Bash, in ~/.bashrc:
  eval "$(deckhand completion bash)"
Zsh, once, into a folder of your fpath:
  deckhand completion zsh > ~/.zfunc/_deckhand
Fish, once:
  deckhand completion fish > ~/.config/fish/completions/deckhand.fish
PowerShell, in $PROFILE:
  deckhand completion powershell | Out-String | Invoke-Expression

  deckhand completion bash
  deckhand completion zsh`).addArgument(argument("<shell>", "which shell").choices(shells));

export const completionCommand = command(declared, async (shell, _options, context) => {
  // From src/commands as well as from dist/chunks.
  await context.io.write(await readFile(join(__dirname, "..", "..", "completions", scripts[shell])));
});
