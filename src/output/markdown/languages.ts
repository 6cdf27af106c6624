/** What the colouring of code must know of a language; the rest is common to nearly all. */
export interface Language {
  readonly line?: readonly string[];
  readonly block?: readonly (readonly [string, string])[];
  /** Characters that quote a string, `'"` if not given; a tripled one is a string over several lines. */
  readonly quotes?: string;
  /** Words of its own besides the common ones; none at all where tags are coloured instead. */
  readonly keywords?: string;
  readonly ignoreCase?: true;
}

/** Words that are keywords, types or values in most languages that have them. */
const common =
  "abstract and as async await begin bool boolean break byte case catch char class const constexpr continue def default defer defmodule defn defun defp del delete do double elif else elsif end endif enum esac except export extends extern false False final finally float fn for foreach fun func function goto if impl implements import in inline int interface is lambda let local long loop match mod mut mutable namespace new next nil None not null NULL nullptr object of operator or override package pass print private protected pub public raise range readonly require return select self short signed sizeof static string struct super switch template then this throw throws trait true True try type typedef typeof union unless unsafe unsigned until use using val var virtual void volatile when where while with yield";

const sql =
  "add all alter asc between by check commit constraint create cross database desc distinct drop exists foreign from full group having index inner insert into join key left like limit offset on order outer primary references returning right rollback set table transaction unique update values view";

const block = [["/*", "*/"]] as const;

/** By their names after a code fence, with spaces between them. */
export const languages: Readonly<Record<string, Language>> = {
  "js javascript jsx mjs cjs node ts typescript tsx go golang": { line: ["//"], block, quotes: "'\"`" },
  "c h cpp c++ cc hpp cxx arduino java kotlin kt cs csharp c# scala dart groovy json json5 jsonc": {
    line: ["//"],
    block,
  },
  "rust rs swift": { line: ["//"], block, quotes: '"' },
  php: { line: ["//", "#"], block, keywords: "echo global" },
  "py python py3 python3 rb ruby sh bash zsh shell console fish r julia jl perl pl elixir ex exs yaml yml": {
    line: ["#"],
    keywords: "assert done echo exit fi from global nonlocal",
  },
  "powershell ps1 pwsh": { line: ["#"], block: [["<#", "#>"]], ignoreCase: true, keywords: "param process" },
  "toml ini conf properties make makefile dockerfile docker": {
    line: ["#", ";"],
    keywords: "ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM RUN USER VOLUME WORKDIR",
  },
  "sql mysql postgres postgresql sqlite plsql": { line: ["--"], block, ignoreCase: true, keywords: sql },
  lua: { line: ["--"], block: [["--[[", "]]"]] },
  "hs haskell elm": { line: ["--"], block: [["{-", "-}"]], quotes: '"', keywords: "data deriving module" },
  "clj clojure lisp scheme elisp racket cljs edn": { line: [";"], quotes: '"', keywords: "cond define setq" },
  "css scss less": { line: ["//"], block, keywords: "important media" },
  "html xml svg vue xhtml": { block: [["<!--", "-->"]], keywords: "" },
  "tex latex matlab octave": { line: ["%"], quotes: "" },
};

/** The language of a name as written after a code fence. */
export function languageNamed(name: string): Language | undefined {
  const key = Object.keys(languages).find((names) => names.split(" ").includes(name));
  return key === undefined ? undefined : languages[key];
}

/** The keywords of a language. */
export const keywordsOf = ({ keywords }: Language): readonly string[] =>
  keywords === "" ? [] : [common, keywords ?? ""].join(" ").trim().split(" ");
