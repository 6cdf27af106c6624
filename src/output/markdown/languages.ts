/** What the colouring of code must know of a language; the rest is common to nearly all. */
export interface Language {
  readonly keywords: string;
  readonly line?: readonly string[];
  readonly block?: readonly (readonly [string, string])[];
  /** Characters that quote a string, `'"` if not given; a tripled one is a string over several lines. */
  readonly quotes?: string;
  readonly ignoreCase?: true;
}

const slashes = { line: ["//"], block: [["/*", "*/"]] } as const;
const hash = { line: ["#"] } as const;

const cWords =
  "auto break case char const continue default do double else enum extern float for goto if inline int long register return short signed sizeof static struct switch typedef union unsigned void volatile while bool true false NULL";
const scriptWords =
  "async await break case catch class const continue debugger default delete do else export extends false finally for from function get if import in instanceof let new null of return set static super switch this throw true try typeof undefined var void while with yield";
const objectWords =
  "abstract as base boolean bool break byte case catch char class const continue default do double else enum extends false final finally float for foreach fun if implements import in int interface internal is lateinit long namespace new null object out override package private protected public readonly return sealed short static string struct super switch this throw throws true try typeof using val var virtual void volatile when where while";

/** By their names after a code fence, with spaces between them. */
export const languages: Readonly<Record<string, Language>> = {
  "js javascript jsx mjs cjs node": { ...slashes, keywords: scriptWords, quotes: "'\"`" },
  "ts typescript tsx": {
    ...slashes,
    keywords: `${scriptWords} abstract any as asserts boolean declare enum implements infer interface is keyof module namespace never number object private protected public readonly satisfies string symbol type unknown`,
    quotes: "'\"`",
  },
  "c h": { ...slashes, keywords: cWords },
  "cpp c++ cc hpp cxx arduino": {
    ...slashes,
    keywords: `${cWords} catch class concept constexpr consteval decltype delete explicit final friend mutable namespace new noexcept nullptr operator override private protected public requires template this throw try typename using virtual`,
  },
  "java kotlin kt cs csharp c# scala dart groovy": { ...slashes, keywords: objectWords },
  "go golang": {
    ...slashes,
    keywords:
      "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var true false nil iota string int int64 bool byte rune error any",
    quotes: "'\"`",
  },
  "rust rs": {
    ...slashes,
    keywords:
      "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while i32 u8 u32 i64 u64 usize f64 bool str String Option Result Some None Ok Err",
    quotes: '"',
  },
  swift: {
    ...slashes,
    keywords:
      "as break case catch class continue default defer do else enum extension fallthrough false for func guard if import in init inout is let nil operator private protocol public return self static struct subscript super switch throw throws true try var where while",
    quotes: '"',
  },
  php: {
    line: ["//", "#"],
    block: [["/*", "*/"]],
    keywords:
      "abstract array as break case catch class const continue default do echo else elseif extends false final finally fn for foreach function global if implements interface match namespace new null private protected public readonly return static switch this throw trait true try use var while yield",
  },
  "py python py3 python3": {
    ...hash,
    keywords:
      "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield",
  },
  "rb ruby": {
    ...hash,
    keywords:
      "alias and begin break case class def defined do else elsif end ensure false for if in module next nil not or raise redo require rescue retry return self super then true undef unless until when while yield",
  },
  "sh bash zsh shell console fish": {
    ...hash,
    keywords:
      "case do done elif else esac exit export fi for function if in local read return select set shift source then trap unset until while echo cd test",
  },
  "powershell ps1 pwsh": {
    ...hash,
    block: [["<#", "#>"]],
    ignoreCase: true,
    keywords:
      "begin break catch continue do else elseif end exit filter finally for foreach function if in param process return switch throw try until while",
  },
  "r julia jl": {
    ...hash,
    keywords:
      "begin break const do else elseif end export false FALSE for function global if import in let library local macro module mutable NA next NULL nothing repeat return struct true TRUE try using while",
  },
  "perl pl": {
    ...hash,
    keywords:
      "and do else elsif for foreach if last local my next no or our package print return sub unless until use while",
  },
  "elixir ex exs": {
    ...hash,
    keywords:
      "after and case catch cond def defmodule defp defstruct do else end false fn for if import in nil not or raise receive rescue true try unless use when with",
  },
  "yaml yml": { ...hash, keywords: "true false null yes no on off" },
  "toml ini conf properties": { line: ["#", ";"], keywords: "true false" },
  "make makefile dockerfile docker": {
    ...hash,
    keywords:
      "ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM RUN USER VOLUME WORKDIR define else endef endif export ifdef ifeq ifndef include",
  },
  "json json5 jsonc": { ...slashes, keywords: "true false null", quotes: '"' },
  "sql mysql postgres postgresql sqlite plsql": {
    line: ["--"],
    block: [["/*", "*/"]],
    ignoreCase: true,
    keywords:
      "add all alter and as asc begin between by case check commit constraint create cross default delete desc distinct drop else end exists false foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references returning right rollback select set table then true union unique update values view when where with",
  },
  lua: {
    line: ["--"],
    block: [["--[[", "]]"]],
    keywords:
      "and break do else elseif end false for function goto if in local nil not or repeat return then true until while",
  },
  "hs haskell elm": {
    line: ["--"],
    block: [["{-", "-}"]],
    quotes: '"',
    keywords:
      "as case class data deriving do else exposing hiding if import in infixl infixr instance let module newtype of otherwise qualified then type where",
  },
  "clj clojure lisp scheme elisp racket cljs edn": {
    line: [";"],
    quotes: '"',
    keywords:
      "cond def defmacro defn defun define do fn if lambda let loop nil ns quote recur require setq true false when",
  },
  "css scss less": {
    block: [["/*", "*/"]],
    line: ["//"],
    keywords: "important media import keyframes supports from to",
  },
  "html xml svg vue xhtml": { block: [["<!--", "-->"]], keywords: "" },
  "tex latex": {
    line: ["%"],
    keywords: "begin end documentclass usepackage section subsection item",
    quotes: "",
  },
  "matlab octave": {
    line: ["%"],
    keywords:
      "break case catch continue else elseif end for function global if otherwise return switch try while true false",
  },
};

/** The language of a name as written after a code fence. */
export function languageNamed(name: string): Language | undefined {
  const key = Object.keys(languages).find((names) => names.split(" ").includes(name));
  return key === undefined ? undefined : languages[key];
}
