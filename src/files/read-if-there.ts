import { readFileSync } from "node:fs";
import { systemCode } from "./errors.ts";

/** The text of a file, undefined if there is none. Other failures are thrown as the system gives them. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
