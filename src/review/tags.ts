/** Tags as a line of text: between spaces, or between commas where a tag has a space in it. */

export interface TagLine {
  readonly text: string;
  readonly separator: "space" | "comma";
}

export function tagLine(tags: readonly string[]): TagLine {
  const comma = tags.some((tag) => /\s/.test(tag));
  return { text: tags.join(comma ? ", " : " "), separator: comma ? "comma" : "space" };
}

/** The tags of a line, each once, without a leading `#`. */
export function parseTags(text: string, separator: TagLine["separator"]): string[] {
  const words = text.split(separator === "comma" ? "," : /[\s,]+/);
  return [...new Set(words.map((word) => word.trim().replace(/^#/, "").trim()).filter((tag) => tag !== ""))];
}
