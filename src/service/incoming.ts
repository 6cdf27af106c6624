import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/** Where files are written while they come in. */
export const incomingOf = (folder: string): string => join(folder, "incoming");

const dayLength = 86_400_000;

/** Removes what was left behind by processes that died while they received a file. */
export function sweepIncoming(folder: string, now: number): void {
  const incoming = incomingOf(folder);
  if (!existsSync(incoming)) return;
  for (const name of readdirSync(incoming)) {
    const file = join(incoming, name);
    const changed = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    if (changed !== undefined && changed < now - dayLength) rmSync(file, { force: true });
  }
}
