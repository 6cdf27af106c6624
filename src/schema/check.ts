import { isInstant } from "./instant.ts";
import type { KeywordKind, Kind, NumberKind, ObjectKind, RecordKind, StringKind } from "./kinds.ts";
import { fitsPath } from "./operation.ts";

/**
 * How strictly a value is checked. "sent": required fields, limits, allowed values, null only where it clears. "received":
 * tolerant, since answers are documented only in part: what is not needed may be missing or null, but a known field that is
 * there has the type that the program relies on.
 */
type Strictness = "sent" | "received";

/**
 * Checks a decoded value against its kind.
 *
 * @returns one message per failing top-level field (failures inside a nested map are reported under the top-level key);
 * undefined if there is none. The key "" means that the value itself is not a map.
 */
export function check(
  kind: ObjectKind,
  value: unknown,
  strictness: Strictness,
): Record<string, string> | undefined {
  if (!isMap(value)) return { "": "must be a map" };
  let problems: Record<string, string> | undefined;
  const checkField = (name: string, field: Kind) => {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    const isMissing =
      strictness === "sent"
        ? given === undefined && kind.required.includes(name)
        : field.needed && (given == null || given === "");
    const found = given === undefined ? undefined : problemWith(field, given, strictness);
    const message = isMissing ? "is required and cannot be nil" : found;
    if (message === undefined) return;
    problems ??= Object.create(null) as Record<string, string>;
    problems[name] = message;
  };
  for (const name in kind.fields) checkField(name, kind.fields[name] as Kind);
  // A field with another name in transit is accepted under either name, so both are checked.
  for (const name in kind.transitKeys)
    checkField(kind.transitKeys[name] as string, kind.fields[name] as Kind);
  return problems;
}

function problemWith(kind: Kind, value: unknown, strictness: Strictness): string | undefined {
  const sent = strictness === "sent";
  if (kind.kind === "unknown") return sent ? problemWithUnknown(value, 1) : undefined;
  if (value === null) return sent && !kind.nullable ? "cannot be nil" : undefined;
  switch (kind.kind) {
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false";
    case "string":
      if (typeof value !== "string") return "must be a string";
      return sent ? problemWithText(kind, value) : undefined;
    case "keyword":
      if (typeof value !== "string") return "must be a string";
      if (sent) return problemWithKeyword(kind, value);
      return kind.needed && !fitsPath(value) ? "cannot be used in a request" : undefined;
    case "integer":
    case "number":
      return problemWithNumber(kind, value, sent);
    case "instant":
    case "timestamp":
      if (kind.kind === "instant" && kind.undocumented) return undefined;
      return isInstant(value) ? undefined : "must be an ISO 8601 timestamp";
    case "array":
      if (sent && kind.each) return Array.isArray(value) ? undefined : "must be a list";
      return problemWithList(kind.of, value, strictness);
    case "set":
      return problemWithList(kind.of, value, strictness);
    case "record":
      return problemWithRecord(kind, value, strictness);
    case "object": {
      const problems = check(kind, value, strictness);
      if (problems === undefined) return undefined;
      const [field, message] = Object.entries(problems)[0] as [string, string];
      return field === "" ? message : `${field} ${message}`;
    }
  }
}

function problemWithText(kind: StringKind, text: string): string | undefined {
  if (kind.notBlank && (kind.hash ? text.replace(/^#+/, "") : text).trim() === "") return "cannot be blank";
  if (kind.notEmpty && text === "") return "cannot be empty";
  if (kind.max !== undefined && text.length > kind.max && [...text].length > kind.max)
    return `is too long (at most ${kind.max} characters)`;
  return loneSurrogate.test(text) ? "is not well-formed Unicode" : undefined;
}

function problemWithKeyword(kind: KeywordKind, name: string): string | undefined {
  if (kind.values && !kind.values.includes(name)) return `must be one of ${kind.values.join(", ")}`;
  return problemWithName(name);
}

/** Text that transit cannot write as a keyword is refused in JSON, too: a document must be readable in both. */
function problemWithName(name: string): string | undefined {
  if (name === "") return "cannot be blank";
  if (name.startsWith(":")) return "cannot begin with a colon";
  return loneSurrogate.test(name) ? "is not well-formed Unicode" : undefined;
}

function problemWithNumber(kind: NumberKind, value: unknown, sent: boolean): string | undefined {
  const whole = kind.kind === "integer" && sent;
  if (typeof value !== "number" || !Number.isFinite(value) || (whole && !Number.isSafeInteger(value)))
    return whole ? "must be a whole number" : "must be a number";
  const { min, max } = kind;
  if (!sent || ((min === undefined || value >= min) && (max === undefined || value <= max))) return undefined;
  if (min !== undefined && max !== undefined) return `must be from ${min} to ${max}`;
  return min !== undefined ? `must be at least ${min}` : `must be at most ${max}`;
}

function problemWithList(of: Kind, value: unknown, strictness: Strictness): string | undefined {
  if (!Array.isArray(value)) return "must be a list";
  for (const item of value) {
    const message = problemWith(of, item, strictness);
    if (message !== undefined) return `has an item that ${message}`;
  }
  return undefined;
}

function problemWithRecord(kind: RecordKind, value: unknown, strictness: Strictness): string | undefined {
  if (!isMap(value)) return "must be a map";
  for (const key of Object.keys(value)) {
    const entry = value[key];
    const sent = strictness === "sent";
    const name = sent ? problemWithName(key) : undefined;
    if (name !== undefined) return `has a key that ${name}`;
    const message = problemWith(kind.of, entry, strictness);
    if (message !== undefined) return `${quote(key)} ${message}`;
    if (sent && kind.keyed && isMap(entry) && entry["id"] !== key)
      return `${quote(key)} has an id that is not its key`;
  }
  return undefined;
}

// Far more than documents have, and less than the codecs' own limit.
const deepestUnknown = 100;

/** A value of unknown kind is passed on as it is, so both codecs must be able to carry it. */
function problemWithUnknown(value: unknown, depth: number): string | undefined {
  if (typeof value === "string") return loneSurrogate.test(value) ? "is not well-formed Unicode" : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  if (depth > deepestUnknown) return `is nested more than ${deepestUnknown} levels deep`;
  const names = Array.isArray(value) ? [] : Object.keys(value).map(problemWithName);
  const name = names.find((problem) => problem !== undefined);
  if (name !== undefined) return `has a key that ${name}`;
  for (const item of Object.values(value)) {
    const problem = problemWithUnknown(item, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

// Half of a surrogate pair: UTF-8 cannot carry it, and it would be stored as another character.
const loneSurrogate = /[\ud800-\udfff]/u;

/** Whether a value is an object and not an array: what the codecs return for a map. */
export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const quote = (text: string) => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
