import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createClient } from "../../../src/client/index.ts";
import { using } from "../../../src/service/backup/snapshot.ts";
import { cli, serve } from "../../support/cli.ts";
import { httpTo } from "../../support/http.ts";

test("check finds nothing while serve is written to, and what it repairs is what serve then answers", async () => {
  const home = cli({ DECKHAND_PROFILE: "local" });
  onTestFinished(() => home.remove());
  const service = await serve(home);
  onTestFinished(() => void service.process.kill("SIGKILL"));
  const client = createClient(await httpTo(service.url, { key: service.key }));
  const deck = (await client.decks.create({ name: "Capitals" })).id;
  const card = (await client.cards.create({ content: "Lisbon", "deck-id": deck })).id;
  let checked = false;
  const writing = (async () => {
    for (let number = 1; !checked; number++) {
      const { id } = await client.cards.create({ content: `card ${number}`, "deck-id": deck });
      await client.reviews.create(id, { date: new Date(number * 1000).toISOString(), "remembered?": true });
      if (number % 2 === 0) await client.cards.delete(id);
    }
  })();
  for (let time = 0; time < 2; time++)
    expect(await home.run(["check"])).toMatchObject({ code: 0, stdout: "", stderr: "" });
  checked = true;
  await writing;
  const store = join(home.home, "data/service/store.sqlite");
  using(store, (database) =>
    database.exec(`update card set document = replace(document, 'Lisbon', 'Lisbom') where id = '${card}'`),
  );
  const found = await home.run(["check"]);
  expect([found.code, found.stdout]).toEqual([9, expect.stringContaining(`${card} Lisbom`)]);
  const repaired = await home.run(["check", "--repair", "--yes"]);
  expect(repaired.code, repaired.stderr).toBe(0);
  expect((await client.cards.get(card)).content).toBe("Lisbom");
  expect(await home.run(["check"])).toMatchObject({ code: 0, stdout: "" });
  expect(await service.stop()).toBe(0);
  expect(await home.run(["check"])).toMatchObject({ code: 0, stdout: "" });
});
