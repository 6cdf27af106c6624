import { readCloze } from "../../../cards/syntax.ts";

/** Whether a text has deletions in braces; those in code are text. */
export function hasDeletion(text: string): boolean {
  for (const { 0: found, index } of text.matchAll(/\\[\s\S]|```[\s\S]*?```|~~~[\s\S]*?~~~|`[^`\n]+`|\{\{/g))
    if (found === "{{" && readCloze(text.slice(index)) !== undefined) return true;
  return false;
}

/** The highlights of a text as numbered deletions, but those in code; a hint follows its deletion, since the card language has none. */
export function fromHighlights(text: string): string {
  let next = 0;
  const codeOrHighlight = /```[\s\S]*?```|~~~[\s\S]*?~~~|`[^`\n]+`|(?<!=)==(?!=)([^\n]+?)(?<!=)==(?!=)/g;
  return text.replace(codeOrHighlight, (whole, inner?: string) => {
    if (inner === undefined) return whole;
    const [, number = ++next, answer, hint] = /^(?:(\d{1,9});;)?(.*?)(?:;;(.*))?$/.exec(inner) ?? [];
    return `{{${number}::${answer}}}${hint ? ` (${hint})` : ""}`;
  });
}
