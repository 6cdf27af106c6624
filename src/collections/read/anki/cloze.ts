/**
 * Makes Anki's cloze deletions those of the card language: `{{c1::text::hint}}` becomes `{{1::text}}`, and one that is
 * asked on several cards, `{{c1,2::text}}`, one within another: `{{1::{{2::text}}}}`. The braces come through `keep`, so
 * that what is between them can still be converted.
 *
 * @returns the text, and whether hints were dropped
 */
export function convertClozes(
  html: string,
  keep: (markdown: string) => string,
): { html: string; hints: boolean } {
  let result = "";
  let hints = false;
  /** For each open deletion where its hint would begin, -1 for nowhere, and how it ends. */
  const open: { hint: number; readonly end: string }[] = [];
  let at = 0;
  for (const match of html.matchAll(/\{\{c(\d{1,9}(?:,\d{1,9}){0,19})::|\}\}|::/g)) {
    const [token, numbers] = match;
    const last = open.at(-1);
    const text = html.slice(at, match.index);
    at = match.index + token.length;
    if (numbers !== undefined) {
      const groups = [...new Set(numbers.split(",").map(Number))];
      result += text + keep(groups.map((group) => `{{${group}::`).join(""));
      open.push({ hint: -1, end: "}}".repeat(groups.length) });
    } else if (last === undefined) result += text + token;
    else if (token === "::") {
      result += text;
      // The last two colons begin the hint; those before are text.
      if (last.hint >= 0) result = `${result.slice(0, last.hint)}::${result.slice(last.hint)}`;
      last.hint = result.length;
    } else {
      result += text;
      open.pop();
      if (last.hint >= 0) {
        hints = true;
        result = result.slice(0, last.hint);
      }
      result += keep(last.end);
    }
  }
  return { html: result + html.slice(at), hints };
}
