import { expect, onTestFinished, test } from "vitest";
import { fakeService, sendJson } from "../../support/fake-service.ts";
import { deckhand } from "../../support/world.ts";

test("templates update changes what the options name, and its cards show it", async () => {
  const d = await deckhand();
  await d.ok(["decks", "create", "Words"]);
  const fields = ["--field", "name=Word", "--field", "note=Note"];
  const id = (await d.ok(["templates", "create", "Word", "--content", "<< Word >>", ...fields])).trim();
  expect(await d.ok(["templates", "update", "Word", "--name", "Noun", "--content", "# << Word >>"])).toBe(
    `${id}\n`,
  );
  await d.ok(["templates", "update", "Noun", "--field", "gender=Gender:text", "--remove-field", "note"]);
  const template = JSON.parse(await d.ok(["templates", "get", "Noun"]));
  expect(template).toMatchObject({ id, name: "Noun", content: "# << Word >>" });
  expect(Object.keys(template.fields).toSorted()).toEqual(["gender", "name"]);
  expect(await d.run(["templates", "update", "Noun"])).toMatchObject({ code: 2 });
  expect(await d.run(["templates", "update", "Noun", "--remove-field", "x"])).toMatchObject({ code: 2 });
  expect(await d.ok(["templates", "update", "Noun", "--name", "N", "-n"])).toContain(`POST /templates/${id}`);
});

test("templates delete refuses one that cards use, with their number, and deletes it afterwards", async () => {
  const d = await deckhand();
  await d.ok(["decks", "create", "Words"]);
  const id = (
    await d.ok(["templates", "create", "Word", "--content", "<< Word >>", "--field", "name=Word"])
  ).trim();
  const card = ["cards", "create", "--deck", "Words", "--template", "Word", "--field", "Word=sol"];
  const used = (await d.ok(card)).trim();
  const refused = await d.run(["templates", "delete", "Word", "--yes"]);
  expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining("1 card uses the template") });
  await d.ok(["cards", "delete", used, "--yes"]);
  expect(await d.ok(["templates", "delete", "-", "--yes"], { input: `${id}\n` })).toBe(`${id}\n`);
  expect(await d.ok(["templates", "list"])).toBe("");
  expect((await d.run(["templates", "get", "Word"])).code).toBe(4);
});

test("a service without the extension is named as such", async () => {
  const service = await fakeService((_, response) => sendJson(response, 200, { docs: [] }));
  onTestFinished(() => service.close());
  const d = await deckhand({
    DECKHAND_PROFILE: "",
    DECKHAND_BASE_URL: service.url,
    DECKHAND_API_KEY: "a-key-for-this-test",
  });
  for (const args of [
    ["update", "Word", "--name", "x"],
    ["delete", "Word", "--yes"],
  ])
    expect(await d.run(["templates", ...args])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no way to change templates"),
    });
});
