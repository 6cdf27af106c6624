import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { moodyService } from "../../support/moody-service.ts";
import { deckhand } from "../../support/world.ts";

const settings = { retention: 0.85, "new-per-day": 10, "max-per-day": 60 };

/** What a service without extensions was sent, as its decks have it. */
async function hosted() {
  const service = await moodyService({ documentedOnly: true });
  const env = { DECKHAND_PROFILE: "", DECKHAND_BASE_URL: service.url, DECKHAND_API_KEY: service.key };
  const d = await deckhand(env);
  const decks = () =>
    service.collection(async (client) => {
      const found = [];
      for (const { id } of await client.decks.all()) found.push(await client.decks.get(id));
      return found;
    });
  return { d, decks };
}

test("an import sends a service without settings of decks none, and counts them", async () => {
  const { d, decks } = await hosted();
  const file = join(d.home, "x.ndjson");
  writeFileSync(file, `${JSON.stringify({ deck: { id: "geography1", name: "Geography", ...settings } })}\n`);
  const ran = await d.run(["import", file, "--yes"]);
  expect(ran.code).toBe(0);
  for (const name of Object.keys(settings)) expect(ran.stderr).toContain(name);
  expect(ran.stderr).toContain("this service has no settings of decks");
  const [deck] = await decks();
  expect(deck?.name).toBe("Geography");
  for (const name of Object.keys(settings)) expect(deck).not.toHaveProperty(name);
});

test("an import sends settings of decks where the service has them", async () => {
  const d = await deckhand();
  const file = join(d.home, "x.ndjson");
  writeFileSync(file, `${JSON.stringify({ deck: { id: "geography1", name: "Geography", ...settings } })}\n`);
  await d.ok(["import", file, "--yes"]);
  expect(JSON.parse(await d.ok(["decks", "get", "Geography", "-o", "json"]))).toMatchObject(settings);
});
