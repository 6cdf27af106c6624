import fc from "fast-check";
import { expect, test } from "vitest";
import { toDomain } from "../../src/codecs/domain.ts";
import { check, type Kind, type Operation, operations } from "../../src/schema/index.ts";

const kinds = (Object.values(operations) as Operation[]).flatMap(({ id, answer, body }) =>
  [answer, body].filter((kind) => typeof kind === "object").map((kind) => [id, kind] as const),
);

const anything = fc.oneof(
  fc.constantFrom<unknown[]>(null, true, 0, 1.5, Number.POSITIVE_INFINITY, "", "x", [], [null], [undefined]),
  fc.constantFrom("2024-11-20", "2024-02-30T00:00:00.000Z", "2024-02-29T00:00:00.000Z"),
  fc.dictionary(fc.constantFrom("a", "id", "__proto__"), fc.constantFrom(null, "x", 1, {})),
);

/** Values of a kind, now and then with something wrong somewhere in them. */
const some = (kind: Kind) =>
  fc.oneof({ arbitrary: right(kind), weight: 30 }, { arbitrary: anything, weight: 1 });

function right(kind: Kind): fc.Arbitrary<unknown> {
  switch (kind.kind) {
    case "boolean":
      return fc.boolean();
    case "string":
    case "keyword":
      return fc.string({ maxLength: 3 });
    case "integer":
    case "number":
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case "instant":
    case "timestamp":
      return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
    case "unknown":
      return anything;
    case "array":
    case "set":
      return fc.array(some(kind.of), { maxLength: 3 });
    case "record":
      return fc.dictionary(fc.string({ maxLength: 2 }), some(kind.of), { maxKeys: 2 });
    case "object": {
      const aliases = Object.entries(kind.transitKeys ?? {}).map(([name, alias]) => [
        alias,
        kind.fields[name],
      ]);
      const fields = [...Object.entries(kind.fields), ...aliases].map(([name, field]) => [
        name,
        some(field as Kind),
      ]);
      return fc.record(Object.fromEntries(fields), { requiredKeys: [] });
    }
  }
}

test.each(kinds)("%s: a value conforms exactly where check finds nothing wrong with it", (_, kind) => {
  fc.assert(
    fc.property(some(kind), (data) => {
      const { value, conforms } = toDomain(kind, structuredClone(data));
      expect(conforms).toBe(check(kind, value, "received") === undefined);
    }),
    { numRuns: 300 },
  );
});
