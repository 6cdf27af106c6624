import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { loadSqlite } from "../src/sqlite.ts";

const require = createRequire(import.meta.url);
const builtIn = Number(process.versions.node.split(".")[0]) > 20;

test("opens, writes and reads a database", () => {
  const database = new (loadSqlite())(":memory:");
  database.exec("create table note (text text)");
  database.prepare("insert into note values (?)").run("é");
  expect({ ...(database.prepare("select * from note").all()[0] as object) }).toEqual({ text: "é" });
  expect([...database.prepare("select text from note").iterate()]).toHaveLength(1);
  database.close();
});

test.skipIf(builtIn)("takes the compiled part of the drop-in past its front door, which is slow", () => {
  // The front door adds this method; were the file not found where it is looked for, it would be there.
  expect(loadSqlite().prototype).not.toHaveProperty("createTagStore");
  const front = require("@photostructure/sqlite") as { DatabaseSync: { prototype: object } };
  expect(front.DatabaseSync.prototype).toHaveProperty("createTagStore");
});
