import { UsageError } from "../errors.ts";
import { fold, isUnspaced } from "./fold.ts";
import { cardStates, keys } from "./keys.ts";

/** What a search asks for: a card has to meet all of the terms. */
export type Query = readonly Term[];

/** A condition, or several joined by `OR`: a card has to meet any of them. */
export type Term = { readonly not: boolean } & (Condition | Alternatives);

interface Alternatives {
  readonly kind: "any";
  readonly of: readonly Term[];
}

type Condition =
  /** Words in a row, the last of which may go on, or text anywhere where a script has no spaces. `part` is in each text that matches. */
  | { readonly kind: "text"; readonly part: string; readonly pattern: RegExp }
  | { readonly kind: "tag"; readonly tag: string }
  /** As it was written; which decks that are is looked up. */
  | { readonly kind: "deck"; readonly deck: string }
  | { readonly kind: "is"; readonly state: CardState }
  | { readonly kind: "has"; readonly thing: "attachment" }
  /** Created, or due again, from `from` on and before `to`: ISO instants. */
  | Between<"created">
  | Between<"due">;

interface Between<K extends string> {
  readonly kind: K;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

type CardState = (typeof cardStates)[number];

/** All conditions, alternatives too. */
export const conditionsOf = (query: Query): readonly Condition[] =>
  query.flatMap<Condition>((term) => (term.kind === "any" ? conditionsOf(term.of) : [term]));

/** A day, or an instant, as ISO instants: where it begins, and where what comes after it begins. */
export interface Span {
  readonly from: string;
  readonly to: string;
}

interface QueryHelp {
  /** Reads a date as the user writes it; undefined for anything else. */
  span(text: string): Span | undefined;
}

/**
 * Reads a search: words, `"phrases"`, `#tag`, `tag:`, `deck:`, `is:new|due|archived|trashed|leech`, `has:attachment`,
 * `created:>2026-01-01`, `due:<3d`. `-` before a term negates it, `OR` between two terms asks for either, and
 * binds closer than the space (or `AND`) between terms.
 *
 * @throws UsageError for an unknown key or value, an open quote, brackets, an `OR` without a term, and an empty search
 */
export function parseQuery(source: string, help: QueryHelp): Query {
  /** Alternatives: most have one term. */
  const terms: Term[][] = [];
  let joins = false;
  for (const match of source.matchAll(/(-?)(?:([A-Za-z]+):(?=\S))?(?:"([^"]*)("?)|(\S+))/g)) {
    const [whole, minus, key, quoted, closing, plain = ""] = match;
    if (closing === "") throw new UsageError(`a quote is not closed: ${whole}`);
    if (/^-?\(/.test(whole))
      throw new UsageError("a search has no brackets: OR binds closer than the space between terms", {
        hint: `To search for the text, quote it: "${whole}"`,
      });
    if (/^or$/i.test(whole)) {
      if (terms.length === 0 || joins) throw lonely(whole, "before");
      joins = true;
    } else if (!/^and$/i.test(whole)) {
      const condition = conditionOf(key, quoted, plain, help);
      if (condition === undefined) continue;
      const term = { ...condition, not: minus === "-" };
      if (joins) terms.at(-1)?.push(term);
      else terms.push([term]);
      joins = false;
    }
  }
  if (joins) throw lonely("OR", "after");
  if (terms.length === 0) throw new UsageError("the search is empty");
  return terms.map((of) => {
    const [first] = of;
    return of.length === 1 && first !== undefined ? first : { kind: "any", not: false, of };
  });
}

const lonely = (operator: string, place: "before" | "after") =>
  new UsageError(`${operator} needs a term ${place} it`, {
    hint: `To search for the word, quote it: "${operator}"`,
  });

/** What a word or a quoted text asks for; undefined where it holds nothing that can be found. */
function conditionOf(
  key: string | undefined,
  quoted: string | undefined,
  plain: string,
  help: QueryHelp,
): Condition | Alternatives | undefined {
  const value = quoted ?? plain;
  // A web address is text.
  const isKey = key !== undefined && !(value.startsWith("//") && quoted === undefined);
  const empty = value.trim() === "" ? key : /^([A-Za-z]+):$/.exec(plain)?.[1];
  if (empty !== undefined && keys.includes(empty.toLowerCase()))
    throw new UsageError(`${empty}: takes a value, without a space between`);
  if (isKey) return keyed(key.toLowerCase(), value, help);
  const condition = text(key ? `${key}:${value}` : value, quoted !== undefined);
  if (condition === undefined || quoted !== undefined || !/^#[\p{L}\p{N}_]/u.test(plain)) return condition;
  // A tag as it is written in a card; `#include` of a card about C is text.
  const tag = { kind: "tag", not: false, tag: fold(plain.slice(1)) } as const;
  return { kind: "any", of: [tag, { not: false, ...condition }] };
}

/**
 * A word is found at the beginning of a word; a phrase also ends at the end of one, and its spaces stand for any. In scripts
 * without spaces anywhere.
 */
function text(value: string, phrase: boolean): Condition | undefined {
  const whole = fold(value).trim();
  // A word finds those that begin with it: a star after it changes nothing.
  const folded = phrase ? whole : whole.replace(/(?<=[\p{L}\p{N}])\*$/u, "");
  if (!/[\p{L}\p{N}\p{S}]/u.test(folded)) return undefined;
  const words = folded.split(/\s+/);
  const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("\\s+");
  const anywhere = isUnspaced(folded);
  const begin = !anywhere && /^[\p{L}\p{N}\p{M}]/u.test(folded) ? "(?<![\\p{L}\\p{N}\\p{M}])" : "";
  const end = !anywhere && phrase && /[\p{L}\p{N}\p{M}]$/u.test(folded) ? "(?![\\p{L}\\p{N}\\p{M}])" : "";
  return { kind: "text", part: words[0] ?? "", pattern: new RegExp(begin + escaped + end, "u") };
}

function keyed(key: string, value: string, help: QueryHelp): Condition {
  switch (key) {
    case "tag":
    case "tags":
      return { kind: "tag", tag: fold(value.replace(/^#/, "")) };
    case "deck":
      return { kind: "deck", deck: value };
    case "is": {
      const state = cardStates.find((each) => each === value.toLowerCase());
      if (state === undefined)
        throw new UsageError(`is: takes ${cardStates.join(", ")}, not ${JSON.stringify(value)}`);
      return { kind: "is", state };
    }
    case "has":
      if (/^attachments?$/i.test(value)) return { kind: "has", thing: "attachment" };
      throw new UsageError(`has: takes attachment, not ${JSON.stringify(value)}`);
    case "created":
    case "due":
      return between(key, value, help);
    default:
      throw new UsageError(
        `there is no ${key}: to search by; there are ${keys.map((each) => `${each}:`).join(", ")}`,
        {
          hint: `To search for the text, quote it: "${key}:${value}"`,
        },
      );
  }
}

function between(kind: "created" | "due", value: string, help: QueryHelp): Condition {
  // `due:<3d` means three days from now.
  const span = (text: string) => help.span(kind === "due" && /^\d+[dw]$/.test(text) ? `+${text}` : text);
  const [, sign = "", given = ""] = /^(>=|<=|>|<|=)?(.*)$/.exec(value) ?? [];
  const [first = "", last] = given.split("..");
  const begin = span(first);
  const end = last === undefined ? begin : span(last);
  if (begin === undefined || end === undefined || (last !== undefined && sign !== ""))
    throw new UsageError(`${kind}: takes a date, not ${JSON.stringify(value)}`, {
      hint:
        kind === "due"
          ? "For example due:today, due:<3d, due:2026-01-01..2026-01-31"
          : "For example created:2026-01-31, created:>2026-01-31, created:<=-2w, created:2026-01-01..2026-01-31",
    });
  if (begin.from >= end.to)
    throw new UsageError(`${kind}:${value} ends before it begins`, {
      hint: "The earlier date comes first.",
    });
  const spans: Readonly<Record<string, readonly [from: string | undefined, to: string | undefined]>> = {
    ">": [begin.to, undefined],
    ">=": [begin.from, undefined],
    "<": [undefined, begin.from],
    "<=": [undefined, begin.to],
  };
  const [from, to] = spans[sign] ?? [begin.from, end.to];
  return { kind, from, to };
}
