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

test.skipIf(builtIn)("opens the binary of the drop-in itself, without loading the package around it", () => {
  // The package adds this method.
  expect(loadSqlite().prototype).not.toHaveProperty("createTagStore");
  const drop = require("@photostructure/sqlite") as { DatabaseSync: { prototype: object } };
  expect(drop.DatabaseSync.prototype).toHaveProperty("createTagStore");
});

test.skipIf(builtIn)("names the Node that has SQLite where no binary fits the system", () => {
  const platform = Object.getOwnPropertyDescriptor(process, "platform") as PropertyDescriptor;
  Object.defineProperty(process, "platform", { ...platform, value: "haiku" });
  try {
    expect(loadSqlite).toThrow(
      expect.objectContaining({
        message: `SQLite could not be loaded on haiku-${process.arch} with Node ${process.versions.node}`,
        hint: "Install Node 22.13 or newer: it has SQLite built in.",
      }),
    );
  } finally {
    Object.defineProperty(process, "platform", platform);
  }
});
