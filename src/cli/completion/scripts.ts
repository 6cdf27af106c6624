import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import type { CommandModel } from "./model.ts";
import { powershellScript } from "./powershell.ts";
import { zshScript } from "./zsh.ts";

export const shells = ["bash", "zsh", "fish", "powershell"] as const;
export type Shell = (typeof shells)[number];

/** Each shell's script, and the file of `completions` that holds it. */
export const completionScripts: Readonly<
  Record<Shell, { readonly file: string; write(commands: readonly CommandModel[]): string }>
> = {
  bash: { file: "deckhand.bash", write: bashScript },
  zsh: { file: "_deckhand", write: zshScript },
  fish: { file: "deckhand.fish", write: fishScript },
  powershell: { file: "deckhand.ps1", write: powershellScript },
};
