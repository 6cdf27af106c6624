import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startTestServer, temporaryFolder } from "../support/service.ts";
import { deckhand } from "../support/world.ts";

/** Two programs with caches of their own and one account: the first has seen Geo/Kid, which the second then moves. */
async function moved() {
  const { url, key } = await startTestServer();
  const env = { DECKHAND_PROFILE: "", DECKHAND_BASE_URL: url, DECKHAND_API_KEY: key };
  const [here, there] = [await deckhand(env), await deckhand(env)];
  await there.ok(["decks", "create", "Geo"]);
  const kid = (await there.ok(["decks", "create", "Kid", "--parent", "Geo"])).trim();
  await there.ok(["decks", "create", "Other"]);
  await there.ok(["add", "front", "back", "--deck", "Kid"]);
  expect(await here.ok(["decks", "list", "--tree"])).toMatch(/^Geo .+\n└── Kid /m);
  await there.ok(["decks", "update", kid, "--parent", "Other"]);
  return { here, kid, folder: temporaryFolder() };
}

test("an export of a deck has what another program moved into it, and not what it moved out of it", async () => {
  const { here, folder } = await moved();
  const cardsOf = async (deck: string) => {
    const file = join(folder, `${deck}.ndjson`);
    await here.ok(["export", file, "--deck", deck]);
    return readFileSync(file, "utf8").match(/^\{"card":/gm)?.length ?? 0;
  };
  expect([await cardsOf("Other"), await cardsOf("Geo")]).toEqual([1, 0]);
});

test("an import adds nothing to a deck that another program moved to another path", async () => {
  const { here, kid, folder } = await moved();
  const file = join(folder, "cards.csv");
  writeFileSync(file, "front,back,deck\na,b,Geo/Kid\n");
  await here.ok(["import", file, "--yes"]);
  expect(await here.ok(["decks", "get", kid, "--columns", "card-count"])).toContain('"card-count": 1');
  expect(await here.ok(["cards", "list", "--deck", "Geo/Kid", "--columns", "content"])).toBe("a\\n---\\nb\n");
});
