import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Completed } from "../../home/ports.ts";

/** The most names that are shown where several fit. */
const most = 12;

/** A path of a file or folder, as far as it is clear from what is there. */
export function completePath(text: string): Completed {
  const at = text.lastIndexOf("/") + 1;
  const folder = text.slice(0, at);
  let names: string[] = [];
  try {
    names = readdirSync(folder === "" ? "." : join(folder, "."), { withFileTypes: true })
      .map((entry) => entry.name + (entry.isDirectory() ? "/" : ""))
      .filter((name) => text.slice(at).startsWith(".") || !name.startsWith("."));
  } catch {
    // There is no such folder, or it cannot be read.
  }
  const { text: name, choices } = startOfAll(text.slice(at), names);
  return { text: folder + name, choices };
}

/** What all names that begin with a text begin with; the case of letters does not matter. */
export function startOfAll(text: string, names: readonly string[]): Completed {
  const begun = names.filter((name) => name.toLowerCase().startsWith(text.toLowerCase())).sort();
  const [first, last] = [begun[0], begun.at(-1)];
  if (first === undefined || last === undefined) return { text, choices: [] };
  let length = 0;
  while (length < first.length && first[length] === last[length]) length++;
  return { text: length < text.length ? text : first.slice(0, length), choices: begun.slice(0, most) };
}
