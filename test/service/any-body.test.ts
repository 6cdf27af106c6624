import fc from "fast-check";
import { expect, test } from "vitest";
import { type Operation, operations } from "../../src/schema/index.ts";
import { idOf, rawClient } from "../support/requests.ts";
import { openTestApplication } from "../support/service.ts";

/** Whatever a body says, it is answered with a success or a refusal, and never spoils what is read afterwards. */

const writing = (Object.values(operations) as Operation[]).filter(
  (each) => typeof each.body === "object" && each.path !== "/cards/:card-id/reviews",
);
const codecs = ["application/json", "application/transit+json"] as const;

const text = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "#",
    ":a",
    "~:a",
    "~~a",
    "^0",
    "`",
    "\0",
    "\ud800",
    "😀",
    "__proto__",
    "constructor",
  ),
  fc.constantFrom(
    "2024-11-20T23:00:00Z",
    "2024-02-30",
    "+275760-09-13T00:00:00.000Z",
    "[[:a]] #b ==c==",
    "name",
  ),
  fc.string({ unit: "binary", maxLength: 20 }),
);
const scalar = fc.oneof(text, fc.constantFrom(null, true, false), fc.double(), fc.maxSafeInteger());
const { value: anything } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(text, tie("value"), { maxKeys: 3, noNullPrototype: true }),
    fc
      .tuple(fc.constantFrom("~#set", "~#list", "~#dt", "~#point", "^ "), tie("value"))
      .map((pair) => [...pair]),
    fc.tuple(fc.constantFrom("~#set", "~#dt", "~#'"), tie("value")).map(([tag, value]) => ({ [tag]: value })),
  ),
}));
/** The fields that one entry of a `fields` map has, of a card or of a template. */
const entries = fc.dictionary(
  text,
  fc.record({ value: text, name: text, options: anything, more: anything }, { requiredKeys: ["value"] }),
  { maxKeys: 2, noNullPrototype: true },
);

const request = fc.record({
  operation: fc.constantFrom(...writing),
  transit: fc.boolean(),
  over: fc.dictionary(
    fc.constantFrom(
      ...new Set(writing.flatMap(({ body }) => Object.keys((body as { fields: object }).fields))),
    ),
    anything,
    { maxKeys: 3, noNullPrototype: true },
  ),
  entries,
});

test("answers any body, and everything can be read afterwards in both codecs", async () => {
  const faults: unknown[] = [];
  const ask = rawClient(await openTestApplication({ onError: (error) => faults.push(error) }));
  const deck = idOf(await ask("POST", "/decks", { name: "D" }));
  const card = idOf(await ask("POST", "/cards", { content: "x", "deck-id": deck }));
  const template = idOf(await ask("POST", "/templates", { name: "T", content: "x", fields: {} }));
  const ids: Readonly<Record<string, string>> = { card, deck, template };
  const lists = ["/cards?limit=100", "/decks", "/templates", "/due", `/cards/${card}`, `/decks/${deck}`];
  await fc.assert(
    fc.asyncProperty(request, async ({ operation, transit, over, entries }) => {
      const fields = Object.entries(entries).map(([id, entry]) => [id, { id, ...entry }]);
      const body = { name: "N", content: "c", "deck-id": deck, fields: Object.fromEntries(fields), ...over };
      const type = codecs[transit ? 1 : 0];
      const path = operation.path.replace(/:(\w+)-id/, (_, noun) => ids[noun] ?? "");
      const sent = transit ? keyed(body) : body;
      const answer = await ask(operation.method, path, JSON.stringify(sent), { "content-type": type });
      expect([200, 204, 400, 422], answer.text).toContain(answer.status);
      for (const list of lists)
        for (const accept of codecs)
          expect((await ask("GET", list, undefined, { accept })).status, list).toBe(200);
    }),
    { numRuns: 150 },
  );
  expect(faults).toEqual([]);
});

/** The fields' names as transit has them. */
const keyed = (body: object) =>
  Object.fromEntries(Object.entries(body).map(([key, value]) => [`~:${key}`, value]));
