import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Card } from "../../src/schema/index.ts";
import { readCardFile, writeCardFile } from "../../src/transfer/formats/markdown/card-file.ts";
import type { Skipped } from "../../src/transfer/model.ts";

const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("---", "a\n---\nb", "x\n", " #t ", "\r"),
);
const card = fc.record(
  {
    id: fc.stringMatching(/^[0-9A-Za-z]{8}$/),
    content: text,
    tags: fc.uniqueArray(fc.stringMatching(/^[a-z0-9]{1,9}$/), { maxLength: 3 }),
    pos: fc.string({ minLength: 1 }),
    "archived?": fc.constant(true),
    "review-reverse?": fc.constant(true),
    fields: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), text, { maxKeys: 3 }),
  },
  { requiredKeys: ["id", "content"] },
);

describe("the file of a card", () => {
  test("says all of the card, whatever stands in it", async () => {
    await fc.assert(
      fc.asyncProperty(card, async ({ fields, ...rest }) => {
        const values = Object.entries(fields ?? {}).map(([id, value]) => [id, { id, value }]);
        const given = { ...rest, ...(fields && { fields: Object.fromEntries(values) }) } as unknown as Card;
        const skipped: Skipped[] = [];
        const written = await writeCardFile(given);
        const read = await readCardFile(written, "a.md", (each) => skipped.push(each));
        expect(skipped).toEqual([]);
        expect(read.id).toBe(rest.id);
        const { body } = read.card;
        expect(body.content).toBe(rest.content);
        expect(body.pos).toBe(rest.pos);
        expect(body["archived?"]).toBe(rest["archived?"]);
        for (const tag of rest.tags ?? [])
          expect([...(body["manual-tags"] ?? []), rest.content]).toContainEqual(expect.stringContaining(tag));
        for (const [id, value] of Object.entries(fields ?? {})) expect(body.fields?.[id]?.value).toBe(value);
        expect(await writeCardFile(given, {}, written)).toBe(written);
      }),
      { seed: 14, numRuns: 300 },
    );
  });

  test("keeps comments, unknown keys and the order of keys when it is written again", async () => {
    const before =
      "---\n# mine\naliases: [x]\ntags: [b, a]\n# about the id\nid:   abcd1234\npos: Z\n---\nold\n";
    const card = { id: "abcd1234", content: "new", tags: ["c"] } as unknown as Card;
    expect(await writeCardFile(card, {}, before)).toBe(
      "---\n# mine\naliases: [x]\ntags:\n  - c\n# about the id\nid:   abcd1234\n---\nnew\n",
    );
    expect(await writeCardFile(card, {}, "---\n[broken\n---\nold\n")).toBe(
      "---\nid: abcd1234\ntags:\n  - c\n---\nnew\n",
    );
  });
});
