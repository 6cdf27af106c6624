import { expect, test } from "vitest";
import { mediaTypes } from "../../src/schema/index.ts";
import { idOf, rawClient } from "../support/requests.ts";
import { openTestApplication } from "../support/service.ts";
import { type Vector, wireErrors, wireVectors } from "../support/vectors.ts";

/** A service with a deck, a template and a card to change. */
async function collection() {
  const ask = rawClient(await openTestApplication());
  const deck = idOf(await ask("POST", "/decks", { name: "d" }));
  const template = idOf(await ask("POST", "/templates", { name: "t", content: "c", fields: {} }));
  const card = idOf(await ask("POST", "/cards", { content: "x", "deck-id": deck }));
  const targets: Record<string, string> = {
    "card-create": "/cards",
    "card-update": `/cards/${card}`,
    "deck-create": "/decks",
    "deck-update": `/decks/${deck}`,
    "template-create": "/templates",
  };
  /** The body of a vector with the ids that it names, of another collection, made ours. */
  const localised = ({ wire }: Vector) =>
    ["deck-id", "template-id", "parent-id"].reduce(
      (text, key) =>
        text.replace(
          new RegExp(`("(?:~:)?${key}"[:,]"(?:~:)?)[^"]+`),
          `$1${key === "template-id" ? template : deck}`,
        ),
      wire,
    );
  return { ask, targets, localised };
}

const bodies = wireVectors().filter(({ schema }) => /-(create|update)$/.test(schema));

test.each(bodies)("accepts the recorded body $name", async (vector) => {
  const { ask, targets, localised } = await collection();
  const type = { "content-type": mediaTypes[vector.codec] };
  const answer = await ask("POST", targets[vector.schema] ?? "", localised(vector), type);
  expect(answer, answer.text).toMatchObject({ status: 200 });
  const { "manual-tags": tags, ...rest } = vector.domain as Record<string, unknown>;
  for (const name of ["deck-id", "template-id", "parent-id"]) delete rest[name];
  if (rest["trashed?"] !== undefined) rest["trashed?"] = { date: rest["trashed?"] };
  expect(answer.body).toMatchObject({ ...rest, ...(tags === undefined ? {} : { tags }) });
});

// An instant in a field of answers only is, in a body, an unknown field like any other.
const refused = wireErrors().filter(({ name }) => name !== "error/json-instant-invalid");

test.each(refused)("answers 400 to $name: $why", async ({ wire, codec }) => {
  const { ask } = await collection();
  const answer = await ask("POST", "/cards", wire, { "content-type": mediaTypes[codec] });
  expect(answer).toMatchObject({ status: 400, body: { errors: [expect.any(String)] } });
});
