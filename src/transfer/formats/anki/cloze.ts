/**
 * Converts Anki's cloze deletions to those of the card language: `{{c1::text}}` becomes `{{1::text}}`, and
 * `{{c1,2::text}}`, which is asked on several cards, `{{1::{{2::text}}}}`. The card language has no hints: `{{c1::text::hint}}`
 * becomes `{{1::text}} (hint)`. The braces are passed to `keep`; the HTML between them is converted later.
 */
export function convertClozes(html: string, keep: (markdown: string) => string): string {
  const parts: string[] = [];
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
      const hint = last.hint < 0 ? "" : parts.splice(last.hint).slice(1).join("");
      parts.push(keep(last.end));
      if (saysAnything(hint)) parts.push(` (${hint})`);
    }
  }
  parts.push(html.slice(at));
  return parts.join("");
}

/** Deletions that are numbered as Anki does it, in text that is markdown already; those in code are text. */
export function fromAnkiClozes(markdown: string): string {
  if (!/\{\{c\d/.test(markdown)) return markdown;
  const code: string[] = [];
  const masked = markdown.replace(
    /```[\s\S]*?```|~~~[\s\S]*?~~~|`[^`\n]+`/g,
    (each) => `\ue0f0${code.push(each) - 1}\ue0f1`,
  );
  return convertClozes(masked, (braces) => braces).replace(
    /\ue0f0(\d+)\ue0f1/g,
    (marker, index: string) => code[Number(index)] ?? marker,
  );
}

/** Whether a hint has a letter, a digit or a picture; others, as "…", are as good as none. */
const saysAnything = (hint: string): boolean =>
  /<img\b|[\p{L}\p{N}]/iu.test(hint.replace(/[\ue0f0-\ue0f5]\d*|<(?!img\b)[^<>]*>|&nbsp;/gi, ""));
