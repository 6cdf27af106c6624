import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Cli, cli, serve } from "../support/cli.ts";
import { giveDatabase, runOn, takeDatabase } from "../support/postgres.ts";
import { temporaryFolder } from "../support/service.ts";

async function withDatabase(): Promise<{ host: Cli; url: string }> {
  const [host, url] = [cli(), await takeDatabase()];
  onTestFinished(async () => {
    host.remove();
    await giveDatabase(url);
  });
  return { host, url };
}

const get = (url: string, key: string) =>
  fetch(`${url}/decks`, { headers: { authorization: `Basic ${btoa(`${key}:`)}` } });

test("serves an empty database, whose keys are managed on it, and ends with 0", async () => {
  const { host, url } = await withDatabase();
  const served = await serve(host, ["--database", url]);
  onTestFinished(() => void served.process.kill("SIGKILL"));
  expect((await get(served.url, served.key)).status).toBe(200);
  const database = ["--database", url];
  const key = (await host.ok(["serve", "key", "add", "anna", ...database])).trim();
  expect((await get(served.url, key)).status).toBe(200);
  expect(await host.ok(["serve", "key", "list", "-o", "tsv", ...database])).toMatch(/^default\t.*\nanna\t/m);
  await host.ok(["serve", "key", "remove", "anna", ...database]);
  await expect.poll(async () => (await get(served.url, key)).status, { timeout: 10_000 }).toBe(401);
  await host.ok(["serve", "account", "set", "default", "--time-zone", "Europe/Oslo", ...database]);
  expect(await served.stop("SIGTERM")).toBe(0);
  // Nothing of it is in the folder of the profile local.
  expect(await host.ok(["serve", "key", "list"], { env: { DECKHAND_PROFILE: "local" } })).toBe("");
});

test("takes the URL from a file or the environment, and a folder goes before the environment", async () => {
  const { host, url } = await withDatabase();
  const file = join(temporaryFolder(), "database");
  writeFileSync(file, `${url}\n`);
  await host.ok(["serve", "key", "add", "anna", "--database-file", file]);
  const env = { DECKHAND_DATABASE_URL: url };
  expect(await host.ok(["serve", "key", "list", "-o", "id"], { env })).toBe("anna\n");
  const data = ["--data", temporaryFolder()];
  await host.ok(["serve", "key", "add", "béla", ...data], { env });
  expect(await host.ok(["serve", "key", "list", "-o", "id", ...data], { env })).toBe("béla\n");
});

test.each([
  ["a password", "postgres://anna:hunter2@127.0.0.1/x", "password"],
  ["a password as a parameter", "postgres://127.0.0.1/x?password=hunter2", "password"],
  ["another kind of database", "mysql://anna@127.0.0.1/hunter2", "postgres://"],
  ["a file that is not there", "postgres://127.0.0.1/x?sslrootcert=/not/here", "/not/here"],
])("refuses a URL with %s on the command line, without repeating it", async (_, url, said) => {
  const host = cli();
  onTestFinished(() => host.remove());
  const { code, stdout, stderr } = await host.run(["serve", "--database", url]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(said);
  expect(stderr).not.toContain("hunter2");
});

test("says why a database cannot be used, without its password", async () => {
  const { host, url } = await withDatabase();
  const nowhere = new URL(url);
  nowhere.password = "hunter2";
  nowhere.pathname = "/nowhere";
  for (const [given, said] of [
    [nowhere.href, 'database "nowhere" does not exist'],
    ["postgres://anna:hunter2@127.0.0.1:1/x", "ECONNREFUSED"],
  ] as const) {
    const { code, stderr } = await host.run(["serve", "key", "list"], {
      env: { DECKHAND_DATABASE_URL: given },
    });
    expect(code).toBe(3);
    expect(stderr).toContain(said);
    expect(stderr).not.toContain("hunter2");
  }
});

test("refuses the tables of a newer program, also to migrate them", async () => {
  const { host, url } = await withDatabase();
  const database = ["--database", url];
  await host.ok(["serve", "key", "add", "anna", ...database]);
  const addToVersion = (by: number) => runOn(url, `update schema_version set version = version + ${by}`);
  await addToVersion(1000);
  for (const args of [["serve"], ["serve", "migrate"]]) {
    const { code, stderr } = await host.run([...args, ...database]);
    expect(code).toBe(5);
    expect(stderr).toContain("newer deckhand");
  }
  await addToVersion(-1000);
  await host.ok(["serve", "migrate", ...database]);
});

test("copies a folder to a database on the command line, and reports what", async () => {
  const { host, url } = await withDatabase();
  const data = temporaryFolder();
  await host.ok(["serve", "key", "add", "anna", "--data", data]);
  const { code, stderr } = await host.run(["serve", "copy", "--from", data, "--database", url]);
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("Copied 1 key, 0 decks"),
  });
  expect(await host.ok(["serve", "key", "list", "-o", "id", "--database", url])).toBe("anna\n");
});

test("a database of the first version gets the tables and indexes that it lacks, and keeps what it has", async () => {
  const { host, url } = await withDatabase();
  const database = ["--database", url];
  await host.ok(["serve", "key", "add", "anna", ...database]);
  const schema = () =>
    runOn(url, "select indexdef from pg_indexes where schemaname = current_schema() order by indexdef");
  const before = await schema();
  await runOn(url, "drop table creation; drop table today_mark; drop index review_date");
  await runOn(url, "update schema_version set version = 1");
  expect(await schema()).not.toEqual(before);
  await host.ok(["serve", "migrate", ...database]);
  expect(await schema()).toEqual(before);
  expect(await host.ok(["serve", "key", "list", "-o", "tsv", ...database])).toMatch(/^anna\t/);
});
