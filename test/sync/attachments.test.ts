import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { planSync } from "../../src/sync/sync.ts";
import { emptyAccount } from "../transfer/support.ts";
import { newSynced, type Synced } from "./support.ts";

const put = (s: Synced, card: string, name: string, content: string) =>
  s.client.attachments.add(card, {
    fileName: name,
    source: async () => ({
      stream: Readable.from([Buffer.from(content)]),
      size: Buffer.byteLength(content),
    }),
  });
const get = (s: Synced, card: string, name: string) =>
  s.client.attachments.fetch(card, name, ({ body }) => textOf(body));
const names = async (s: Synced, card: string) =>
  (await s.client.attachments.list(card)).map((each) => each["file-name"]).sort();

/** A folder with one card, synced. */
async function oneCard(given?: Parameters<typeof newSynced>[0]) {
  const s = await newSynced(given);
  s.write("A/one.md", "one\n");
  await s.sync();
  const [card] = await s.cards();
  return { s, id: card?.id ?? "" };
}

describe("attachments", () => {
  test("are uploaded from the folder beside a new card's file, and then found unchanged", async () => {
    const s = await newSynced();
    s.write("A/one.md", "![](@media/map.png)\n");
    s.write("A/one.files/map.png", "png");
    s.write("A/one.files/.DS_Store", "hidden");
    expect(Object.fromEntries((await s.sync()).done)).toEqual({
      "create deck service": 1,
      "create card service": 1,
      "update attachment service": 1,
    });
    const [card] = await s.cards();
    expect(await names(s, card?.id ?? "")).toEqual(["map.png"]);
    expect(await get(s, card?.id ?? "", "map.png")).toBe("png");
    const again = await s.sync();
    expect([
      [...again.done],
      again.left,
      again.plan.changes.filter(({ thing, op }) => thing === "attachment" && op !== "record"),
    ]).toEqual([[], [], []]);
  });

  test("move with their card, not into a folder that another card has left", async () => {
    const { s, id } = await oneCard();
    s.write("A/one.files/map.png", "mine");
    await s.sync();
    s.write("B/one.files/map.png", "left");
    const deck = await s.deck("B");
    await s.client.cards.update(id, { "deck-id": deck });
    await s.sync();
    expect(s.files().filter((path) => path.endsWith(".md"))).toEqual(["B/one~2.md"]);
    expect(s.read("B/one~2.files/map.png")).toBe("mine");
    expect(s.read("B/one.files/map.png")).toBe("left");
    expect(await get(s, id, "map.png")).toBe("mine");
  });

  test("stay with their card when the deck of the same name beside it is moved", async () => {
    const s = await newSynced();
    s.write("A/Rivers.md", "rivers\n");
    s.write("A/Rivers.files/map.png", "of the card");
    s.write("A/Rivers/one.md", "one\n");
    s.write("B/two.md", "two\n");
    await s.sync();
    const decks = new Map((await s.client.decks.all()).map(({ name, id }) => [name, id]));
    await s.client.decks.update(decks.get("Rivers") ?? "", { "parent-id": decks.get("B") ?? "" });
    await s.sync();
    expect(s.files().filter((path) => !path.endsWith("deck.yaml"))).toEqual([
      "A/Rivers.files/map.png",
      "A/Rivers.md",
      "B/Rivers/one.md",
      "B/two.md",
    ]);
  });

  test("are downloaded beside the file of a card, under names that any disk takes", async () => {
    const s = await newSynced();
    const deck = await s.deck("A");
    const { id } = await s.client.cards.create({ content: "one", "deck-id": deck });
    for (const name of ["map.png", "Map.png", "a:b?.txt", "caf\u00e9.txt"]) await put(s, id, name, name);
    await s.sync();
    const files = s.files().filter((path) => path.includes(".files/"));
    expect(files.map((path) => path.split("/").at(-1)).sort()).toEqual([
      "Map.png",
      "a-b.txt",
      "caf\u00e9.txt",
      "map-2.png",
    ]);
    expect(s.read(files.find((path) => path.endsWith("/map-2.png")) ?? "")).toBe("map.png");
    // A disk may write accents in another form, and a machine may know nothing of an earlier sync.
    const [accented = ""] = files.filter((path) => path.includes("caf\u00e9"));
    renameSync(join(s.root, accented), join(s.root, accented.normalize("NFD")));
    const other = await newSynced({ client: s.client, root: s.root });
    for (const machine of [s, other]) expect((await machine.sync()).left).toEqual([]);
    expect(await names(s, id)).toEqual(["Map.png", "a:b?.txt", "caf\u00e9.txt", "map.png"].sort());
    expect(s.files().filter((path) => path.includes(".files/"))).toHaveLength(4);
  });

  test("are replaced on the side that was not changed, and the old one is kept in the trash", async () => {
    const { s, id } = await oneCard();
    s.write("A/one.files/a.txt", "a 1");
    s.write("A/one.files/b.txt", "b 1");
    await s.sync();
    s.write("A/one.files/a.txt", "a, changed here");
    await put(s, id, "b.txt", "b, changed there");
    expect(Object.fromEntries((await s.sync()).done)).toEqual({
      "update attachment service": 1,
      "update attachment folder": 1,
    });
    expect([await get(s, id, "a.txt"), s.read("A/one.files/b.txt")]).toEqual([
      "a, changed here",
      "b, changed there",
    ]);
    expect(s.read(".deckhand/trash/A/one.files/a.txt")).toBe("a 1");
    expect(s.read(".deckhand/trash/A/one.files/b.txt")).toBe("b 1");
  });

  test("that both sides changed are left until a side is chosen, and the other one is kept", async () => {
    for (const prefer of ["folder", "service"] as const) {
      const { s, id } = await oneCard();
      s.write("A/one.files/a.txt", "first");
      await s.sync();
      s.write("A/one.files/a.txt", "ours");
      await put(s, id, "a.txt", "theirs");
      expect((await s.sync()).left).toMatchObject([{ what: "A/one.files/a.txt", conflict: true }]);
      expect([await get(s, id, "a.txt"), s.read("A/one.files/a.txt")]).toEqual(["theirs", "ours"]);
      expect((await s.sync({ prefer })).left).toEqual([]);
      const [chosen, other] = prefer === "folder" ? ["ours", "theirs"] : ["theirs", "ours"];
      expect([await get(s, id, "a.txt"), s.read("A/one.files/a.txt")]).toEqual([chosen, chosen]);
      expect(s.read(".deckhand/trash/A/one.files/a.txt")).toBe(other);
    }
  });

  test("are never removed: what one side lacks comes back, what both lack is forgotten", async () => {
    const { s, id } = await oneCard();
    for (const name of ["a", "b", "c"]) s.write(`A/one.files/${name}.txt`, name);
    await s.sync();
    rmSync(join(s.root, "A/one.files/a.txt"));
    await s.client.attachments.remove(id, "b.txt");
    rmSync(join(s.root, "A/one.files/c.txt"));
    await s.client.attachments.remove(id, "c.txt");
    expect(Object.fromEntries((await s.sync()).done)).toEqual({
      "update attachment folder": 1,
      "update attachment service": 1,
    });
    expect(await names(s, id)).toEqual(["a.txt", "b.txt"]);
    expect(s.read("A/one.files/a.txt")).toBe("a");
  });

  test("move with their card, whichever side moves it", async () => {
    const { s, id } = await oneCard();
    s.write("A/one.files/a.txt", "a");
    await s.sync();
    await s.client.cards.update(id, { "deck-id": await s.deck("B") });
    await s.sync();
    expect(s.read("B/one.files/a.txt")).toBe("a");
    mkdirSync(join(s.root, "A"), { recursive: true });
    for (const ending of [".md", ".files"])
      renameSync(join(s.root, `B/one${ending}`), join(s.root, `A/uno${ending}`));
    await s.sync();
    await s.sync();
    expect([...(await s.sync()).done]).toEqual([]);
    expect(s.files().filter((path) => path.includes(".files/"))).toEqual(["A/uno.files/a.txt"]);
  });

  test("keep their card where one was added on a side while the other removed the card", async () => {
    const { s, id } = await oneCard();
    s.write("A/two.md", "two\n");
    await s.sync();
    const two = (await s.cards()).find(({ content }) => content === "two")?.id ?? "";
    rmSync(join(s.root, "A/one.md"));
    await put(s, id, "a.txt", "a");
    s.write("A/two.files/b.txt", "b");
    await s.client.cards.update(two, { "trashed?": new Date().toISOString() });
    await s.sync();
    expect((await s.cards()).map((card) => card.id).sort()).toEqual([id, two].sort());
    expect(s.files().filter((path) => path.endsWith(".txt"))).toHaveLength(2);
    expect(await names(s, two)).toEqual(["b.txt"]);
  });

  test("go to the trash of the folder with the file of their card", async () => {
    const { s, id } = await oneCard();
    s.write("A/one.files/a.txt", "a");
    await s.sync();
    await s.client.cards.update(id, { "trashed?": new Date().toISOString() });
    await s.sync({ maxDelete: 1 });
    expect(existsSync(join(s.root, "A/one.files"))).toBe(false);
    expect(s.read(".deckhand/trash/A/one.files/a.txt")).toBe("a");
  });

  test("are compared once more before they are sent, and by the service as they arrive", async () => {
    for (const at of ["compare the attachment A/one.files/a.txt", "upload A/one.files/a.txt"]) {
      const { s, id } = await oneCard();
      s.write("A/one.files/a.txt", "first");
      await s.sync();
      s.write("A/one.files/a.txt", "ours");
      let edits = 0;
      const step = async (effect: string) => {
        if (effect === at && edits++ === 0) await put(s, id, "a.txt", "theirs");
      };
      expect((await s.sync({ step })).left, at).toMatchObject([{ conflict: true }]);
      expect([await get(s, id, "a.txt"), s.read("A/one.files/a.txt")]).toEqual(["theirs", "ours"]);
    }
  });

  test("are streamed, and recorded as they were sent if the file is edited meanwhile", async () => {
    const { s, id } = await oneCard();
    const large = "0123456789abcdef".repeat(512 * 1024);
    s.write("A/one.files/large.bin", large);
    const step = async (effect: string) => {
      if (effect === "record A/one.files/large.bin") s.write("A/one.files/large.bin", "edited");
    };
    await s.sync({ step });
    expect(await get(s, id, "large.bin")).toBe(large);
    await s.sync();
    expect(await get(s, id, "large.bin")).toBe("edited");
  });

  test("that come with another content than the listed one are not kept, and leave nothing behind", async () => {
    const account = await emptyAccount();
    const fetch = ((_card, _name, take) =>
      take({ headers: {}, body: Readable.from([Buffer.from("other")]) })) as typeof account.attachments.fetch;
    const s = await newSynced({ client: { ...account, attachments: { ...account.attachments, fetch } } });
    const { id } = await account.cards.create({ content: "one", "deck-id": await s.deck("A") });
    await put(s, id, "map.png", "png");
    await s.sync();
    expect(s.files().filter((path) => path.includes(".files/"))).toEqual([]);
    expect(readdirSync(join(s.root, ".deckhand/tmp"))).toEqual([]);
  });

  test("appear in the plan, which changes nothing", async () => {
    const { s, id } = await oneCard();
    s.write("A/one.files/a.txt", "a");
    await put(s, id, "b.txt", "b");
    const { plan } = await planSync(s.options());
    expect(
      Object.fromEntries(
        plan.changes.flatMap((each) => (each.thing === "attachment" ? [[each.path, each.side]] : [])),
      ),
    ).toEqual({
      "A/one.files/a.txt": "service",
      "A/one.files/b.txt": "folder",
    });
    expect(await names(s, id)).toEqual(["b.txt"]);
  });
});

