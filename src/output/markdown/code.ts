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

/** Words that are keywords, types or values in most languages that have them. */
const common =
  "abstract and as async await begin bool boolean break byte case catch char class const constexpr continue def default defer defmodule defn defun defp del delete do double elif else elsif end endif enum esac except export extends extern false False final finally float fn for foreach fun func function goto if impl implements import in inline int interface is lambda let local long loop match mod mut mutable namespace new next nil None not null NULL nullptr object of operator or override package pass print private protected pub public raise range readonly require return select self short signed sizeof static string struct super switch template then this throw throws trait true True try type typedef typeof union unless unsafe unsigned until use using val var virtual void volatile when where while with yield";
const sql =
  "add all alter asc between by check commit constraint create cross database desc distinct drop exists foreign from full group having index inner insert into join key left like limit offset on order outer primary references returning right rollback set table transaction unique update values view";

const slashes = "\\/\\/.*|\\/\\*[^]*?(?:\\*\\/|$)";

/** By their names after a code fence: the comments of languages as a regular expression, and their quotes if not `'"`. */
const languages: Readonly<Record<string, readonly [comment: string, quotes?: string]>> = {
  "js javascript jsx mjs cjs node ts typescript tsx go golang": [slashes, "'\"`"],
  "c h cpp c++ cc hpp cxx arduino java kotlin kt cs csharp c# scala dart groovy json json5 jsonc php css scss less":
    [slashes],
  "rust rs swift": [slashes, '"'],
  "py python py3 python3 rb ruby sh bash zsh shell console fish r julia jl perl pl elixir ex exs yaml yml powershell ps1 pwsh toml ini conf properties make makefile dockerfile docker":
    ["#.*"],
  "sql mysql postgres postgresql sqlite plsql": ["--.*|\\/\\*[^]*?(?:\\*\\/|$)"],
  lua: ["--\\[\\[[^]*?(?:\\]\\]|$)|--.*"],
  "hs haskell elm": ["--.*|\\{-[^]*?(?:-\\}|$)", '"'],
  "clj clojure lisp scheme elisp racket cljs edn": [";.*", '"'],
  "html xml svg vue xhtml": ["<!--[^]*?(?:-->|$)"],
  "tex latex matlab octave": ["%.*", ""],
};

/** One alternative for each kind, and one without a name for words that are none, so that no match begins within one. */
function patternOf(name: string): RegExp | undefined {
  if (name === "diff" || name === "patch") return /(?<added>^\+.*$)|(?<removed>^-.*$)|(?<word>^@@.*$)/gm;
  const names = Object.keys(languages).find((key) => key.split(" ").includes(name));
  const [comment, quotes = "'\""] = languages[names ?? ""] ?? [];
  if (names === undefined || comment === undefined) return undefined;
  const strings = [...quotes].flatMap((quote) => [
    `${quote.repeat(3)}[^]*?(?:${quote.repeat(3)}|$)`,
    `${quote}(?:\\\\.|[^${quote}\\\\${quote === "`" ? "" : "\\n"}]){0,500}${quote}`,
  ]);
  const [isSql, isMarkup] = [names.startsWith("sql"), names.startsWith("html")];
  const keywords = `\\b(?:${`${common}${isSql ? ` ${sql}` : ""}`.replaceAll(" ", "|")})\\b`;
  const sources = [
    `(?<comment>${comment})`,
    ...(strings.length > 0 ? [`(?<string>${strings.join("|")})`] : []),
    "(?<number>\\b(?:0[xob][\\da-f_]+|\\d[\\d_]*(?:\\.\\d+)?(?:e[+-]?\\d+)?)\\b)",
    `(?<word>${isMarkup ? "<\\/?[\\w:-]+|\\/?>" : keywords})`,
    "[\\p{L}_$][\\p{L}\\p{N}_$]*",
  ];
  return new RegExp(sources.join("|"), isSql ? "giu" : "gu");
}
