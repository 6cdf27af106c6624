import { keywordsOf, type Language, languageNamed } from "./languages.ts";
import { plain, type Run, run, type Style } from "./runs.ts";

/** Longer code is shown without colours. UTF-16 units. */
const longest = 100_000;

const looks: Readonly<Record<string, Style>> = {
  comment: { colour: "grey" },
  string: { colour: "green" },
  number: { colour: "yellow" },
  word: { colour: "magenta" },
  added: { colour: "green" },
  removed: { colour: "red" },
};

/**
 * Code with the colours of its comments, strings, numbers and keywords. Not a grammar: one regular expression a
 * language, in one pass, which is what a card of code needs.
 */
export function codeRuns(code: string, language: string): Run[] {
  const pattern = code.length > longest ? undefined : patternOf(language);
  if (!pattern) return [run(code)];
  const runs: Run[] = [];
  let at = 0;
  for (const found of code.matchAll(pattern)) {
    const kind = Object.keys(found.groups ?? {}).find((name) => found.groups?.[name] !== undefined);
    if (kind === undefined) continue;
    if (found.index > at) runs.push(run(code.slice(at, found.index)));
    runs.push(run(found[0], looks[kind] ?? plain));
    at = found.index + found[0].length;
  }
  return [...runs, run(code.slice(at))];
}

function patternOf(name: string): RegExp | undefined {
  if (name === "diff" || name === "patch") return /(?<added>^\+.*$)|(?<removed>^-.*$)|(?<word>^@@.*$)/gm;
  const language = languageNamed(name);
  return language && new RegExp(sources(language).join("|"), language.ignoreCase ? "giu" : "gu");
}

/** One alternative for each kind, and one without a name for words that are none, so that no match begins within one. */
function sources(language: Language): string[] {
  const comments = [
    ...(language.block ?? []).map(([open, close]) => `${literal(open)}[^]*?(?:${literal(close)}|$)`),
    ...(language.line ?? []).map((start) => `${literal(start)}.*`),
  ];
  const strings = [...(language.quotes ?? "'\"")].flatMap((quote) => [
    `${quote.repeat(3)}[^]*?(?:${quote.repeat(3)}|$)`,
    `${quote}(?:\\\\.|[^${quote}\\\\${quote === "`" ? "" : "\\n"}]){0,500}${quote}`,
  ]);
  const keywords = keywordsOf(language);
  const words = keywords.length === 0 ? "<\\/?[\\w:-]+|\\/?>" : `\\b(?:${keywords.join("|")})\\b`;
  return [
    ...(comments.length > 0 ? [`(?<comment>${comments.join("|")})`] : []),
    ...(strings.length > 0 ? [`(?<string>${strings.join("|")})`] : []),
    "(?<number>\\b(?:0[xob][\\da-f_]+|\\d[\\d_]*(?:\\.\\d+)?(?:e[+-]?\\d+)?)\\b)",
    `(?<word>${words})`,
    "[\\p{L}_$][\\p{L}\\p{N}_$]*",
  ];
}

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
