import { UsageError } from "../errors.ts";
import { fold } from "./fold.ts";

/** What a search asks for: all of these. */
export type Query = readonly Term[];

export type Term = { readonly not: boolean } & Condition;
export type Condition =
  /** Words in a row, the last of which may go on, or text anywhere where a script has no spaces. */
  | { readonly kind: "text"; readonly text: string; readonly phrase: boolean }
  | { readonly kind: "tag"; readonly tag: string }
  /** As it was written; which decks that are is looked up. */
  | { readonly kind: "deck"; readonly deck: string }
  | { readonly kind: "is"; readonly state: CardState }
  | { readonly kind: "has"; readonly thing: "attachment" }
  /** Created from `from` on, before `to`: ISO instants. */
  | { readonly kind: "created"; readonly from: string | undefined; readonly to: string | undefined };

const cardStates = ["new", "archived", "trashed"] as const;
export type CardState = (typeof cardStates)[number];

/** A day, or an instant, as ISO instants: where it begins, and where what comes after it begins. */
export interface Span {
  readonly from: string;
  readonly to: string;
}

export interface QueryHelp {
  /** Reads a date as the user writes it; undefined for what is none. */
  span(text: string): Span | undefined;
}

const keys = ["tag", "deck", "is", "has", "created"];

/**
 * Reads a search: words, `"phrases"`, `tag:`, `deck:`, `is:new|archived|trashed`, `has:attachment`, `created:>2026-01-01`,
 * each with a `-` in front of it for what must not be.
 *
 * @throws UsageError for a key or value that there is not, an open quote, and a search for nothing
 */
export function parseQuery(source: string, help: QueryHelp): Query {
  const terms: Term[] = [];
  const pattern = /(-?)(?:([A-Za-z]+):(?=\S))?(?:"([^"]*)("?)|(\S+))/g;
  for (const match of source.matchAll(pattern)) {
    const [whole, minus = "", key, quotedText, closing, plain] = match;
    const quoted = quotedText !== undefined;
    if (quoted && closing === "") throw new UsageError(`a quote is not closed: ${whole}`);
    const value = quoted ? quotedText : (plain ?? "");
    const not = minus === "-";
    // A web address or a time is text.
    const isKey = key !== undefined && !(value.startsWith("//") && !quoted);
    const empty = value.trim() === "" ? key : /^([A-Za-z]+):$/.exec(plain ?? "")?.[1];
    if (empty !== undefined && keys.includes(empty.toLowerCase()))
      throw new UsageError(`${empty}: takes a value, without a space between`);
    const condition = isKey
      ? keyed(key.toLowerCase(), value, help)
      : text(key ? `${key}:${value}` : value, quoted);
    if (condition !== undefined) terms.push({ not, ...condition });
  }
  if (terms.length === 0) throw new UsageError("what is to be searched for?");
  return terms;
}

function text(value: string, phrase: boolean): Condition | undefined {
  const whole = fold(value).trim();
  // A word finds those that begin so: a star behind it, as people write it, says nothing more.
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
      return created(value, help);
    default:
      throw new UsageError(
        `there is no ${key}: to search by; there are ${keys.map((each) => `${each}:`).join(", ")}`,
        {
          hint: `To search for the text, quote it: "${key}:${value}"`,
        },
      );
  }
}

function created(value: string, { span }: QueryHelp): Condition {
  const [, sign = "", given = ""] = /^(>=|<=|>|<|=)?(.*)$/.exec(value) ?? [];
  const [first = "", last] = given.split("..");
  const begin = span(first);
  const end = last === undefined ? begin : span(last);
  if (begin === undefined || end === undefined || (last !== undefined && sign !== ""))
    throw new UsageError(`created: takes a date, not ${JSON.stringify(value)}`, {
      hint: "For example created:2026-01-31, created:>2026-01-31, created:<=-2w, created:2026-01-01..2026-01-31",
    });
  switch (sign) {
    case ">":
      return { kind: "created", from: begin.to, to: undefined };
    case ">=":
      return { kind: "created", from: begin.from, to: undefined };
    case "<":
      return { kind: "created", from: undefined, to: begin.from };
    case "<=":
      return { kind: "created", from: undefined, to: begin.to };
    default:
      return { kind: "created", from: begin.from, to: end.to };
  }
}
