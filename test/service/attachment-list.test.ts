import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { handled } from "../support/handled.ts";
import { idOf, rawClient } from "../support/requests.ts";
import { openTestApplication } from "../support/service.ts";
import { emptyAccount } from "../transfer/support.ts";

test("the list of all attachments has each one once, over pages, in the order of cards and names", async () => {
  const client = await emptyAccount();
  const deck = await client.decks.create({ name: "D" });
  const made: string[] = [];
  for (let card = 0; card < 3; card++) {
    const { id } = await client.cards.create({ content: `card ${card}`, "deck-id": deck.id });
    for (let file = 0; file < 45; file++) {
      const source = async () => ({ stream: Readable.from([Buffer.from("x")]), size: 1 });
      await client.attachments.add(id, { fileName: `f${file}.txt`, source });
      made.push(`${id}/f${file}.txt`);
    }
  }
  const pages: string[][] = [];
  for await (const page of client.attachments.all())
    pages.push(page.map((file) => `${file["card-id"]}/${file["file-name"]}`));
  // How long a page may be is the service's: only an empty one tells that it was the last.
  expect(pages.map(({ length }) => length)).toEqual([100, 35, 0]);
  expect(pages.flat()).toEqual(made.toSorted());
});

async function withFile() {
  const application = await openTestApplication();
  const ask = rawClient(application);
  const deck = idOf(await ask("POST", "/decks", { name: "D" }));
  const card = idOf(await ask("POST", "/cards", { content: "x", "deck-id": deck }));
  const form =
    '--b\r\ncontent-disposition: form-data; name="file"; filename="a b.txt"\r\n\r\nhello\r\n--b--\r\n';
  const sent = await application.as("default").send({
    method: "POST",
    path: `/cards/${card}/attachments/a%20b.txt`,
    query: "",
    headers: { "content-type": "multipart/form-data; boundary=b" },
    body: form,
  });
  expect(sent.status).toBeLessThan(300);
  return { application, ask, card };
}

test("the list of all attachments names the card of each file, and ends with an empty page that keeps its bookmark", async () => {
  const { ask, card } = await withFile();
  const page = await ask("GET", "/attachments");
  expect(page).toMatchObject({
    status: 200,
    body: { docs: [{ "card-id": card, "file-name": "a b.txt", size: 5, type: expect.any(String) }] },
  });
  const bookmark = String(page.body["bookmark"]);
  const next = await ask("GET", `/attachments?bookmark=${encodeURIComponent(bookmark)}`);
  expect(next).toMatchObject({ status: 200, body: { docs: [], bookmark } });
  await ask("DELETE", `/cards/${card}`);
  expect((await ask("GET", "/attachments")).body).toEqual({ docs: [], bookmark: "nil" });
});

test("the list of all attachments needs a key, and shows an account its own files only", async () => {
  const { application } = await withFile();
  const bare = await handled(application, { method: "GET", path: "/attachments", query: "", headers: {} });
  expect(bare.status).toBe(401);
  const other = rawClient(application, await application.keys.add("other"));
  expect((await other("GET", "/attachments")).body).toEqual({ docs: [], bookmark: "nil" });
});

test("the list of all attachments accepts no bookmark but its own", async () => {
  const { application, ask } = await withFile();
  const own = encodeURIComponent(String((await ask("GET", "/attachments")).body["bookmark"]));
  const cards = encodeURIComponent(String((await ask("GET", "/cards")).body["bookmark"]));
  expect((await ask("GET", `/attachments?bookmark=${own}`)).status).toBe(200);
  expect((await ask("GET", "/attachments?bookmark=nil")).status).toBe(200);
  const other = rawClient(application, await application.keys.add("other"));
  for (const refused of [
    await ask("GET", `/attachments?bookmark=${cards}`),
    await ask("GET", "/attachments?bookmark=x"),
    await ask("GET", `/cards?bookmark=${own}`),
    await other("GET", `/attachments?bookmark=${own}`),
  ])
    expect(refused).toMatchObject({
      status: 422,
      body: { errors: { bookmark: "is not a bookmark of this list" } },
    });
});
