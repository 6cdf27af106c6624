import { readdirSync, rmSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { processLives } from "./process-lives.ts";

/**
 * Files that become another one when they are whole. Their names say which process of which machine writes them, so that
 * the next to write there can tell what a killed one has left from what is being written.
 */

const day = 86_400_000;
const machine =
  hostname()
    .replace(/[^a-z0-9]/gi, "")
    .slice(0, 16) || "host";
/** Short enough for any file system, whatever the alphabet, and no half of a character. */
const stem = (path: string) =>
  basename(path)
    .slice(0, 60)
    .replace(/[\ud800-\udbff]$/, "");

/** What follows that; `conf` writes first beside what it writes. */
const leftOver = /^([a-z0-9]+)-(\d+)-[0-9a-z]+\.tmp(?:\.tmp-\d{10}[0-9a-f]{6})?$/i;

/** A hidden file beside the one that it is to become; not there yet. */
export function temporaryBeside(path: string): string {
  const mark = process.hrtime.bigint().toString(36);
  return join(dirname(path), `.${stem(path)}.${machine}-${process.pid}-${mark}.tmp`);
}

/** Removes what processes that died have left beside a file. Never fails: it can be done another time. */
export function removeLeftOver(path: string, now: number): void {
  const folder = dirname(path);
  const begin = `.${stem(path)}.`;
  for (const name of namesIn(folder)) {
    const rest = name.startsWith(begin) ? name.slice(begin.length) : "";
    const [, where, pid] = leftOver.exec(rest) ?? [];
    if (where === undefined) continue;
    const file = join(folder, name);
    // Nothing is known of another machine that shares the folder, nor of whoever had our number: containers give it again.
    const known = where === machine && Number(pid) !== process.pid;
    if (known ? !processLives(Number(pid)) : isOld(file, now)) remove(file);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isOld(file: string, now: number): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now) < now - day;
}

function remove(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // See above.
  }
}
