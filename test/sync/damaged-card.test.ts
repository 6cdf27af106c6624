import { appendFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadSqlite } from "../../src/sqlite.ts";
import { cli } from "../support/cli.ts";

test("a card that is damaged in the store is left and named, and the others are synced", async () => {
  const home = cli({ DECKHAND_PROFILE: "local" });
  onTestFinished(() => home.remove());
  const add = async (front: string) =>
    (await home.ok(["add", front, "A", "--deck", "One", "--create-deck"])).trim();
  const [damaged, other] = [await add("first"), await add("second")];
  const notes = join(home.home, "notes");
  mkdirSync(notes);
  await home.ok(["sync", notes, "--yes"]);
  const store = new (loadSqlite())(join(home.home, "data", "service", "store.sqlite"));
  store.exec(`update card set document = substr(document, 1, 40) where id = '${damaged}'`);
  store.close();
  const [file, second] = [
    join(notes, "One", `first-${damaged}.md`),
    join(notes, "One", `second-${other}.md`),
  ];
  appendFileSync(second, "more\n");
  const left = { code: 9, stderr: expect.stringContaining("the card is damaged") };
  expect(await home.run(["sync", notes, "--yes"])).toMatchObject(left);
  expect(existsSync(file)).toBe(true);
  expect(await home.ok(["cards", "get", other, "--jq", ".content"])).toContain("more");
  appendFileSync(file, "more\n");
  expect(await home.run(["sync", notes, "--yes"])).toMatchObject(left);
  expect(existsSync(file)).toBe(true);
});
