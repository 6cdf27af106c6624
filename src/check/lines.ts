import { closeSync, existsSync, fsyncSync, openSync, readdirSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Aside } from "../files/aside.ts";
import { checksumState } from "../files/checksum.ts";
import { readLines } from "../files/lines.ts";
import { parseLine } from "../review/session/log.ts";
import type { Affected, Finding } from "../service/check/finding.ts";

/** Files of that ending in a folder. */
export const filesIn = (folder: string, ending: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith(ending))
        .sort()
        .map((name) => join(folder, name))
    : [];

/** Damaged lines of a review log that several processes append to: a repair blanks them where they are. */
export async function* logFindings(path: string): AsyncGenerator<Finding> {
  for (const { line, from, bytes } of await damagedLines(path))
    yield {
      part: "logs",
      item: `${path}, line ${line}`,
      problem: "the line is damaged",
      cards: cardsOf(bytes.toString("utf8")),
      repair: async (aside) => {
        noteLine(aside, path, line, bytes);
        blank(path, from, bytes.length);
        return "the line was removed";
      },
    };
}

interface DamagedLine {
  /** From 1. */
  readonly line: number;
  /** Where it begins, in bytes. */
  readonly from: number;
  readonly bytes: Buffer;
}

/** Lines that a program has noted as damaged are no news. */
async function damagedLines(path: string): Promise<DamagedLine[]> {
  const damaged: DamagedLine[] = [];
  // Earlier versions wrote no checksums: lines without one come before all that have one.
  let checked = false;
  for await (const { bytes, line, start } of readLines(path)) {
    const text = bytes.toString("utf8");
    const state = checksumState(text);
    const good = state === "good" || (state === "none" && !checked);
    checked ||= state === "good";
    const parsed = parseLine(text);
    if (good && parsed !== undefined) {
      if (parsed.type === "damage-noted" && damaged.at(-1)?.line === line - 1) damaged.pop();
      continue;
    }
    damaged.push({ line, from: start, bytes: Buffer.from(bytes) });
  }
  return damaged;
}

function cardsOf(text: string): Affected[] {
  const id = /"card-id":"([\w-]{1,64})"|"card":\{"id":"([\w-]{1,64})"/.exec(text);
  const card = id?.[1] ?? id?.[2];
  return card === undefined ? [] : [{ id: card, name: null }];
}

const noteLine = (aside: Aside, file: string, line: number, bytes: Buffer) =>
  aside.note({ file, line, text: bytes.toString("utf8"), base64: bytes.toString("base64") });

/** Overwrites a line with spaces, which every reader passes over: the file stays the one that sessions append to. */
function blank(path: string, from: number, length: number): void {
  const file = openSync(path, "r+");
  try {
    writeSync(file, Buffer.alloc(length, " "), 0, length, from);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
