import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { temporaryBeside } from "../../src/files/temporary.ts";
import { systemRandom } from "../../src/schema/ids.ts";
import type { Blobs } from "../../src/service/blobs/blobs.ts";
import { openBlobs } from "../../src/service/place.ts";
import type { Service } from "../../src/service/route.ts";
import { attachments } from "../../src/service/routes/attachments.ts";
import { storedContents as blobs, overwriteContent } from "../support/contents.ts";
import { handled } from "../support/handled.ts";
import { idOf, type Loose, rawClient, received } from "../support/requests.ts";
import { onPostgres, openTestApplication, openTestStore, testPlace } from "../support/service.ts";
import { boundary, formOf, multipart } from "../support/uploads.ts";

async function withCard(options: Parameters<typeof openTestApplication>[0] = {}) {
  const application = await openTestApplication(options);
  const ask = rawClient(application);
  const deck = idOf(await ask("POST", "/decks", { name: "d" }));
  const newCard = async () =>
    `/cards/${idOf(await ask("POST", "/cards", { content: "x", "deck-id": deck }))}`;
  const send = async (
    target: string,
    body: Uint8Array | Readable,
    headers: Record<string, string> = multipart,
  ) =>
    received(
      await handled(application, {
        method: "POST",
        path: target,
        query: "",
        headers: { authorization: `Basic ${btoa(application.key)}`, ...headers },
        body,
      }),
    );
  const list = async (card: string) =>
    (await ask("GET", `${card}/attachments`)).body["docs"] as unknown as readonly Loose[];
  return { application, ask, send, list, newCard, card: await newCard() };
}

test("stores a file and answers its name, size and type", async () => {
  const { send, card, ask, list } = await withCard();
  const answer = await send(`${card}/attachments/map.png`, formOf({ content: "abc", fileName: "other.gif" }));
  expect(answer).toMatchObject({ status: 200, body: { "file-name": "map.png", size: 3, type: "image/png" } });
  expect(Object.keys(answer.body)).toHaveLength(3);
  const sha256 = createHash("sha256").update("abc").digest("hex");
  expect(await list(card)).toEqual([{ ...answer.body, sha256 }]);
  const file = await ask("GET", `${card}/attachments/map.png`);
  expect(file).toMatchObject({ status: 200, text: "abc" });
  expect(file.headers).toMatchObject({ "content-type": "image/png", "content-length": "3" });
});

test("returns the same bytes, an empty file included", async () => {
  const { application, send, card } = await withCard();
  const all = Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * 7919) % 256));
  for (const content of [all, Buffer.alloc(0), Buffer.from(`\r\n--${boundary.slice(0, -1)}\r\n`)]) {
    expect((await send(`${card}/attachments/f`, formOf({ content }))).body["size"]).toBe(content.length);
    const { body } = await application.as("default").send({
      method: "GET",
      path: `${card}/attachments/f`,
      query: "",
      headers: {},
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of body as Readable) chunks.push(chunk as Uint8Array);
    expect(Buffer.concat(chunks).equals(content)).toBe(true);
  }
});

test("keeps browsers from showing a file as a page", async () => {
  const { send, card, ask } = await withCard();
  await send(`${card}/attachments/a'b%22.html`, formOf({ content: "<script>", type: "text/html" }));
  expect((await ask("GET", `${card}/attachments/a'b%22.html`)).headers).toMatchObject({
    "content-disposition": "attachment; filename*=UTF-8''a%27b%22.html",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
  });
});

test("stores octet-stream where the type is not valid", async () => {
  const { send, card } = await withCard();
  const typeOf = async (type: string | null) =>
    (await send(`${card}/attachments/f`, formOf({ content: "x", type }))).body["type"];
  expect(await typeOf("text/plain; charset=utf-8")).toBe("text/plain");
  expect(await typeOf("application/octet-stream")).toBe("application/octet-stream");
  expect(await typeOf("a/b\tc")).toBe("text/plain");
  expect(await typeOf(`x/${"y".repeat(100)}`)).toBe("application/octet-stream");
});

