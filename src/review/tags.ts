/** Tags as a line of text: between spaces, or where a tag has one in it, between what none has. */

export interface TagLine {
  readonly text: string;
  readonly separator: "space" | "comma" | "semicolon";
}

export function tagLine(tags: readonly string[]): TagLine {
  const all = tags.join("");
  if (!/[\s,]/.test(all)) return { text: tags.join(" "), separator: "space" };
  return all.includes(",")
    ? { text: tags.join("; "), separator: "semicolon" }
    : { text: tags.join(", "), separator: "comma" };
}

/** Where a line is taken apart. */
const separators = { space: /[\s,]+/, comma: ",", semicolon: ";" } as const;

/** The tags of a line, each once, without a leading `#`. */
export function parseTags(text: string, separator: TagLine["separator"]): string[] {
  const words = text.split(separators[separator]);
  return [...new Set(words.map((word) => word.trim().replace(/^#/, "").trim()).filter((tag) => tag !== ""))];
}
