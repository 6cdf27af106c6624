import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Client, createClient } from "../../src/client/index.ts";
import { createHttp, createNetworkTransport, systemClock, Throttle } from "../../src/http/index.ts";
import type { CodecName } from "../../src/schema/index.ts";
import { openTestApplication, startTestServer, temporaryFolder } from "../support/service.ts";

const common = (codec: CodecName) => ({
  codec,
  timeout: 10_000,
  retries: 0,
  userAgent: "deckhand/test",
  clock: systemClock,
  random: Math.random,
});

async function connectInProcess(codec: CodecName): Promise<Client> {
  const transport = (await openTestApplication()).as("default");
  return createClient(createHttp({ ...common(codec), transport }));
}

async function connectOverSocket(codec: CodecName): Promise<Client> {
  const { url: baseUrl, key } = await startTestServer();
  const throttle = new Throttle({ path: join(temporaryFolder(), "account"), clock: systemClock });
  const transport = await createNetworkTransport({ baseUrl });
  const client = createClient(createHttp({ ...common(codec), transport, key, throttle }));
  onTestFinished(() => client.close());
  return client;
}

const ways = { "in the same process": connectInProcess, "over a socket": connectOverSocket };

for (const [way, connect] of Object.entries(ways))
  for (const codec of ["json", "transit"] as const)
    describe(`the client and the local service, ${way}, in ${codec}`, () => {
      it("understand each other in every operation", async () => {
        const client = await connect(codec);
        const parent = await client.decks.create({ name: "Ünï / code", sort: 3 });
        const deck = await client.decks.create({ name: "Child", "parent-id": parent.id });
        expect(await client.decks.all()).toMatchObject([{ name: "Child" }, { id: parent.id, sort: 3 }]);
        expect(await client.decks.get(deck.id)).toMatchObject({
          "parent-id": parent.id,
          "card-count": 0,
        });

        const fields = { name: { id: "name", name: "Name" } };
        const template = await client.templates.create({
          name: "T",
          content: "<< Name >>",
          fields,
          style: { "text-alignment": "left" },
        });
        expect(await client.templates.get(template.id)).toMatchObject({ fields });
        expect(await client.templates.all()).toMatchObject([{ id: template.id, name: "T" }]);

        const card = await client.cards.create({
          content: "",
          "deck-id": deck.id,
          "template-id": template.id,
          fields: { name: { id: "name", value: "Käse 🧀" } },
          "manual-tags": ["a", "b c"],
        });
        expect(card).toMatchObject({ name: "Käse 🧀", tags: ["a", "b c"], "new?": true });
        expect(card["created-at"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        expect(await client.cards.get(card.id)).toEqual(card);
        const trashed = "2024-05-06T07:08:09.010Z";
        const updated = await client.cards.update(card.id, { "trashed?": trashed, "template-id": null });
        expect(updated).toMatchObject({ "trashed?": trashed, "template-id": null });
        await client.cards.update(card.id, { "trashed?": null, "archived?": false });

        const upload = {
          fileName: "a\u0308 b.txt",
          source: async () => ({ stream: Readable.from([Buffer.from("hello")]), size: 5 }),
        };
        const stored = { "file-name": "\u00e4 b.txt", size: 5, type: "text/plain" };
        expect(await client.attachments.add(card.id, upload)).toEqual(stored);
        expect(await client.attachments.list(card.id)).toMatchObject([stored]);
        const fetched = client.attachments.fetch(card.id, "a\u0308 b.txt", ({ body }) => text(body));
        expect(await fetched).toBe("hello");

        expect(await client.due.list()).toMatchObject([
          { id: card.id, attachments: { "\u00e4 b.txt": { size: 5, type: "text/plain" } } },
        ]);
        expect(await client.due.deck(parent.id)).toEqual([]);
        const date = new Date().toISOString();
        const reviewed = await client.reviews.create(card.id, { date, "remembered?": true, duration: 2 });
        expect(reviewed?.reviews).toMatchObject([{ date, "remembered?": true, duration: 2 }]);
        await client.reviews.delete(card.id, date);
        expect(await client.due.deck(deck.id, { date })).toMatchObject([{ id: card.id, reviews: [] }]);

        await client.attachments.remove(card.id, "\u00e4 b.txt");
        await client.cards.delete(card.id);
        await client.decks.update(deck.id, { "parent-id": null, "archived?": true });
        await client.decks.delete(deck.id);
        await expect(client.cards.get(card.id)).rejects.toMatchObject({ code: "not-found" });
        expect((await client.service.describe()).extensions).toContain("attachment-download");
      });

      it("refuse and page alike", async () => {
        const client = await connect(codec);
        const deck = await client.decks.create({ name: "D" });
        await expect(
          client.cards.create({ content: "a", "deck-id": "nowhere", "template-id": "none" }),
        ).rejects.toMatchObject({
          code: "validation",
          fields: { "deck-id": expect.any(String), "template-id": expect.any(String) },
        });
        for (let number = 0; number < 25; number++)
          await client.cards.create({ content: `${number}`, "deck-id": deck.id });
        const contents: unknown[] = [];
        for await (const page of client.cards.pages({ deckId: deck.id, pageSize: 10 }))
          for (const card of page.docs) contents.push(card.content);
        expect(contents).toEqual(Array.from({ length: 25 }, (_, number) => `${number}`));
      });
    });

describe("the client", () => {
  it("sends one request at a time even if many are asked for at once", async () => {
    const client = await connectOverSocket("json");
    const decks = ["a", "b", "c", "d", "e"].map((name) => client.decks.create({ name }));
    expect((await Promise.all(decks)).map((deck) => deck.name)).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("finds the account free again when it has the last byte of a download", async () => {
    const client = await connectOverSocket("json");
    const deck = await client.decks.create({ name: "D" });
    const card = await client.cards.create({ content: "a", "deck-id": deck.id });
    for (const size of [0, 5, 100_000, 1_000_000]) {
      const source = async () => ({ stream: Readable.from([Buffer.alloc(size)]), size });
      await client.attachments.add(card.id, { fileName: "f", source });
      for (let time = 0; time < 20; time++) {
        expect(await client.attachments.fetch(card.id, "f", ({ body }) => buffer(body))).toHaveLength(size);
        await client.cards.get(card.id);
      }
    }
  });
});