test("replaces an attachment of the same name, and keeps no content that nothing names", async () => {
  const { application, send, card, list, ask } = await withCard();
  await send(`${card}/attachments/f`, formOf({ content: "first" }));
  await send(`${card}/attachments/f`, formOf({ content: "second", type: "text/plain" }));
  expect(await list(card)).toMatchObject([{ "file-name": "f", size: 6, type: "text/plain" }]);
  expect((await ask("GET", `${card}/attachments/f`)).text).toBe("second");
  expect(await blobs(application)).toHaveLength(1);
});

test("stores a content once, and as long as any card names it", async () => {
  const { application, send, card, newCard, ask } = await withCard();
  const other = await newCard();
  for (const target of [`${card}/attachments/a`, `${card}/attachments/b`, `${other}/attachments/c`])
    expect((await send(target, formOf({ content: "same" }))).status).toBe(200);
  const [file, ...more] = await blobs(application);
  expect(more).toEqual([]);
  expect(file?.replaceAll(/[\\/]/g, "")).toContain(createHash("sha256").update("same").digest("hex"));
  expect(await ask("DELETE", `${card}/attachments/a`)).toMatchObject({ status: 204, text: "" });
  expect(await ask("DELETE", card)).toMatchObject({ status: 204 });
  expect((await ask("GET", `${other}/attachments/c`)).text).toBe("same");
  expect((await ask("DELETE", `${other}/attachments/c`)).status).toBe(204);
  expect(await blobs(application)).toEqual([]);
});

test("answers 404 for cards and files that do not exist", async () => {
  const { send, card, ask, application } = await withCard();
  for (const [method, path] of [
    ["GET", `${card}/attachments/none`],
    ["DELETE", `${card}/attachments/none`],
    ["GET", "/cards/nothere1/attachments"],
    ["GET", "/cards/nothere1/attachments/x"],
    ["DELETE", "/cards/nothere1/attachments/x"],
  ] as const)
    expect(await ask(method, path)).toMatchObject({ status: 404, body: { errors: [expect.any(String)] } });
  expect((await send("/cards/nothere1/attachments/x", formOf({ content: "x" }))).status).toBe(404);
  expect(await blobs(application)).toEqual([]);
});

test.each([
  "日本 😀.png",
  "a b&c=d?.txt",
  "..a",
  "-",
  "%25",
  "é".repeat(127),
  "x".repeat(255),
  "\u202egnp.exe",
])("accepts the file name %j", async (name) => {
  const { send, card, ask, list } = await withCard();
  const path = `${card}/attachments/${encodeURIComponent(name)}`;
  expect((await send(path, formOf({ content: "x" }))).body["file-name"]).toBe(name);
  expect((await list(card))[0]?.["file-name"]).toBe(name);
  expect((await ask("GET", path)).text).toBe("x");
  expect((await ask("DELETE", path)).status).toBe(204);
});

test.each([
  ".",
  "..",
  "%2e%2e",
  "a%2Fb",
  "%2Fetc%2Fpasswd",
  "a%00b",
  "a%0Ab",
  "%7F",
  "%C2%85",
  "é".repeat(128),
])("refuses the file name %s", async (name) => {
  const { application, send, card } = await withCard();
  const path = `${card}/attachments/${name.startsWith("é") ? encodeURIComponent(name) : name}`;
  expect(await send(path, formOf({ content: "x" }))).toMatchObject({
    status: 422,
    body: { errors: { "file-name": expect.any(String) } },
  });
  expect(await blobs(application)).toEqual([]);
});

