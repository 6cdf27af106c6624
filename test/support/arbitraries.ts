import fc from "fast-check";
import type { Kind, ObjectKind } from "../../src/schema/index.ts";

/** Any text there is: every plane, control characters, halves of surrogate pairs, what transit and JSON escape. */
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom(
    "",
    "~",
    "^",
    "`",
    "~:x",
    "^ ",
    "^0",
    "~#set",
    "~t5",
    "__proto__",
    "constructor",
    "2024",
    "\0",
  ),
);

/** Names that transit can write as keywords. */
const name = text.map((any) => any.replace(/^:+/, "") || "k");

const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((any) => any + 0);

/** From year 0 on, often enough beyond four digits, always as Date#toJSON writes it. */
const instant = fc
  .oneof(
    fc.integer({ min: 0, max: 4e12 }),
    fc.integer({ min: -8.64e15, max: 8.64e15 }),
    fc.constantFrom(-8.64e15, 8.64e15, 0, -1, 951_782_400_000, 253_402_300_799_999),
  )
  .map((ms) => new Date(ms).toISOString());

/** Null-prototype maps. */
const maps = (keys: fc.Arbitrary<string>, values: fc.Arbitrary<unknown>, maxLength: number) =>
  fc.uniqueArray(fc.tuple(keys, values), { maxLength, selector: ([key]) => key }).map(mapOf);

function mapOf(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const map = Object.create(null) as Record<string, unknown>;
  for (const [key, value] of entries) map[key] = value;
  return map;
}

/** What the schema does not know: plain data of any shape. */
const unknown: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(fc.constant(null), fc.boolean(), number, text),
    fc.array(tie("value"), { maxLength: 4 }),
    maps(name, tie("value"), 4),
  ),
})).value;

/** Domain values that the kind allows, each field there or not, unknown fields beside them. */
export function domainValues(kind: Kind): fc.Arbitrary<unknown> {
  const value = plainValues(kind);
  return kind.nullable ? fc.option(value, { freq: 4, nil: null }) : value;
}

function plainValues(kind: Kind): fc.Arbitrary<unknown> {
  switch (kind.kind) {
    case "string":
      return text;
    case "keyword":
      return kind.values ? fc.constantFrom(...kind.values) : name;
    case "boolean":
      return fc.boolean();
    case "number":
      return number;
    case "integer":
      return fc.maxSafeInteger();
    case "instant":
    case "timestamp":
      return instant;
    case "unknown":
      return unknown;
    case "array":
      return fc.array(domainValues(kind.of), { maxLength: 3 });
    case "set":
      return fc.uniqueArray(domainValues(kind.of), { maxLength: 20 });
    case "record":
      return maps(name, domainValues(kind.of), 3);
    case "object":
      return objects(kind);
  }
}

function objects(kind: ObjectKind): fc.Arbitrary<unknown> {
  const known = new Set([...Object.keys(kind.fields), ...Object.values(kind.transitKeys ?? {})]);
  const fields = Object.entries(kind.fields).map(([key, field]) =>
    fc.option(
      domainValues(field).map((value) => [key, value] as const),
      { freq: 3 },
    ),
  );
  const others = maps(
    name.filter((key) => !known.has(key)),
    unknown,
    2,
  );
  return fc
    .tuple(fc.tuple(...fields), others)
    .map(([entries, more]) => mapOf([...entries.filter((entry) => entry !== null), ...Object.entries(more)]));
}
