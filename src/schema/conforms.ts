import { isMap } from "./check.ts";
import { isInstant } from "./instant.ts";
import type { Kind, ObjectKind } from "./kinds.ts";
import { perKind } from "./per-kind.ts";

/**
 * Whether a value that was received is as its kind says: true exactly where `check(kind, value, "received")` finds
 * nothing wrong. Every document of every page is asked about, and hardly any has something wrong with it: what that is,
 * check() tells then.
 */
export const conforms = (kind: ObjectKind, value: unknown): boolean => isMap(value) && testOf(kind)(value);

/** Looks at a value that is there: what holds it lets null pass, and a field be missing. */
type Test = (value: unknown) => boolean;

const testOf = perKind(compile);

function compile(kind: Kind): Test {
  switch (kind.kind) {
    case "unknown":
      return () => true;
    case "boolean":
      return (value) => typeof value === "boolean";
    case "string":
    case "keyword":
      return (value) => typeof value === "string";
    case "integer":
    case "number":
      return Number.isFinite;
    case "instant":
    case "timestamp":
      return isInstant;
    case "array":
    case "set":
      return listTest(testOf(kind.of));
    case "record":
      return recordTest(testOf(kind.of));
    case "object":
      return objectTest(kind);
  }
}

function listTest(item: Test): Test {
  return (value) => {
    if (!Array.isArray(value)) return false;
    for (const each of value) if (each !== null && !item(each)) return false;
    return true;
  };
}

function recordTest(entry: Test): Test {
  return (value) => {
    if (!isMap(value)) return false;
    for (const key of Object.keys(value)) if (value[key] !== null && !entry(value[key])) return false;
    return true;
  };
}

function objectTest({ fields, transitKeys = {} }: ObjectKind): Test {
  // A field that transit names otherwise is understood under either name.
  const aliases = Object.entries(transitKeys).map(([name, alias]) => [alias, fields[name]] as const);
  const fieldTests = [...Object.entries(fields), ...aliases].map(([name, field]) => ({
    name,
    test: testOf(field as Kind),
  }));
  return (value) => {
    if (!isMap(value)) return false;
    for (const { name, test } of fieldTests) {
      const given = value[name];
      if (given !== undefined && given !== null && !test(given)) return false;
    }
    return true;
  };
}
