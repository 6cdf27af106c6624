import { UsageError } from "../errors.ts";
import { check } from "./check.ts";
import { canonicalInstant } from "./instant.ts";
import type { Kind, ObjectKind } from "./kinds.ts";

interface ParsedQuery {
  /** The valid parameters as domain values: numbers, ISO 8601 instants, strings. */
  readonly value: Record<string, unknown>;
  /** One message per failing parameter, as check() gives them for bodies; undefined if there is none. */
  readonly problems: Record<string, string> | undefined;
}

/**
 * Reads query parameters by their kind. Unknown parameters are ignored, as unknown fields of a body are. A parameter that
 * is given twice is a problem; an empty one is an empty value, not an absent one.
 *
 * @param query encoded, without the `?`.
 */
export function parseQuery(kind: ObjectKind, query: string): ParsedQuery {
  const params = new URLSearchParams(query);
  const value = Object.create(null) as Record<string, unknown>;
  const repeated: string[] = [];
  for (const [name, field] of Object.entries(kind.fields)) {
    const [text, ...more] = params.getAll(name);
    if (text !== undefined) value[name] = parsed(field, text);
    if (more.length > 0) repeated.push(name);
  }
  let problems = check(kind, value, "sent");
  for (const name of repeated) {
    problems ??= Object.create(null) as Record<string, string>;
    problems[name] = "is given more than once";
  }
  for (const name of Object.keys(problems ?? {})) delete value[name];
  return { value, problems };
}

/** The domain value of one parameter; anything else stays text, and `check` then reports the problem. */
function parsed(kind: Kind, text: string): unknown {
  switch (kind.kind) {
    case "integer":
      return /^-?\d{1,16}$/.test(text) ? Number(text) : text;
    case "timestamp":
      return canonicalInstant(text) ?? text;
    default:
      return text;
  }
}

/**
 * The query of a request, encoded, without the `?`: the parameters of the kind, in its order. Undefined and null are left
 * out; instants are sent as they are.
 *
 * @throws UsageError for text that UTF-8 cannot carry.
 */
export function formatQuery(kind: ObjectKind, value: Readonly<Record<string, unknown>>): string {
  const pairs: string[] = [];
  for (const name of Object.keys(kind.fields)) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    if (given === undefined || given === null) continue;
    pairs.push(`${encodeURIComponent(name)}=${encoded(name, String(given))}`);
  }
  return pairs.join("&");
}

function encoded(name: string, text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw new UsageError(`the ${name} is not well-formed Unicode`);
  }
}
