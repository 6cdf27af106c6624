import { readFileSync } from "node:fs";
import { join } from "node:path";
import { markerName, privateFolder } from "../../../folder/layout.ts";
import { readYaml } from "./front-matter.ts";

/** Whether a file is a `deckhand.yaml` of a folder that is synced: only a sync gives a folder an id. */
export function isMarkerOfSync(path: string): boolean {
  try {
    return typeof readYaml(readFileSync(path, "utf8"), path)["id"] === "string";
  } catch {
    return false; // It is not there, or not ours.
  }
}

/** Whether a folder is itself one that is synced: by its `deckhand.yaml`, or by the copy that a sync keeps of it. */
export const isSynced = (root: string): boolean =>
  [markerName, `${privateFolder}/${markerName}`].some((path) => isMarkerOfSync(join(root, path)));
