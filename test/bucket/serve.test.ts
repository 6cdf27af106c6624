import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openApplication } from "../../src/service/app.ts";
import { bucketKey, powerlessKey, takePrefix, urlOf } from "../support/bucket.ts";
import { type Cli, cli } from "../support/cli.ts";
import { giveDatabase, takeDatabase } from "../support/postgres.ts";
import { idOf, rawClient } from "../support/requests.ts";
import { temporaryFolder } from "../support/service.ts";
import { formOf, multipart } from "../support/uploads.ts";

function host(env: NodeJS.ProcessEnv = {}): Cli {
  const made = cli({ AWS_ENDPOINT_URL_S3: takePrefix().endpoint, ...bucketKey, ...env });
  onTestFinished(() => made.remove());
  return made;
}

async function database(): Promise<string> {
  const url = await takeDatabase();
  onTestFinished(() => giveDatabase(url));
  return url;
}

const nowhere = "postgres://127.0.0.1/x";

test.each<[string, string[], NodeJS.ProcessEnv, string]>([
  ["without a database", [], {}, "needs a database"],
  ["with a folder", ["--data", "."], {}, "needs a database"],
  ["without a key", ["--database", nowhere], { AWS_SECRET_ACCESS_KEY: "" }, "AWS_SECRET_ACCESS_KEY"],
  [
    "with an endpoint that has a key",
    ["--database", nowhere],
    { AWS_ENDPOINT_URL_S3: "https://a:hunter2@b" },
    "ENDPOINT",
  ],
  [
    "with an endpoint that is none",
    ["--database", nowhere],
    { AWS_ENDPOINT_URL: "x", AWS_ENDPOINT_URL_S3: "" },
    "ENDPOINT",
  ],
])("refuses --blobs %s", async (_, args, env, said) => {
  const { code, stdout, stderr } = await host(env).run(["serve", "--blobs", "s3://bucket/x", ...args]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(said);
  expect(stderr).not.toContain("hunter2");
});

test.each([
  "s3://key:hunter2@bucket/x",
  "https://bucket/hunter2",
  "s3://bucket/a/../hunter2",
  "s3://b/hunter2",
])("refuses --blobs %s without repeating it", async (url) => {
  const { code, stderr } = await host().run(["serve", "--database", nowhere, "--blobs", url]);
  expect(code).toBe(2);
  expect(stderr).toContain("--blobs must be s3://bucket/prefix");
  expect(stderr).not.toContain("hunter2");
});

test("does not start where the store refuses it, and says why", async () => {
  const [url, blobs] = [await database(), urlOf(takePrefix())];
  for (const [env, given, said] of [
    [powerlessKey, blobs, /403 AccessDenied/],
    [{ AWS_SECRET_ACCESS_KEY: "hunter2" }, blobs, /403 SignatureDoesNotMatch/],
    [{}, "s3://nowhere/x", /s3:\/\/nowhere\/x: 404 NoSuchBucket/],
  ] as const) {
    const args = ["serve", "--port", "0", "--database", url, "--blobs", given];
    const { code, stdout, stderr } = await host(env).run(args);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toMatch(said);
    expect(stderr).not.toMatch(/hunter2|testing/);
  }
});

test("accounts are copied from a folder to a bucket and back", async () => {
  const [url, blobs, home] = [await database(), urlOf(takePrefix()), host()];
  const [from, to] = [temporaryFolder(), join(temporaryFolder(), "new")];
  const application = await openApplication({ folder: from, now: Date.now });
  const ask = rawClient(application, await application.keys.add("anna"));
  const deck = idOf(await ask("POST", "/decks", { name: "d" }));
  const card = idOf(await ask("POST", "/cards", { content: "Lisbon", "deck-id": deck }));
  const [path, content] = [`/cards/${card}/attachments/f`, "0123456789".repeat(300_000)];
  const body = formOf({ content });
  await application.as("anna").send({ method: "POST", path, query: "", headers: multipart, body });
  await application.close();
  const target = ["--database", url, "--blobs", blobs];
  await home.ok(["serve", "copy", "--from", from, ...target]);
  const without = await home.run(["serve", "copy", "--to", to, "--database", url]);
  expect(without).toMatchObject({ code: 3, stderr: expect.stringContaining("--blobs s3://bucket/prefix") });
  // What needs no attachments needs no bucket.
  expect(await home.ok(["serve", "key", "list", "-o", "id", "--database", url])).toBe("anna\n");
  await home.ok(["serve", "copy", "--to", to, ...target]);
  const back = await openApplication({ folder: to, now: Date.now });
  onTestFinished(() => back.close());
  const answer = await back.as("anna").send({ method: "GET", path, query: "", headers: {} });
  let copied = "";
  for await (const piece of answer.body as AsyncIterable<Buffer>) copied += piece;
  expect(copied === content).toBe(true);
});
