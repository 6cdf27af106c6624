/**
 * Makes Anki's cloze deletions those of the card language: `{{c1::text::hint}}` becomes `{{1::text}}`. The braces come
 * through `keep`, so that what is between them can still be converted.
 *
 * @returns the text, and whether hints were dropped
 */
export function convertClozes(
  html: string,
  keep: (markdown: string) => string,
): { html: string; hints: boolean } {
  let result = "";
  let hints = false;
  /** For each open deletion where its hint would begin: -1 for nowhere. */
  const open: number[] = [];
  let at = 0;
  for (const match of html.matchAll(/\{\{c(\d{1,9})::|\}\}|::/g)) {
    const [token, number] = match;
    const text = html.slice(at, match.index);
    at = match.index + token.length;
    if (number !== undefined) {
      result += text + keep(`{{${Number(number)}::`);
      open.push(-1);
    } else if (open.length === 0) result += text + token;
    else if (token === "::") {
      result += text;
      // The last two colons begin the hint; those before are text.
      const before = open.at(-1) ?? -1;
      if (before >= 0) result = `${result.slice(0, before)}::${result.slice(before)}`;
      open[open.length - 1] = result.length;
    } else {
      result += text;
      const hint = open.pop() ?? -1;
      if (hint >= 0) {
        hints = true;
        result = result.slice(0, hint);
      }
      result += keep("}}");
    }
  }
  return { html: result + html.slice(at), hints };
}
