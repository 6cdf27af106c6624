/**
 * Converts Anki's cloze deletions to those of the card language: `{{c1::text::hint}}` becomes `{{1::text}}`, and
 * `{{c1,2::text}}`, which is asked on several cards, `{{1::{{2::text}}}}`. The braces are passed to `keep`; the HTML
 * between them is converted later.
 *
 * @returns the text, and whether hints were dropped
 */
export function convertClozes(
  html: string,
  keep: (markdown: string) => string,
): { html: string; hints: boolean } {
  const parts: string[] = [];
  let hints = false;
  /** For each open deletion the index of the part that may start its hint, or -1, and its closing braces. */
  const open: { hint: number; readonly end: string }[] = [];
  let at = 0;
  for (const match of html.matchAll(/\{\{c(\d{1,9}(?:,\d{1,9}){0,19})::|\}\}|::/g)) {
    const [token, numbers] = match;
    const last = open.at(-1);
    parts.push(html.slice(at, match.index));
    at = match.index + token.length;
    if (numbers !== undefined) {
      const groups = [...new Set(numbers.split(",").map(Number))];
      parts.push(keep(groups.map((group) => `{{${group}::`).join("")));
      open.push({ hint: -1, end: "}}".repeat(groups.length) });
    } else if (last === undefined) parts.push(token);
    else if (token === "::") {
      // Only the last two colons separate the hint.
      last.hint = parts.length;
      parts.push(token);
    } else {
      open.pop();
      if (last.hint >= 0) {
        hints = true;
        parts.length = last.hint;
      }
      parts.push(keep(last.end));
    }
  }
  return { html: parts.join("") + html.slice(at), hints };
}
