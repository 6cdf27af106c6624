import { join } from "node:path";
import { hashOfDocument } from "../cards/document.ts";
import type { Folders } from "../config/folders.ts";
import type { Finding } from "../service/check/finding.ts";
import { filesIn, logFindings } from "./lines.ts";

/** Checks the files besides the collection: review logs and the state of `sync`. */
export async function* fileFindings(folders: Folders): AsyncGenerator<Finding> {
  for (const path of filesIn(join(folders.data, "reviews"), ".jsonl")) yield* logFindings(path);
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
