import { UsageError } from "../errors.ts";
import { fold } from "./fold.ts";
import { cardStates, keys } from "./keys.ts";

/** What a search asks for: a card has to meet all of the terms. */
export type Query = readonly Term[];

export type Term = { readonly not: boolean } & Condition;
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
  | Between<"due">
  /** `a OR b`: at least one of them. */
  | { readonly kind: "any"; readonly of: readonly Term[] };

interface Between<K extends string> {
  readonly kind: K;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

type CardState = Exclude<(typeof cardStates)[number], "due">;

/** All terms, those of alternatives too. */
export const termsOf = (query: Query): readonly Term[] =>
  query.flatMap((term) => (term.kind === "any" ? [...term.of] : [term]));

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
 * Reads a search: words, `"phrases"`, `tag:`, `deck:`, `is:new|due|archived|trashed`, `has:attachment`,
 * `created:>2026-01-01`, `due:<3d`. A `-` in front negates a term, and `OR` between two terms asks for either.
 *
 * @throws UsageError for an unknown key or value, an open quote, and an empty search
 */
export function parseQuery(source: string, help: QueryHelp): Query {
  const terms: Term[] = [];
  let either = false;
  const pattern = /(-?)(?:([A-Za-z]+):(?=\S))?(?:"([^"]*)("?)|(\S+))/g;
  for (const match of source.matchAll(pattern)) {
    const [whole, minus = "", key, quotedText, closing, plain] = match;
    const quoted = quotedText !== undefined;
    if (quoted && closing === "") throw new UsageError(`a quote is not closed: ${whole}`);
    const value = quoted ? quotedText : (plain ?? "");
    if (whole === "OR") {
      if (terms.length === 0) throw new UsageError("OR needs a term before it");
      either = true;
      continue;
    }
    const not = minus === "-";
    // A web address or a time is text.
    const isKey = key !== undefined && !(value.startsWith("//") && !quoted);
    const empty = value.trim() === "" ? key : /^([A-Za-z]+):$/.exec(plain ?? "")?.[1];
    if (empty !== undefined && keys.includes(empty.toLowerCase()))
      throw new UsageError(`${empty}: takes a value, without a space between`);
    const condition = isKey
      ? keyed(key.toLowerCase(), value, help)
      : text(key ? `${key}:${value}` : value, quoted);
    if (condition === undefined) continue;
    const term = { not, ...condition };
    terms.push(either ? alternative(terms.pop(), term) : term);
    either = false;
  }
  if (either) throw new UsageError("OR needs a term after it");
  if (terms.length === 0) throw new UsageError("the search is empty");
  return terms;
}

function alternative(before: Term | undefined, term: Term): Term {
  if (before?.kind === "any") return { ...before, of: [...before.of, term] };
  return { kind: "any", not: false, of: before === undefined ? [term] : [before, term] };
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
      return state === "due"
        ? { kind: "due", from: undefined, to: help.span("today")?.to }
        : { kind: "is", state };
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
  switch (sign) {
    case ">":
      return { kind, from: begin.to, to: undefined };
    case ">=":
      return { kind, from: begin.from, to: undefined };
    case "<":
      return { kind, from: undefined, to: begin.from };
    case "<=":
      return { kind, from: undefined, to: begin.to };
    default:
      return { kind, from: begin.from, to: end.to };
  }
}
