import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The commit that is checked out in the git repository of a folder; undefined where there is none, or no git. */
export function headOf(root: string): string | undefined {
  for (let folder = root, below = ""; folder !== below; below = folder, folder = dirname(folder))
    if (existsSync(join(folder, ".git"))) return git(root, "rev-parse", "--verify", "HEAD")?.trim();
  return undefined;
}

/** Whether a commit comes after another one: then the files were not taken back. */
export const isAfter = (root: string, commit: string, earlier: string): boolean =>
  git(root, "merge-base", "--is-ancestor", earlier, commit) !== undefined;

/** What git prints; undefined if it fails. */
function git(root: string, ...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync("git", ["-C", root, ...args], { encoding: "utf8", timeout: 10_000 });
  return status === 0 ? stdout : undefined;
}
