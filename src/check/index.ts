import { existsSync } from "node:fs";
import { join } from "node:path";
import { hashOfDocument } from "../cards/document.ts";
import { parseConfig } from "../config/config-file.ts";
import { readCredentials } from "../config/credentials.ts";
import type { Folders } from "../config/folders.ts";
import { readIfThere } from "../files/read-if-there.ts";
import type { Finding } from "../service/check/finding.ts";
import { filesIn, logFindings, type NameOf } from "./lines.ts";

/** Checks the files besides the collection: settings, review logs, the state of `sync`. */
export async function* fileFindings(
  folders: Folders,
  platform: string,
  nameOf: NameOf,
): AsyncGenerator<Finding> {
  yield* settingsFindings(folders.config, platform);
  for (const path of filesIn(join(folders.data, "reviews"), ".jsonl")) yield* logFindings(path, nameOf);
  for (const path of filesIn(join(folders.state, "sync"), ".sqlite")) yield* syncFindings(path);
}

/** Without it the next sync is a first one, which removes nothing. */
async function* syncFindings(path: string): AsyncGenerator<Finding> {
  const problem = await stateProblem(path);
  const repair: Finding["repair"] = async (aside) => `it was moved to ${aside.move(path)}`;
  if (problem !== undefined) yield { part: "sync", item: path, problem, cards: [], repair };
}

/** What is damaged in the state of a sync, by its documents' hashes too; undefined for nothing. */
export async function stateProblem(path: string): Promise<string | undefined> {
  const { State } = await import("../sync/state.ts");
  let state: ReturnType<typeof State.open> | undefined;
  try {
    state = State.open(path, "show");
    for (const { id, doc } of state.cardsExcept(new Set()))
      if (hashOfDocument(doc.read()) !== doc.hash) return `the card ${id} is damaged`;
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    state?.close();
  }
}

function* settingsFindings(folder: string, platform: string): Generator<Finding> {
  const path = join(folder, "config.json");
  try {
    parseConfig(readIfThere(path) ?? "{}", path);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const repair: Finding["repair"] = async (aside) => `it was moved to ${aside.move(path)}`;
    yield { part: "settings", item: path, problem, cards: [], ...(existsSync(path) ? { repair } : {}) };
  }
  const { path: keys, problem } = readCredentials(folder, platform);
  if (problem !== undefined) yield { part: "settings", item: keys, problem, cards: [] };
}
