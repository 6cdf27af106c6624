import { existsSync } from "node:fs";
import { join } from "node:path";
import { isMarkdown } from "../../../folder/layout.ts";
import { filesBelow } from "../list-folder.ts";
import { readStart } from "../text.ts";
import { pairOf, settingsPath } from "./obsidian-marks.ts";

export type NotesFormat = "obsidian" | "hashcards";

/** As many files of a folder are looked into. */
const mostFiles = 300;

/** The form that notes are kept in; undefined for plain markdown, of which a file is a card. */
export function notesFormat(text: string): NotesFormat | undefined {
  const plain = text.replace(/^(`{3,}|~{3,})[\s\S]*?^\1/gm, "");
  if (/(?:^|\s)#flashcards(?:\/|\s|$)/im.test(plain) || plain.includes("<!--SR:")) return "obsidian";
  if (/^---\r?\n[\s\S]*?tags:[^\n]*(?:\n\s+-[^\n]*)*flashcards/.test(plain)) return "obsidian";
  if (/^Q: ?\S[\s\S]*?^A: ?\S/m.test(plain) || /^C: ?.*?\[[^[\]\n]+\]/m.test(plain)) return "hashcards";
  // A line of question marks between two that are not blank.
  if (/(?<=\S[ \t\r]*\n)\?{1,2}[ \t]*\r?\n[ \t]*\S/.test(plain)) return "obsidian";
  const lines = plain.split("\n").filter((line) => line.trim() !== "");
  const pairs = lines.filter((line) => pairOf(line) !== undefined).length;
  return pairs >= 3 && pairs * 3 >= lines.length ? "obsidian" : undefined;
}

/** The form of a folder's notes: that of the first file that has one, else that of the vault. */
export async function folderFormat(root: string): Promise<NotesFormat | undefined> {
  let read = 0;
  for await (const path of filesBelow(root)) {
    if (!isMarkdown(path)) continue;
    if (++read > mostFiles) break;
    const found = notesFormat(Buffer.from(await readStart(join(root, path), path)).toString("utf8"));
    if (found !== undefined) return found;
  }
  return existsSync(join(root, settingsPath)) ? "obsidian" : undefined;
}
