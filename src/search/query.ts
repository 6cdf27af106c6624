import { UsageError } from "../errors.ts";
import { fold } from "./fold.ts";
import { cardStates, keys } from "./keys.ts";

/** What a search asks for: a card has to meet all of the terms. */
export type Query = readonly Term[];

export type Term = { readonly not: boolean } & (Condition | Group);

/** Terms in brackets, or joined by `OR`: a card has to meet all of them, or any. */
type Group =
  | { readonly kind: "all"; readonly of: readonly Term[] }
  | { readonly kind: "any"; readonly of: readonly Term[] };

type Condition =
  /** Words in a row, the last of which may go on, or text anywhere where a script has no spaces. */
  | { readonly kind: "text"; readonly text: string; readonly phrase: boolean }
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

/** All conditions, those in groups too. */
export const conditionsOf = (query: Query): readonly Condition[] =>
  query.flatMap<Condition>((term) =>
    term.kind === "any" || term.kind === "all" ? conditionsOf(term.of) : [term],
  );

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
 * `created:>2026-01-01`, `due:<3d`. `-` or `NOT` before a term negates it, `OR` between two terms asks for either, and
 * brackets group terms. `OR` binds closer than the space between terms.
 *
 * @throws UsageError for an unknown key or value, an open quote or bracket, `AND` beside `OR`, and an empty search
 */
export function parseQuery(source: string, help: QueryHelp): Query {
  const query = readGroup(tokensOf(source, help));
  if (query.length === 0) throw new UsageError("the search is empty");
  const [first] = query;
  // Brackets around the whole search.
  return query.length === 1 && first?.kind === "all" && !first.not ? first.of : query;
}

// Far more than anybody writes. Groups are read and matched by functions that call themselves.
const deepest = 100;

type Operator = "AND" | "OR" | "NOT";

type Token =
  | { readonly kind: "open"; readonly not: boolean }
  | { readonly kind: "close" }
  | { readonly kind: Operator; readonly written: string }
  | { readonly kind: "term"; readonly term: Term };

function* tokensOf(source: string, help: QueryHelp): Generator<Token, undefined> {
  let depth = 0;
  const pattern = /(-?)\(|\)|(-?)(?:([A-Za-z]+):(?=\S))?(?:"([^"]*)("?)|(\S+))/g;
  for (let match = pattern.exec(source); match !== null; match = pattern.exec(source)) {
    const [whole, minusGroup, minus = "", key, quoted, closing, rest = ""] = match;
    if (minusGroup !== undefined) {
      if (++depth > deepest)
        throw new UsageError(`the brackets of a search may be ${deepest} deep, one in the other`);
      yield { kind: "open", not: minusGroup === "-" };
    } else if (whole === ")") {
      if (depth-- === 0) throw bracketError('a ")" has no "(" before it', ")");
      yield { kind: "close" };
    } else {
      if (closing === "") throw new UsageError(`a quote is not closed: ${whole}`);
      const outside = quoted === undefined ? bracketsAfter(rest) : 0;
      if (outside > depth)
        throw bracketError(`the ")" in ${JSON.stringify(whole)} has no "(" before it`, whole);
      // Those brackets are read next.
      pattern.lastIndex -= outside;
      const plain = rest.slice(0, rest.length - outside);
      const operator = /^(?:and|or)$/i.test(plain) || plain === "NOT";
      if (operator && minus === "" && key === undefined)
        yield { kind: plain.toUpperCase() as Operator, written: plain };
      else {
        const condition = conditionOf(key, quoted, plain, help);
        if (condition !== undefined) yield { kind: "term", term: { not: minus === "-", ...condition } };
      }
    }
  }
  if (depth > 0) throw bracketError('a "(" is not closed', "(");
}

/** How many closing brackets at the end of a word belong to no bracket in it. */
function bracketsAfter(word: string): number {
  const open = word.split("(").length - 1;
  const closed = word.split(")").length - 1;
  const last = /\)*$/.exec(word)?.[0].length ?? 0;
  return Math.min(last, Math.max(0, closed - open));
}

const bracketError = (message: string, text: string) =>
  new UsageError(message, { hint: `To search for the text, quote it: "${text}"` });

/** The terms up to the end, or to the bracket that closes them. */
function readGroup(tokens: Generator<Token, undefined>): Term[] {
  /** Alternatives: most have one term. */
  const terms: Term[][] = [];
  let not = false;
  /** What joins the next term to the one before it; the last of these. */
  let [joint, last]: (Operator | undefined)[] = [];
  const operators = new Set<Operator>();
  const add = (given: Term) => {
    const term = not ? { ...given, not: !given.not } : given;
    if (joint === "OR") terms.at(-1)?.push(term);
    else terms.push([term]);
    [joint, last, not] = [undefined, undefined, false];
  };
  for (let token = tokens.next().value; token !== undefined; token = tokens.next().value) {
    if (token.kind === "close") break;
    if (token.kind === "term") add(token.term);
    else if (token.kind === "open") add(grouped(token.not, readGroup(tokens)));
    else if (token.kind === "NOT") [not, last] = [!not, "NOT"];
    else {
      if (terms.length === 0 || last !== undefined) throw lonely(token.written, "before");
      operators.add(token.kind);
      [joint, last] = [token.kind, token.kind];
    }
  }
  if (last !== undefined) throw lonely(last, "after");
  if (operators.size > 1)
    throw new UsageError("AND and OR are mixed: put brackets around the terms that belong together", {
      hint: "For example: river AND (europe OR asia)",
    });
  return terms.map(alternative);
}

const lonely = (operator: string, place: "before" | "after") =>
  new UsageError(`${operator} needs a term ${place} it`, {
    hint: `To search for the word, quote it: "${operator}"`,
  });

function grouped(not: boolean, of: readonly Term[]): Term {
  const [first] = of;
  if (first === undefined) throw bracketError("there is nothing between the brackets", "()");
  return of.length === 1 ? { ...first, not: first.not !== not } : { kind: "all", not, of };
}

function alternative(of: readonly Term[]): Term {
  const [first] = of;
  return of.length === 1 && first !== undefined ? first : { kind: "any", not: false, of };
}

/** What a word or a quoted text asks for; undefined where it holds nothing that can be found. */
function conditionOf(
  key: string | undefined,
  quoted: string | undefined,
  plain: string,
  help: QueryHelp,
): Condition | Group | undefined {
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

function text(value: string, phrase: boolean): Condition | undefined {
  const whole = fold(value).trim();
  // A word finds those that begin with it: a star after it changes nothing.
  const folded = phrase ? whole : whole.replace(/(?<=[\p{L}\p{N}])\*$/u, "");
  return /[\p{L}\p{N}\p{S}]/u.test(folded) ? { kind: "text", text: folded, phrase } : undefined;
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
