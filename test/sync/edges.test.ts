import { existsSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { hashOfBytes } from "../../src/folder/stat.ts";
import { newId } from "../../src/schema/index.ts";
import { State } from "../../src/sync/state.ts";
import { planSync } from "../../src/sync/sync.ts";
import { cpuTimeOf, leastBelow } from "../support/cpu-time.ts";
import { emptyAccount } from "../transfer/support.ts";
import { newSynced, type Synced } from "./support.ts";

/** A folder with one card in the deck A, synced. */
async function oneCard(text = "one\n") {
  const s = await newSynced();
  s.write("A/one.md", text);
  await s.sync();
  const [card] = await s.cards();
  return { s, id: card?.id ?? "" };
}

async function another(s: Synced) {
  s.write("A/another.md", "another\n");
  await s.sync();
}

const trash = (s: Synced, id: string) => s.client.cards.update(id, { "trashed?": new Date().toISOString() });

describe("line ends", () => {
  test("of another kind are no edit, and each file keeps its own", async () => {
    const { s, id } = await oneCard("one\n\ntwo\n\nthree\n");
    s.write("A/one.md", s.read("A/one.md").replaceAll("\n", "\r\n"));
    expect((await planSync(s.options())).plan.changes.map(({ op }) => op)).toEqual(["record"]);
    await s.client.cards.update(id, { content: "one\n\ntwo\n\nthree, there" });
    s.write("A/one.md", s.read("A/one.md").replace("one\r\n\r\n", "one, here\r\n\r\n"));
    expect((await s.sync()).left).toEqual([]);
    expect((await s.cards())[0]?.content).toBe("one, here\n\ntwo\n\nthree, there");
    const text = s.read("A/one.md");
    expect(text).toContain("---\r\none, here\r\n\r\ntwo\r\n\r\nthree, there\r\n");
    expect(text.replaceAll("\r\n", "")).not.toContain("\n");
    expect([...(await s.sync()).done]).toEqual([]);
  });

  test("of the collection are no edit, either", async () => {
    const { s, id } = await oneCard("one\ntwo\n");
    await s.client.cards.update(id, { content: "one\r\ntwo" });
    expect((await s.sync()).left).toEqual([]);
    expect(s.read("A/one.md")).toMatch(/\none\ntwo\n$/);
    s.write("A/one.md", s.read("A/one.md").replace("two", "zwei"));
    expect((await s.sync()).left).toEqual([]);
    expect((await s.cards())[0]?.content).toBe("one\nzwei");
  });
});

describe("a card that was edited and then trashed in the collection", () => {
  test("keeps that edit where its file was edited, too", async () => {
    const { s, id } = await oneCard("one\n\ntwo\n\nthree\n");
    await another(s);
    await s.client.cards.update(id, { content: "one\n\ntwo\n\nthree, there" });
    await trash(s, id);
    s.write("A/one.md", s.read("A/one.md").replace("one\n\n", "one, here\n\n"));
    expect((await s.sync()).left).toEqual([]);
    const card = (await s.cards()).find((each) => each.id === id);
    expect(card?.content).toBe("one, here\n\ntwo\n\nthree, there");
    expect(s.read("A/one.md")).toContain("one, here\n\ntwo\n\nthree, there\n");
  });

  test("is a conflict where both edited the same line", async () => {
    const { s, id } = await oneCard();
    await another(s);
    await s.client.cards.update(id, { content: "there" });
    await trash(s, id);
    s.write("A/one.md", s.read("A/one.md").replace("one\n", "here\n"));
    expect((await s.sync()).left).toMatchObject([{ conflict: true }]);
    expect(s.read("A/one.md")).toContain("here\n||||||| base\none\n=======\nthere\n");
  });
});

describe("conflict markers", () => {
  test("of git, or in a card about them, are text", async () => {
    const { s } = await oneCard();
    const about = "```\n<<<<<<< HEAD\na\n||||||| merged common ancestors\n=======\nb\n>>>>>>> topic\n```";
    s.write("A/git.md", `${about}\n`);
    expect((await s.sync()).left).toEqual([]);
    expect((await s.cards()).map(({ content }) => content)).toContain(about);
  });
});

describe("the rename of a folder", () => {
  test.each(["update the deck", "replace A2/deck.yaml", "record", "move A2/deck.yaml aside"])(
    "is not undone by a sync that ends at %s",
    async (effect) => {
      const { s } = await oneCard();
      renameSync(join(s.root, "A"), join(s.root, "A2"));
      let ended = false;
      const step = async (each: string) => {
        if (!each.startsWith(effect)) return;
        ended = true;
        throw new Error("ended");
      };
      await s.sync({ step }).catch(() => {});
      // As a kill right after the request: the answer is lost.
      expect(ended || effect === "record").toBe(true);
      await s.sync();
      expect((await s.client.decks.all()).map(({ name }) => name)).toEqual(["A2"]);
      expect(s.read("A2/deck.yaml")).toContain("name: A2");
      expect([...(await s.sync()).done]).toEqual([]);
    },
  );

  test("is not undone by a sync that ends right after the service renamed the deck", async () => {
    const { s } = await oneCard();
    renameSync(join(s.root, "A"), join(s.root, "A2"));
    const { client } = s;
    const decks = {
      ...client.decks,
      async update(id: string, body: Parameters<typeof client.decks.update>[1]): Promise<never> {
        await client.decks.update(id, body);
        throw new Error("ended");
      },
    };
    await expect(s.sync({ client: { ...client, decks } })).rejects.toThrow("ended");
    await s.sync();
    expect((await client.decks.all()).map(({ name }) => name)).toEqual(["A2"]);
    expect(s.read("A2/deck.yaml")).toContain("name: A2");
  });

  test("is carried over where the folder is renamed once more after a sync that ended in it", async () => {
    for (const at of ["compare the deck", "remove the old A2/deck.yaml"]) {
      const { s } = await oneCard();
      renameSync(join(s.root, "A"), join(s.root, "A2"));
      const step = async (each: string) => {
        if (each.startsWith(at)) throw new Error("ended");
      };
      await expect(s.sync({ step })).rejects.toThrow("ended");
      renameSync(join(s.root, "A2"), join(s.root, "A3"));
      await s.sync();
      expect((await s.client.decks.all()).map(({ name }) => name)).toEqual(["A3"]);
      expect(s.read("A3/deck.yaml")).toContain("name: A3");
    }
  });

  test("does not overwrite a name that the deck got meanwhile", async () => {
    const { s } = await oneCard();
    const [deck] = await s.client.decks.all();
    renameSync(join(s.root, "A"), join(s.root, "A2"));
    const step = async (each: string) => {
      if (each.startsWith("compare the deck")) await s.client.decks.update(deck?.id ?? "", { name: "B" });
    };
    expect((await s.sync({ step })).left).toMatchObject([{ what: "A2", conflict: true }]);
    expect((await s.client.decks.all()).map(({ name }) => name)).toEqual(["B"]);
  });
});

test("the attachments of a note go to the trash of the folder with its card", async () => {
  const { s } = await oneCard();
  s.write("A/two.md", "two\n");
  s.write("A/one.files/a.txt", "a");
  s.write("A/two.files/b.txt", "b");
  await s.sync();
  s.write("A/two.files/new.txt", "of nobody yet");
  for (const name of ["one", "two"]) rmSync(join(s.root, `A/${name}.md`));
  await s.sync({ maxDelete: 2 });
  expect(await s.cards()).toEqual([]);
  expect(existsSync(join(s.root, "A/one.files"))).toBe(false);
  expect(s.read(".deckhand/trash/A/one.files/a.txt")).toBe("a");
  expect(s.read("A/two.files/new.txt")).toBe("of nobody yet");
});

test("a folder and a deck whose names differ in their Unicode form only are one", async () => {
  const s = await newSynced();
  const deck = await s.deck("caf\u00e9");
  s.write("cafe\u0301/one.md", "one\n");
  await s.sync();
  expect((await s.client.decks.all()).map(({ id }) => id)).toEqual([deck]);
});

test("a change with equal size and time is seen", async () => {
  const { s } = await oneCard();
  const path = join(s.root, "A/one.md");
  utimesSync(path, 1.7e9, 1.7e9);
  await s.sync({ now: () => Date.now() + 60_000 });
  writeFileSync(path, s.read("A/one.md").replace("one\n", "eno\n"));
  utimesSync(path, 1.7e9, 1.7e9);
  await s.sync({ now: () => Date.now() + 60_000 });
  expect((await s.cards())[0]?.content).toBe("eno");
});

test("notes that were written anew under other names are found among thousands, in little time", async () => {
  const s = await newSynced();
  const count = 1200;
  const text = (number: number, last: string) =>
    `# Country ${number}\n\nThe same line in all\n\nCapital ${number * 7}\n\nRiver ${number * 3}\n\n${last}\n`;
  const decks = [await s.deck("A")];
  for (let number = 0; number < count; number++)
    await s.client.cards.create({ content: text(number, "old").trimEnd(), "deck-id": decks[0] ?? "" });
  await s.sync();
  for (const path of s.files().filter((each) => each.endsWith(".md"))) rmSync(join(s.root, path));
  for (let number = 0; number < count; number++) s.write(`A/n${number}.md`, text(number, "new"));
  const planned = async () => {
    const { plan } = await planSync(s.options());
    expect(plan.changes.filter(({ thing, op }) => thing === "card" && op === "update")).toHaveLength(count);
  };
  // 7 s with a comparison of each with each.
  expect(await leastBelow(4_000, () => cpuTimeOf(planned))).toBeLessThan(4_000);
}, 120_000);

describe("a file in which several cards are marked", () => {
  const several = "Q: one?\nA: 1\n\nQ: two?\nA: 2\n";

  test("is left in one line with others, and is one card where that is asked for", async () => {
    const { s } = await oneCard();
    s.write("A/several.md", several);
    s.write("A/pairs.md", "a :: b\nc :: d\n");
    s.write("A/headings.md", "# one\n\n==two== and ==three==\n");
    const { left } = await s.sync();
    expect(left).toMatchObject([{ what: "A/pairs.md", failed: false, conflict: false }]);
    expect(left[0]?.note).toContain("as in 1 more: `deckhand review <folder>` learns from them");
    expect(await s.cards()).toHaveLength(2);
    expect((await s.sync({ wholeFiles: true })).left).toEqual([]);
    expect(await s.cards()).toHaveLength(4);
    // They have ids now.
    expect((await s.sync()).left).toEqual([]);
  });

  test("does not count as removed where it was one card", async () => {
    const { s } = await oneCard();
    await another(s);
    s.write("A/one.md", several);
    expect((await s.sync()).left).toMatchObject([{ what: "A/one.md" }]);
    expect(await s.cards()).toHaveLength(2);
    expect(s.read("A/one.md")).toBe(several);
  });

  test("is one card where it has an id of this account, whatever is in it", async () => {
    const { s } = await oneCard();
    s.write("A/one.md", s.read("A/one.md").replace("one\n", several));
    expect((await s.sync()).left).toEqual([]);
    expect((await s.cards())[0]?.content).toBe(several.trimEnd());
  });
});

describe("pictures of Obsidian", () => {
  test("beside or below a note are attached, replaced and kept where they are, and its links stay", async () => {
    const s = await newSynced();
    const text = "![[map.png]] ![old](img/old%20map.png) ![](https://example.org/a.png)\n";
    s.write("A/one.md", text);
    s.write("A/map.png", "map");
    s.write("A/img/old map.png", "old");
    expect((await s.sync()).left).toEqual([]);
    const [card] = await s.cards();
    const id = card?.id ?? "";
    expect(card?.content).toBe(
      "![](@media/map.png) ![old](@media/old%20map.png) ![](https://example.org/a.png)",
    );
    expect(s.read("A/one.md")).toContain(text);
    expect(await attached(s, id)).toEqual({ "map.png": "map", "old map.png": "old" });
    expect([...(await s.sync()).done]).toEqual([]);
    // Edits of both sides, and another picture of the same name.
    s.write("A/map.png", "map, new");
    await s.client.cards.update(id, { content: `${card?.content}\n\nmore` });
    expect((await s.sync()).left).toEqual([]);
    expect(s.read("A/one.md")).toContain(`${text}\nmore\n`);
    expect(await attached(s, id)).toEqual({ "map.png": "map, new", "old map.png": "old" });
    expect([...(await s.sync()).done]).toEqual([]);
    expect(s.files().filter((path) => path.includes(".files"))).toEqual([]);
  });

  test("that come after the note are attached then", async () => {
    const s = await newSynced();
    s.write("A/one.md", "![[map.png]]\n");
    const later = { now: () => Date.now() + 60_000 };
    await s.sync(later);
    await s.sync(later);
    s.write("A/map.png", "map");
    await s.sync(later);
    const [card] = await s.cards();
    expect(await attached(s, card?.id ?? "")).toEqual({ "map.png": "map" });
  });
});

async function attached(s: Synced, id: string): Promise<Record<string, string>> {
  const names = (await s.client.attachments.list(id)).map((each) => each["file-name"]);
  const texts = names.map(async (name) => {
    const text = await s.client.attachments.fetch(id, name, ({ body }) => textOf(body));
    return [name, text] as const;
  });
  return Object.fromEntries(await Promise.all(texts));
}

test("a creation that was recorded and may not have been sent is sent again under its id", async () => {
  const { s } = await oneCard();
  const [deck] = await s.client.decks.all();
  s.write("A/two.md", "two\n");
  const { statePath } = s.options();
  const state = State.open(statePath);
  const place = {
    deck: deck?.id ?? "",
    template: null,
    pos: null,
    tags: [],
    archived: false,
    reverse: false,
    fields: {},
  };
  const [path, id] = ["A/two.md", newId()];
  state.begin([
    { op: "create-card", id, path, hash: hashOfBytes("two\n"), doc: { content: "two", ...place } },
  ]);
  state.close();
  expect((await s.sync()).left).toEqual([]);
  expect((await s.cards()).filter(({ content }) => content === "two").map((card) => card.id)).toEqual([id]);
  expect(s.read("A/two.md")).toContain(`id: ${id}\n`);
});

describe("without anybody to ask", () => {
  test("a sync that watches leaves removals, names them, and carries out the rest", async () => {
    const { s } = await oneCard();
    s.write("A/two.md", "two\n");
    await s.sync();
    rmSync(join(s.root, "A/one.md"));
    s.write("A/two.md", s.read("A/two.md").replace("two\n", "two, edited\n"));
    const { left } = await s.sync({ watching: { confirmed: false } });
    expect(left).toMatchObject([{ what: "A/one.md", note: expect.stringContaining("without --watch") }]);
    expect((await s.cards()).map(({ content }) => content).sort()).toEqual(["one", "two, edited"]);
    expect((await s.sync({ watching: { confirmed: true } })).left).toEqual([]);
    expect((await s.cards()).map(({ content }) => content)).toEqual(["two, edited"]);
  });

  test("a sync that watches leaves more removals than are allowed, also if removals were confirmed", async () => {
    const { s } = await oneCard();
    for (let number = 0; number < 12; number++) s.write(`A/${number}.md`, `${number}\n`);
    await s.sync();
    for (let number = 0; number < 11; number++) rmSync(join(s.root, `A/${number}.md`));
    s.write("A/new.md", "new\n");
    expect((await s.sync({ watching: { confirmed: true } })).left).toHaveLength(11);
    expect(await s.cards()).toHaveLength(14);
  });
});

test("a refused creation leaves nothing open for which another machine would wait", async () => {
  const refused = {
    status: 422,
    headers: {},
    body: JSON.stringify({ errors: { content: ["is too long"] } }),
  };
  const client = await emptyAccount(({ method, path }) => {
    if (method === "GET" && path === "/") return { status: 404, headers: {}, body: "" };
    return method === "POST" && path === "/cards" ? refused : undefined;
  });
  const s = await newSynced({ client });
  s.write("A/long.md", "long\n");
  expect((await s.sync()).left).toMatchObject([{ what: "A/long.md", failed: true }]);
  expect(readdirSync(join(s.root, ".deckhand/tmp"))).toEqual([]);
});

describe("what an earlier sync may have created, without ids of its own", () => {
  /** A service with only the documented interface; a sync ends as the given request is sent for the first time. */
  async function endedAt(path: string, prepare: (s: Synced) => Promise<void>): Promise<Synced> {
    let isOpen = false;
    const client = await emptyAccount((request) => {
      if (request.method === "GET" && request.path === "/") return { status: 404, headers: {}, body: "" };
      if (!isOpen || request.method !== "POST" || request.path !== path) return undefined;
      isOpen = false;
      throw new Error("ended");
    });
    const s = await newSynced({ client });
    await prepare(s);
    isOpen = true;
    await expect(s.sync()).rejects.toThrow();
    return s;
  }

  test("is not a card that was there before, however alike", async () => {
    const s = await endedAt("/cards", async ({ client, deck, write }) => {
      const content = "one\ntwo\nthree\nmore";
      await client.cards.create({ content, "deck-id": await deck("A") });
      write("A/note.md", "one\ntwo\nthree\n");
    });
    expect((await s.sync()).left).toEqual([]);
    expect((await s.cards()).map(({ content }) => content).sort()).toEqual([
      "one\ntwo\nthree",
      "one\ntwo\nthree\nmore",
    ]);
  });

  test("is not a deck that was there before, in the trash", async () => {
    const s = await endedAt("/decks", async ({ client, deck, write }) => {
      await client.decks.update(await deck("A"), { "trashed?": new Date().toISOString() });
      write("A/note.md", "one\n");
    });
    expect((await s.sync()).left).toEqual([]);
    expect(await s.cards()).toMatchObject([{ content: "one" }]);
  });
});

test("a refused deck leaves nothing open for which another machine would wait", async () => {
  const body = JSON.stringify({ errors: { name: ["is too long"] } });
  const client = await emptyAccount(({ method, path }) => {
    if (method === "GET" && path === "/") return { status: 404, headers: {}, body: "" };
    return method === "POST" && path === "/decks" ? { status: 422, headers: {}, body } : undefined;
  });
  const s = await newSynced({ client });
  s.write("A/one.md", "one\n");
  expect((await s.sync()).left).toMatchObject([{ what: "A", failed: true }, { what: "A/one.md" }]);
  expect(readdirSync(join(s.root, ".deckhand/tmp"))).toEqual([]);
});

test("a tag that one side removed is removed, and one that the other added stays", async () => {
  const { s, id } = await oneCard("---\ntags: [a, b, c]\n---\none\n");
  await s.client.cards.update(id, { "manual-tags": ["a", "b", "new"] });
  s.write("A/one.md", s.read("A/one.md").replace("tags: [a, b, c]", "tags: [a, c, own]"));
  expect((await s.sync()).left).toEqual([]);
  expect((await s.cards())[0]?.["manual-tags"]?.toSorted()).toEqual(["a", "new", "own"]);
});

describe("two syncs of a folder", () => {
  test("one waits for the other, says so, and stops when it is asked to", async () => {
    const { s } = await oneCard();
    s.write("A/two.md", "two\n");
    let waited = 0;
    const stop = new AbortController();
    const step = async (effect: string) => {
      if (!effect.startsWith("create the card")) return;
      const other = s.sync({
        signal: stop.signal,
        onWait() {
          waited++;
          stop.abort(new Error("stopped"));
        },
      });
      await expect(other).rejects.toThrow("stopped");
    };
    expect((await s.sync({ step })).left).toEqual([]);
    expect(waited).toBe(1);
    expect(await s.cards()).toHaveLength(2);
  });

  test("one runs while the other one's question is on the screen, and what it does is found", async () => {
    const { s } = await oneCard();
    s.write("A/two.md", "two\n");
    await s.sync();
    rmSync(join(s.root, "A/one.md"));
    let asked = 0;
    const approve = async () => async () => {
      asked++;
      s.write("A/three.md", "three\n");
      await s.sync();
      rmSync(join(s.root, "A/two.md"));
    };
    const { left } = await s.sync({ approve });
    // What was removed after the question was not approved.
    expect(left).toMatchObject([{ what: "A/two.md", note: expect.stringContaining("sync again") }]);
    expect([asked, (await s.cards()).map(({ content }) => content).sort()]).toEqual([1, ["three", "two"]]);
  });
});

test("new folders of a folder of one deck become decks under it, and stay there", async () => {
  const s = await newSynced();
  const scope = await s.deck("All");
  s.write("A/one.md", "one\n");
  s.write("A/B/two.md", "two\n");
  await s.sync({ scope });
  const decks = async () =>
    Object.fromEntries((await s.client.decks.all()).map((deck) => [deck.name, deck["parent-id"] ?? null]));
  const before = await decks();
  expect(before).toMatchObject({ All: null, A: scope });
  for (const _ of [1, 2])
    expect((await s.sync({ scope })).plan.changes.filter(({ op }) => op !== "record")).toEqual([]);
  expect([await decks(), s.files().filter((path) => path.endsWith(".md"))]).toEqual([
    before,
    ["A/B/two.md", "A/one.md"],
  ]);
});
