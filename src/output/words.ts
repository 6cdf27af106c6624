/** "1 card", "3 cards". */
export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;

/** A text in lines of at most so many columns, broken between words; a longer word stays whole. */
export function wrapWords(text: string, width: number): string {
  return text
    .split("\n")
    .map((line) => (columns(line) <= width ? line : wrapLine(line, width)))
    .join("\n");
}

function wrapLine(text: string, width: number): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && columns(line) + 1 + columns(word) > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].join("\n");
}

/** An upper bound of the columns: messages are printed before the tables of character widths are loaded. */
function columns(text: string): number {
  let wide = 0;
  for (const character of text) if (character >= "\u1100") wide += 1;
  return text.length + wide;
}

/** The text as one word of a command for a POSIX shell. */
export const shellWord = (text: string): string =>
  /^[\w./@%+:,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
