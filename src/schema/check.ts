import { isInstant } from "./instant.ts";
import type { Kind, ObjectKind } from "./kinds.ts";

/**
 * How strictly a value is checked. "sent": required fields, limits, allowed values, null only where it clears. "received":
 * tolerant (service-api.md shows answers partly): anything may be missing or null, but a known field that is there has
 * the type that the program relies on.
 */
export type Strictness = "sent" | "received";

/**
 * Checks a decoded value against its kind.
 *
 * @returns one message per failing top-level field (failures inside a nested map are told under the top-level key), or
 * undefined if all is well. The key "" stands for the value itself not being a map.
 */
export function check(
  kind: ObjectKind,
  value: unknown,
  strictness: Strictness,
): Record<string, string> | undefined {
  if (!isMap(value)) return { "": "must be a map" };
  let problems: Record<string, string> | undefined;
  const report = (field: string, message: string) => {
    problems ??= Object.create(null) as Record<string, string>;
    problems[field] ??= message;
  };
  for (const name in kind.fields) {
    const field = kind.fields[name] as Kind;
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    if (given === undefined) {
      if (strictness === "sent" && kind.required.includes(name))
        report(name, "is required and cannot be nil");
      continue;
    }
    const message = problemWith(field, given, strictness);
    if (message !== undefined) report(name, message);
  }
  return problems;
}

function problemWith(kind: Kind, value: unknown, strictness: Strictness): string | undefined {
  if (value === null) return strictness === "received" || kind.nullable ? undefined : "cannot be nil";
  const sent = strictness === "sent";
  switch (kind.kind) {
    case "unknown":
      return undefined;
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false";
    case "string":
      if (typeof value !== "string") return "must be a string";
      if (!sent) return undefined;
      if (kind.filled && value.trim() === "") return "cannot be blank";
      if (kind.max !== undefined && value.length > kind.max && [...value].length > kind.max)
        return `is too long (at most ${kind.max} characters)`;
      return undefined;
    case "keyword":
      if (typeof value !== "string") return "must be a string";
      if (!sent) return undefined;
      if (value === "" || value === ":") return "cannot be blank";
      if (kind.values && !kind.values.includes(value)) return `must be one of ${kind.values.join(", ")}`;
      return undefined;
    case "integer":
    case "number":
      if (typeof value !== "number" || !Number.isFinite(value)) return "must be a number";
      if (!sent) return undefined;
      if (kind.kind === "integer" && !Number.isSafeInteger(value)) return "must be a whole number";
      if (kind.min !== undefined && value < kind.min) return rangeMessage(kind);
      if (kind.max !== undefined && value > kind.max) return rangeMessage(kind);
      return undefined;
    case "instant":
    case "timestamp":
      return isInstant(value) ? undefined : "must be an ISO 8601 timestamp";
    case "array":
    case "set":
      if (!Array.isArray(value)) return "must be a list";
      for (const item of value) {
        const message = problemWith(kind.of, item, strictness);
        if (message !== undefined) return `has an item that ${message}`;
      }
      return undefined;
    case "record":
      if (!isMap(value)) return "must be a map";
      for (const key of Object.keys(value)) {
        if (sent && key === "") return "has an entry without an id";
        const entry = value[key];
        if (entry === null && sent) return `${quote(key)} cannot be nil`;
        const message = problemWith(kind.of, entry, strictness);
        if (message !== undefined) return `${quote(key)} ${message}`;
        if (sent && kind.keyed && isMap(entry) && entry["id"] !== key)
          return `${quote(key)} has an id that is not its key`;
      }
      return undefined;
    case "object": {
      const problems = check(kind, value, strictness);
      if (problems === undefined) return undefined;
      const [field, message] = Object.entries(problems)[0] as [string, string];
      return field === "" ? message : `${field} ${message}`;
    }
  }
}

/** Whether a value is a map as the codecs make them: an object that is no array. */
export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function rangeMessage(kind: { min?: number; max?: number }): string {
  if (kind.min !== undefined && kind.max !== undefined) return `must be from ${kind.min} to ${kind.max}`;
  return kind.min !== undefined ? `must be at least ${kind.min}` : `must be at most ${kind.max}`;
}

const quote = (text: string) => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