test("refuses anything but one part named file that holds a file", async () => {
  const { application, send, card } = await withCard();
  const errorsOf = async (...parts: Parameters<typeof formOf>) => {
    const answer = await send(`${card}/attachments/f`, formOf(...parts));
    expect(answer.status).toBe(422);
    return Object.keys(answer.body["errors"] ?? {});
  };
  const good = { content: "x" };
  expect(await errorsOf()).toEqual(["file"]);
  expect(await errorsOf({ name: "photo", content: "x" })).toEqual(["photo"]);
  expect(await errorsOf({ content: "x", fileName: null, type: null })).toEqual(["file"]);
  expect(await errorsOf(good, good)).toEqual(["file"]);
  expect(await errorsOf(good, { name: "more", content: "y" })).toEqual(["more"]);
  expect(await errorsOf(good, { name: "field", fileName: null, type: null, content: "y" })).toEqual([
    "field",
  ]);
  expect(await errorsOf({ name: "__proto__", content: "x" })).toEqual(["__proto__"]);
  expect(await blobs(application)).toEqual([]);
});

test("answers 415 to another content type and 400 to a malformed form", async () => {
  const { application, send, card } = await withCard();
  const statusOf = async (body: Buffer, headers?: Record<string, string>) =>
    (await send(`${card}/attachments/f`, body, headers)).status;
  const form = formOf({ content: "x".repeat(1000) });
  expect(await statusOf(form, { "content-type": "image/png" })).toBe(415);
  expect(await statusOf(form, {})).toBe(415);
  expect(await statusOf(form, { "content-type": "multipart/form-data" })).toBe(400);
  expect(await statusOf(form, { "content-type": "multipart/form-data; boundary=other" })).toBe(400);
  expect(await statusOf(form.subarray(0, 500))).toBe(400);
  expect(await statusOf(form.subarray(0, 30))).toBe(400);
  expect(await statusOf(Buffer.alloc(0))).toBe(400);
  expect(await blobs(application)).toEqual([]);
});

test("removes an upload that breaks off", async () => {
  const { application, send, card } = await withCard();
  for (const error of [new Error("reset"), undefined]) {
    const body = new Readable({ read() {} });
    body.push(formOf({ content: "x".repeat(100_000) }).subarray(0, 50_000));
    const answer = send(`${card}/attachments/f`, body);
    await expect.poll(() => blobs(application)).toHaveLength(1);
    body.destroy(error);
    expect((await answer).status).toBe(400);
    expect(await blobs(application)).toEqual([]);
  }
});

test("answers 400 to a body that broke off before it was read", async () => {
  const { send, card } = await withCard();
  for (const [path, headers] of [
    [`${card}/attachments/f`, multipart],
    [card, { "content-type": "application/json" }],
  ] as const)
    for (const error of [new Error("reset"), undefined]) {
      const body = new Readable({ read() {} });
      body.on("error", () => {}).destroy(error);
      await new Promise((resolve) => body.once("close", resolve));
      expect((await send(path, body, headers)).status).toBe(400);
    }
});

test("answers 413 to a file over the limit, declared or not, and accepts one at the limit", async () => {
  const { application, send, card } = await withCard({ limits: { attachment: 200_000 } });
  const statusOf = async (size: number, headers = {}) =>
    (await send(`${card}/attachments/f`, formOf({ content: "x".repeat(size) }), { ...multipart, ...headers }))
      .status;
  expect(await statusOf(200_000)).toBe(200);
  expect(await statusOf(200_001)).toBe(413);
  expect(await statusOf(1, { "content-length": "1000000" })).toBe(413);
  expect(await blobs(application)).toHaveLength(1);
});