describe("attachments of a service with only the documented interface", () => {
  /** Answers as the hosted service, which describes no extensions and has no lists or downloads of attachments. */
  const documented = () =>
    emptyAccount(({ method, path }) =>
      method === "GET" && (path === "/" || path.includes("attachments"))
        ? { status: 404, headers: {}, body: "" }
        : undefined,
    );

  test("are added to cards that this folder created, and never replaced unseen", async () => {
    const client = await documented();
    const { s, id } = await oneCard({ client });
    s.write("A/one.files/a.txt", "a");
    expect(Object.fromEntries((await s.sync()).done)).toEqual({ "update attachment service": 1 });
    s.write("A/one.files/a.txt", "changed");
    expect((await s.sync()).left).toMatchObject([
      { what: "A/one.files/a.txt", note: expect.stringContaining("--prefer folder replaces it") },
    ]);
    expect((await s.sync({ prefer: "folder" })).left).toEqual([]);
    expect((await s.client.cards.get(id)).attachments).toEqual({
      "a.txt": expect.objectContaining({ size: 7 }),
    });
    expect([...(await s.sync()).done]).toEqual([]);
  });

  test("are counted where only the service has them", async () => {
    const s = await newSynced({ client: await documented() });
    const { id } = await s.client.cards.create({ content: "one", "deck-id": await s.deck("A") });
    await put(s, id, "a.txt", "a");
    const { plan, left } = await s.sync();
    expect([plan.changes.filter(({ op }) => op === "skip").length, left]).toEqual([1, []]);
  });
});
