import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Bucket } from "../../src/service/blobs/bucket.ts";
import { bucketKey, takePrefix, urlOf } from "../support/bucket.ts";
import { cli, serve } from "../support/cli.ts";
import { giveDatabase, runOn, takeDatabase } from "../support/postgres.ts";
import { formOf, multipart } from "../support/uploads.ts";

const sha256 = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");

test("check --repair keeps what is left of damaged objects in a folder, and a running server goes on with the others", async () => {
  const [url, place] = [await takeDatabase(), takePrefix()];
  onTestFinished(() => giveDatabase(url));
  const host = cli({ AWS_ENDPOINT_URL_S3: place.endpoint, ...bucketKey });
  onTestFinished(() => host.remove());
  const target = ["--database", url, "--blobs", urlOf(place)];
  const server = await serve(host, target);
  onTestFinished(() => void server.stop());
  const authorization = `Basic ${btoa(`${server.key}:`)}`;
  const ask = async (method: string, path: string, body?: string | Uint8Array<ArrayBuffer>, type = {}) =>
    fetch(server.url + path, { method, headers: { authorization, ...type }, body: body ?? null });
  const created = async (path: string, body: object) => {
    const answer = await ask("POST", path, JSON.stringify(body), { "content-type": "application/json" });
    return ((await answer.json()) as { id: string }).id;
  };
  const deck = await created("/decks", { name: "d" });
  const card = `/cards/${await created("/cards", { content: "Lisbon", "deck-id": deck })}`;
  // Three parts each, so that one is missing between others.
  const contentOf = (name: string) => `${name.padEnd(1024, name)}`.repeat(4 * 1024 + 1);
  const names = ["whole", "gap", "truncated", "replaced", "gone"];
  const upload = (name: string) =>
    ask("POST", `${card}/attachments/${name}`, Buffer.from(formOf({ content: contentOf(name) })), multipart);
  for (const name of names) expect((await upload(name)).status).toBe(200);
  const rows = await runOn(url, "select id, hash from content");
  const bucket = new Bucket(place);
  const key = (name: string, part: number) =>
    `${rows.find(({ hash }) => hash === sha256(contentOf(name)))?.["id"]}/${part}`;
  const part = async (name: string, number: number) => (await bucket.get(key(name, number))) as Buffer;
  await bucket.remove(key("gap", 1));
  await bucket.put(key("truncated", 2), (await part("truncated", 2)).subarray(0, 1000));
  await bucket.put(key("replaced", 0), await part("whole", 0));
  for (const number of [0, 1, 2]) await bucket.remove(key("gone", number));
  await bucket.put("unknown/0", Buffer.from("x"));
  const expected = {
    gap: Buffer.concat([await part("gap", 0), await part("gap", 2)]),
    truncated: Buffer.from(contentOf("truncated").slice(0, 4 * 1024 * 1024 + 1000)),
    replaced: Buffer.concat([
      await part("whole", 0),
      Buffer.from(contentOf("replaced")).subarray(2 * 1024 * 1024),
    ]),
  };

  const damaged = ["gap", "truncated", "replaced", "gone"];
  const found = await host.run(["check", ...target]);
  expect(found).toMatchObject({ code: 9, stderr: expect.stringContaining("5 findings") });
  for (const item of [...damaged, "unknown/0"]) expect(found.stdout).toContain(item);
  expect(found.stdout).not.toContain("whole");
  const refused = await host.run(["check", "--repair", ...target]);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("nothing was changed") });
  const repaired = await host.run(["check", "--repair", "--yes", ...target]);
  expect(repaired.code).toBe(0);
  const folder = /^What was damaged is in (.*)$/m.exec(repaired.stderr)?.[1] ?? "";
  const kept = Object.fromEntries(
    readdirSync(folder)
      .filter((name) => name !== "damaged.ndjson")
      .map((name) => [name, sha256(readFileSync(join(folder, name)))]),
  );
  expect(kept).toEqual(
    Object.fromEntries(
      Object.entries(expected).map(([name, rest]) => [sha256(contentOf(name)), sha256(rest)]),
    ),
  );
  const notes = readFileSync(join(folder, "damaged.ndjson"), "utf8").trimEnd().split("\n");
  expect(notes.map((line) => JSON.parse(line).attachment.file_name).toSorted()).toEqual(damaged.toSorted());

  const listed = (await (await ask("GET", `${card}/attachments`)).json()) as {
    docs: { "file-name": string }[];
  };
  expect(listed.docs.map((doc) => doc["file-name"])).toEqual(["whole"]);
  // What was lost can be uploaded again.
  for (const name of damaged) expect((await upload(name)).status).toBe(200);
  for (const name of names)
    expect(sha256(await (await ask("GET", `${card}/attachments/${name}`)).text())).toBe(
      sha256(contentOf(name)),
    );
  expect(await host.run(["check", ...target])).toMatchObject({ code: 0, stdout: "" });
});