test("answers 403 to more attachments of a card than it may have, and deletes it while others are answered", async () => {
  const { application, send, card, ask, list } = await withCard();
  const upload = (name: string, content = "x") => send(`${card}/attachments/${name}`, formOf({ content }));
  expect((await upload("first")).status).toBe(200);
  const store = await openTestStore(application);
  await store.write("default", async (db) => {
    const row = await db.selectFrom("attachment").selectAll().executeTakeFirstOrThrow();
    const rows = Array.from({ length: 998 }, (_, at) => ({
      ...row,
      file_name: `file${at}`,
      hash: `${at}`.padStart(64, "0"),
    }));
    await db.insertInto("attachment").values(rows).execute();
  });
  await store.close();
  expect((await upload("last")).status).toBe(200);
  expect(await upload("more")).toMatchObject({
    status: 403,
    body: { errors: ["a card may have at most 1000 attachments"] },
  });
  expect(await list(card)).toHaveLength(1_000);
  expect((await upload("last", "other")).status).toBe(200);
  expect((await ask("DELETE", `${card}/attachments/first`)).status).toBe(204);
  expect((await upload("more")).status).toBe(200);
  let deleted = false;
  const answer = ask("DELETE", card).finally(() => {
    deleted = true;
  });
  const other = rawClient(application, await application.keys.add("other"));
  for (let at = 0; at < 20; at++) {
    expect((await other("GET", "/decks")).status).toBe(200);
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (!onPostgres) expect(deleted).toBe(false);
  expect((await answer).status).toBe(204);
});

test("drops an upload whose card was deleted meanwhile", async () => {
  const { application, send, card } = await withCard();
  const form = formOf({ content: "x".repeat(100_000) });
  const body = new Readable({ read() {} });
  body.push(form.subarray(0, 50_000));
  const answer = send(`${card}/attachments/f`, body);
  await expect.poll(() => blobs(application)).toHaveLength(1);
  await application.as("default").send({ method: "DELETE", path: card, query: "", headers: {} });
  body.push(form.subarray(50_000));
  body.push(null);
  expect((await answer).status).toBe(404);
  expect(await blobs(application)).toEqual([]);
});

test.skipIf(onPostgres)("a server removes at its start a file that a killed process left", async () => {
  const { application, send, card } = await withCard();
  await send(`${card}/attachments/f`, formOf({ content: "kept" }));
  const hashOf = (content: string) => createHash("sha256").update(content).digest("hex");
  for (const content of ["orphan", "kept"]) {
    const hash = hashOf(content);
    const folder = join(application.folder, "service", "attachments", hash.slice(0, 2));
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, hash.slice(2)), content);
  }
  expect(await blobs(application)).toHaveLength(2);
  await (await openTestApplication({ folder: application.folder })).preload();
  expect(await blobs(application)).toEqual([expect.stringContaining(hashOf("kept").slice(2))]);
});

test.skipIf(onPostgres)("a server keeps a file that no row names where a row has none", async () => {
  const { application, send, card } = await withCard();
  await send(`${card}/attachments/f`, formOf({ content: "kept" }));
  const store = await openTestStore(application);
  await store.write(undefined, (db) =>
    db
      .updateTable("attachment")
      .set({ hash: "0".repeat(64) })
      .execute(),
  );
  await store.close();
  await (await openTestApplication({ folder: application.folder })).preload();
  expect(await blobs(application)).toHaveLength(1);
});

test.skipIf(onPostgres)(
  "a server removes at its start the uploads of dead processes, and those of unknown ones after a day",
  async () => {
    const application = await openTestApplication();
    const incoming = join(application.folder, "service", "attachments", "incoming");
    await mkdir(incoming, { recursive: true });
    const own = basename(temporaryBeside(join(incoming, "upload")));
    const dead = String(spawnSync(process.execPath, ["--version"]).pid);
    const killed = own.replace(`-${process.pid}-`, `-${dead}-`);
    const elsewhere = own.replace(/\w{10}-\d+/, "0123456789-1");
    const old = elsewhere.replace(/-(\w+)\.tmp$/, "-0$1.tmp");
    for (const name of [own, killed, elsewhere, old]) await writeFile(join(incoming, name), "x");
    const then = Date.now() / 1000 - 86_400 - 60;
    await utimes(join(incoming, old), then, then);
    await (await openTestApplication({ folder: application.folder })).preload();
    expect((await readdir(incoming)).sort()).toEqual([own, elsewhere].sort());
  },
);

