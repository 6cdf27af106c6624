import { readFileSync } from "node:fs";
import { readYaml } from "./front-matter.ts";

/** Whether a file is a `deckhand.yaml` of a folder that is synced: only a sync gives a folder an id. */
export function isMarkerOfSync(path: string): boolean {
  try {
    return typeof readYaml(readFileSync(path, "utf8"), path)["id"] === "string";
  } catch {
    return false; // It is not there, or not ours.
  }
}
