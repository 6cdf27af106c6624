// Writes what is generated from the command tree, with the built program: the completions.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";

const files = { bash: "deckhand.bash", zsh: "_deckhand", fish: "deckhand.fish", powershell: "deckhand.ps1" };

mkdirSync("completions", { recursive: true });
for (const [shell, file] of Object.entries(files)) {
  const script = execFileSync(process.execPath, ["bin/deckhand.js", "completion", shell], {
    env: { ...process.env, DECKHAND_PROFILE: "local" },
  });
  writeFileSync(`completions/${file}`, script);
}