test("answers 500 for a file that is cut short or missing, and accepts it again", async () => {
  const { application, send, ask, card } = await withCard();
  const path = `${card}/attachments/f`;
  const put = () => send(path, formOf({ content: "a whole file" }));
  await put();
  const failed = { status: 500, body: { errors: ["the file of this attachment is missing or damaged"] } };
  for (const rest of ["a who", undefined]) {
    await overwriteContent(application, rest);
    expect(await ask("GET", path)).toMatchObject(failed);
    await put();
    expect(await ask("GET", path)).toMatchObject({ status: 200, text: "a whole file" });
  }
});

test("never completes a download of a damaged file, and an upload of the original repairs it", async () => {
  const { application, send, ask, card } = await withCard();
  const path = `${card}/attachments/f`;
  for (const size of [12, 300_000, 3_000_000]) {
    const content = "0123456789".repeat(size / 10).padEnd(size, "x");
    await send(path, formOf({ content }));
    for (const at of [0, size - 1]) {
      await overwriteContent(application, `${content.slice(0, at)}?${content.slice(at + 1)}`);
      const answer = await application.as("default").send({ method: "GET", path, query: "", headers: {} });
      const read = answer.status === 200 ? text(answer.body as Readable) : Promise.reject(new Error("500"));
      await expect(read).rejects.toThrow(/500|another hash/);
      await send(path, formOf({ content }));
      expect((await ask("GET", path)).text).toBe(content);
      expect(await blobs(application)).toHaveLength(1);
    }
  }
});

test("answers the new content if the old one is replaced between the query and opening the file", async () => {
  const { application, send, card } = await withCard();
  const path = `${card}/attachments/f`;
  await send(path, formOf({ content: "old" }));
  const store = await openTestStore(application);
  let replaced: Promise<unknown> | undefined;
  const tools = { now: Date.now, random: systemRandom };
  const contents = await openBlobs(await testPlace(application.folder), store, tools);
  const replacedMeanwhile: Pick<Blobs, "read"> = {
    async read(account, hash, size) {
      replaced ??= send(path, formOf({ content: "the new one" }));
      await replaced;
      return contents.read(account, hash, size);
    },
  };
  const params = { "card-id": card.split("/")[2] ?? "", "file-name": "f" };
  const request = { method: "GET", path, query: "", headers: {} };
  const reply = await attachments.get(
    { account: "default", params, query: {}, body: {}, problems: undefined, request },
    { store, blobs: async () => replacedMeanwhile } as unknown as Service,
  );
  if (reply === undefined || !("bytes" in reply)) throw new Error("no file");
  expect(reply.headers).toMatchObject({ "content-length": "11" });
  expect(await text(reply.bytes)).toBe("the new one");
});

test("replaces and removes only the attachment that If-Match names, and changes the tag of its card", async () => {
  const { ask, send, list, card } = await withCard();
  const target = `${card}/attachments/f`;
  const put = async (content: string, headers: Record<string, string> = {}) =>
    (await send(target, formOf({ content }), { ...multipart, ...headers })).status;
  const before = (await ask("GET", card)).headers["etag"];
  expect(await put("one", { "if-match": '"x"' })).toBe(412);
  expect(await put("one", { "if-none-match": "*" })).toBe(200);
  expect((await ask("GET", card)).headers["etag"]).not.toBe(before);
  expect(await put("two", { "if-none-match": "*" })).toBe(412);
  const hash = `"${String((await list(card))[0]?.["sha256"])}"`;
  expect(await put("three", { "if-match": hash })).toBe(200);
  expect(await put("four", { "if-match": hash })).toBe(412);
  expect((await ask("DELETE", target, undefined, { "if-match": hash })).status).toBe(412);
  expect((await ask("DELETE", target)).status).toBe(204);
});
