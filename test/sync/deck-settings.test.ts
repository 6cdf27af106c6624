import { expect, test } from "vitest";
import { newSynced, type Synced } from "./support.ts";

/** A synced folder with the deck A. */
async function synced() {
  const s = await newSynced();
  s.write("A/one.md", "one\n");
  await s.sync();
  const id = (await s.client.decks.all())[0]?.id ?? "";
  return { s, id };
}

const put = (s: Synced, key: string, value: number | undefined) => {
  const rest = s.read("A/deck.yaml").replace(new RegExp(`^${key}:.*\n`, "m"), "");
  s.write("A/deck.yaml", value === undefined ? rest : `${rest}${key}: ${value}\n`);
};
const settled = async (s: Synced) => expect([...(await s.sync()).done]).toEqual([]);

test("settings of a deck are synced from deck.yaml to the collection, changed and removed", async () => {
  const { s, id } = await synced();
  const deck = () => s.client.decks.get(id);
  put(s, "retention", 0.85);
  put(s, "new-per-day", 10);
  expect([...(await s.sync()).done]).toEqual([["update deck service", 1]]);
  expect(await deck()).toMatchObject({ retention: 0.85, "new-per-day": 10 });
  put(s, "retention", undefined);
  put(s, "new-per-day", 5);
  await s.sync();
  expect(await deck()).toMatchObject({ "new-per-day": 5 });
  expect(await deck()).not.toHaveProperty("retention");
  await settled(s);
});

test("settings of a deck are synced from the collection to deck.yaml, changed and removed", async () => {
  const { s, id } = await synced();
  s.write("A/deck.yaml", `# mine\n${s.read("A/deck.yaml")}`);
  await s.client.decks.update(id, { retention: 0.8, "max-per-day": 60 });
  await s.sync();
  expect(s.read("A/deck.yaml")).toMatch(/^# mine\n/m);
  expect(s.read("A/deck.yaml")).toMatch(/^retention: 0.8$/m);
  expect(s.read("A/deck.yaml")).toMatch(/^max-per-day: 60$/m);
  await s.client.decks.update(id, { retention: null });
  await s.sync();
  expect(s.read("A/deck.yaml")).not.toContain("retention");
  expect(s.read("A/deck.yaml")).toMatch(/^max-per-day: 60$/m);
  await settled(s);
});

test("different settings that both sides changed are merged; of the same one a side is chosen", async () => {
  const { s, id } = await synced();
  const deck = () => s.client.decks.get(id);
  put(s, "retention", 0.85);
  await s.client.decks.update(id, { "new-per-day": 3 });
  await s.sync();
  expect(await deck()).toMatchObject({ retention: 0.85, "new-per-day": 3 });
  expect(s.read("A/deck.yaml")).toMatch(/^new-per-day: 3$/m);
  put(s, "retention", 0.95);
  await s.client.decks.update(id, { retention: 0.75 });
  const { left } = await s.sync();
  expect(left).toMatchObject([{ what: "A", conflict: true, note: expect.stringContaining("--prefer") }]);
  expect(await deck()).toMatchObject({ retention: 0.75 });
  expect(s.read("A/deck.yaml")).toMatch(/^retention: 0.95$/m);
  await s.sync({ prefer: "folder" });
  expect(await deck()).toMatchObject({ retention: 0.95 });
  await settled(s);
});

test("a new folder's deck gets the settings of its deck.yaml, and a new deck's folder those of the deck", async () => {
  const s = await newSynced();
  s.write("A/one.md", "one\n");
  s.write("A/deck.yaml", "name: A\nretention: 0.9\n");
  const { id } = await s.client.decks.create({ name: "B", "max-per-day": 7 });
  await s.sync();
  const decks = await Promise.all((await s.client.decks.all()).map((each) => s.client.decks.get(each.id)));
  expect(decks.find(({ name }) => name === "A")).toMatchObject({ retention: 0.9 });
  expect(s.read("B/deck.yaml")).toMatch(/^max-per-day: 7$/m);
  await s.client.decks.update(id, { "max-per-day": 8 });
  expect((await s.sync()).left).toEqual([]);
  expect(s.read("B/deck.yaml")).toMatch(/^max-per-day: 8$/m);
  await settled(s);
});

test("a rename and a setting that was changed on the other side are both synced at once", async () => {
  const { s, id } = await synced();
  s.write("A/deck.yaml", s.read("A/deck.yaml").replace("name: A", "name: Z"));
  await s.client.decks.update(id, { retention: 0.8 });
  await s.sync();
  expect(await s.client.decks.get(id)).toMatchObject({ name: "Z", retention: 0.8 });
  expect(s.read("A/deck.yaml")).toMatch(/^retention: 0.8$/m);
  expect(s.read("A/deck.yaml")).toMatch(/^name: Z$/m);
  await settled(s);
});

test("a value that the service refuses is named, and the cards are synced all the same", async () => {
  const { s } = await synced();
  put(s, "retention", 2);
  s.write("A/two.md", "two\n");
  const { left } = await s.sync();
  expect(left).toMatchObject([{ what: "A", failed: true, note: expect.stringContaining("retention") }]);
  expect(await s.cards()).toHaveLength(2);
});

test("a service without settings of decks is sent none, and those in deck.yaml stay", async () => {
  const { s, id } = await synced();
  const { client } = s;
  const service = {
    ...client.service,
    has: async (name: Parameters<typeof client.service.has>[0]) =>
      name !== "deck-settings" && client.service.has(name),
  };
  put(s, "retention", 0.85);
  expect((await s.sync({ client: { ...client, service } })).left).toEqual([]);
  expect(s.read("A/deck.yaml")).toMatch(/^retention: 0.85$/m);
  expect(await client.decks.get(id)).not.toHaveProperty("retention");
});
