const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** One line of tsv, without header: what would end a value or a line is escaped, and the backslash with it. */
export function tsvLine(cells: readonly string[]): string {
  return `${cells.map(escapeTsv).join("\t")}\n`;
}

export function escapeTsv(text: string): string {
  return text.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? character);
}
