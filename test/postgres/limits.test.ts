import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { idOf, rawClient } from "../support/requests.ts";
import { openTestApplication } from "../support/service.ts";

test("a position that no index can hold is refused, and one of 500 characters is kept", async () => {
  const ask = rawClient(await openTestApplication());
  const deck = idOf(await ask("POST", "/decks", { name: "d" }));
  const create = (length: number) => {
    const pos = randomBytes(length)
      .toString("latin1")
      .replaceAll(/[^!-~]/g, "x");
    return ask("POST", "/cards", { content: "x", "deck-id": deck, pos });
  };
  expect((await create(500)).status).toBe(200);
  expect(await create(7_000)).toMatchObject({ status: 413, body: { errors: [expect.any(String)] } });
  expect((await create(10)).status).toBe(200);
});
