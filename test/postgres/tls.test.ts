import { chmodSync, chownSync, copyFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPostgres } from "../../src/service/store/dialects/postgres/index.ts";
import { createPostgres, nobody, runOn, type TestPostgres, temporaryForServer } from "../support/postgres.ts";

const certificate = resolve("test/fixtures/tls/certificate.pem");
let server: TestPostgres;
const folder = temporaryForServer();

beforeAll(async () => {
  // The server reads its key only where nobody else can.
  for (const name of ["certificate.pem", "key.pem"]) {
    const copy = join(folder, name);
    copyFileSync(resolve("test/fixtures/tls", name), copy);
    chmodSync(copy, 0o600);
    if (nobody.uid !== undefined) chownSync(copy, nobody.uid, nobody.gid);
  }
  const files = [
    `ssl_cert_file=${join(folder, "certificate.pem")}`,
    `ssl_key_file=${join(folder, "key.pem")}`,
  ];
  server = await createPostgres(["ssl=on", ...files]);
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const encrypted =
  "select ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'deckhand'";

test.each([
  ["verify-full", `&sslrootcert=${certificate}`],
  ["verify-ca", `&sslrootcert=${certificate}`],
  ["require", ""],
])("connections are encrypted with sslmode=%s%s", async (mode, more) => {
  const url = `${server.urlOf("postgres")}?sslmode=${mode}${more}`;
  const engine = await openPostgres({ url });
  expect(await runOn(server.urlOf("postgres"), encrypted)).toEqual([{ ssl: true }]);
  await engine.close();
});

test("a server with an unknown certificate is refused where it is verified", async () => {
  const other = resolve("test/fixtures/tls/cards-example.pem");
  for (const more of ["", `&sslrootcert=${other}`])
    await expect(
      openPostgres({ url: `${server.urlOf("postgres")}?sslmode=verify-full${more}` }),
    ).rejects.toMatchObject({ code: "not-configured", message: /certificate/ });
});
