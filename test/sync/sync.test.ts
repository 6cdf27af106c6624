import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { newSynced, type Synced } from "./support.ts";

const cardsOf = (paths: readonly string[]) => paths.filter((path) => path.endsWith(".md"));

describe("a sync", () => {
  test("writes the cards of the service into an empty folder, and then finds nothing to do", async () => {
    const s = await newSynced();
    const deck = await s.deck("Spanish");
    await s.client.cards.create({ content: "hola\n---\nhello", "deck-id": deck, "manual-tags": ["a"] });
    await s.sync();
    const [path = ""] = cardsOf(s.files());
    expect(path).toMatch(/^Spanish\/hola-\w+\.md$/);
    expect(s.read(path)).toMatch(/^---\nid: \w+\ntags:\n {2}- a\npos: .*\n---\nhola\n---\nhello\n$/);
    const second = await s.sync();
    expect([...second.done]).toEqual([]);
    expect(second.plan.changes.filter(({ op }) => op !== "record")).toEqual([]);
  });

  test("creates cards and decks of new files and folders, once", async () => {
    const s = await newSynced();
    s.write("Languages/Spanish/hola.md", "hola\n---\nhello\n");
    s.write("Languages/Spanish/adios.md", "---\ntags: [x]\nmine: 1\n---\nadios\n");
    await s.sync();
    await s.sync();
    const cards = await s.cards();
    expect(cards.map(({ content }) => content).sort()).toEqual(["adios", "hola\n---\nhello"]);
    expect((await s.client.decks.all()).map(({ name }) => name).sort()).toEqual(["Languages", "Spanish"]);
    expect(s.read("Languages/Spanish/adios.md")).toMatch(
      /^---\ntags: \[x\]\nmine: 1\nid: \w+\n---\nadios\n$/,
    );
    expect(s.read("Languages/Spanish/deck.yaml")).toContain("name: Spanish");
  });

  test("creates several decks of one name at once", async () => {
    const s = await newSynced();
    for (const folder of ["one", "two", "three"]) {
      s.write(`${folder}/deck.yaml`, "name: Intro\n");
      s.write(`${folder}/card.md`, `${folder}\n`);
    }
    expect((await s.sync()).left).toEqual([]);
    expect((await s.client.decks.all()).map(({ name }) => name)).toEqual(["Intro", "Intro", "Intro"]);
  });

  test("creates a deck once that another machine creates at the same time", async () => {
    const s = await newSynced();
    s.write("A/B/one.md", "one\n");
    let made = "";
    const step = async (effect: string) => {
      if (effect === "create the deck A") made = await s.deck("A");
    };
    expect((await s.sync({ step })).left).toEqual([]);
    const decks = await s.client.decks.all();
    expect(decks.map(({ name }) => name).sort()).toEqual(["A", "B"]);
    expect(s.read("A/deck.yaml")).toContain(made);
  });

  test("carries edits in both directions, and merges edits of both sides", async () => {
    const s = await newSynced();
    s.write("A/one.md", "one\n\ntwo\n\nthree\n");
    await s.sync();
    s.write("A/one.md", s.read("A/one.md").replace("one\n", "ONE\n"));
    await s.sync();
    const [card] = await s.cards();
    expect(card?.content).toBe("ONE\n\ntwo\n\nthree");
    await s.client.cards.update(card?.id ?? "", { content: "ONE\n\ntwo\n\nTHREE", "manual-tags": ["t"] });
    s.write("A/one.md", s.read("A/one.md").replace("ONE\n", "1\n"));
    await s.sync();
    expect((await s.cards())[0]?.content).toBe("1\n\ntwo\n\nTHREE");
    expect(s.read("A/one.md")).toContain("1\n\ntwo\n\nTHREE\n");
    expect(s.read("A/one.md")).toContain("- t\n");
  });

  test("writes a conflict into the file, and sends what it was resolved to", async () => {
    const s = await newSynced();
    s.write("A/one.md", "question\n");
    await s.sync();
    const [card] = await s.cards();
    await s.client.cards.update(card?.id ?? "", { content: "theirs" });
    s.write("A/one.md", s.read("A/one.md").replace("question", "ours"));
    const result = await s.sync();
    expect(result.left).toMatchObject([{ what: "A/one.md", conflict: true }]);
    const marked = "<<<<<<< folder\nours\n||||||| base\nquestion\n=======\ntheirs\n>>>>>>> service\n";
    expect(s.read("A/one.md")).toContain(marked);
    expect((await s.cards())[0]?.content).toBe("theirs");
    expect((await s.sync()).left).toMatchObject([{ what: "A/one.md", note: "it has conflict markers" }]);
    s.write("A/one.md", s.read("A/one.md").replace(marked, "both\n"));
    expect((await s.sync()).left).toEqual([]);
    expect((await s.cards())[0]?.content).toBe("both");
  });

  test.each([
    ["<<<<<<< folder\nours"],
    ["both\n||||||| base\nquestion"],
    ["ours\n=======\ntheirs\n>>>>>>> service"],
  ])("does not send a file in which a marker line is left: %j", async (text) => {
    const s = await newSynced();
    s.write("A/one.md", "question\n");
    await s.sync();
    s.write("A/one.md", s.read("A/one.md").replace("question", text));
    s.write("A/new.md", `${text}\n`);
    const marked = { note: "it has conflict markers", conflict: true };
    expect((await s.sync()).left).toMatchObject([marked, marked]);
    expect((await s.cards()).map(({ content }) => content)).toEqual(["question"]);
  });

  test("sends an underlined heading, and edits of a card about markers", async () => {
    const s = await newSynced();
    s.write("A/one.md", "Heading\n=======\n");
    const about = ["```", "<<<<<<< HEAD", "a", "=======", "b", ">>>>>>> topic", "```"].join("\n");
    await s.client.cards.create({ content: about, "deck-id": await s.deck("B") });
    await s.sync();
    const [path = ""] = s.files().filter((each) => /^B.*\.md$/.test(each));
    s.write(path, s.read(path).replace("\na\n", "\nedited\n"));
    expect((await s.sync()).left).toEqual([]);
    const contents = (await s.cards()).map(({ content }) => content);
    expect(contents.sort()).toEqual(["Heading\n=======", about.replace("a\n", "edited\n")].sort());
    s.write(path, s.read(path).replace("edited", "<<<<<<< folder\nedited"));
    expect((await s.sync()).left).toMatchObject([{ what: path, conflict: true }]);
  });

  test("with a preferred side has no conflicts, and keeps the other text in the trash of the folder", async () => {
    const s = await newSynced();
    s.write("A/one.md", "question\n");
    await s.sync();
    const [card] = await s.cards();
    await s.client.cards.update(card?.id ?? "", { content: "theirs" });
    s.write("A/one.md", s.read("A/one.md").replace("question", "ours"));
    expect((await s.sync({ prefer: "folder" })).left).toEqual([]);
    expect((await s.cards())[0]?.content).toBe("ours");
    expect(s.read(".deckhand/trash/A/one.md")).toContain("theirs");
  });

  test.each(["folder", "service"] as const)(
    "resolves conflicts that are in the file already with --prefer %s, and keeps the other text in the trash",
    async (prefer) => {
      const s = await newSynced();
      s.write("A/one.md", "question\n\nabove\n\nbelow\n");
      await s.sync();
      const [card] = await s.cards();
      const update = (content: string) => s.client.cards.update(card?.id ?? "", { content });
      await update("theirs\n\nabove\n\nbelow");
      s.write("A/one.md", s.read("A/one.md").replace("question", "ours"));
      expect((await s.sync()).left).toMatchObject([{ conflict: true }]);
      // Both sides go on after the conflict.
      await update("theirs\n\nabove\n\nbelow it");
      s.write("A/one.md", s.read("A/one.md").replace("above", "above it"));
      expect((await s.sync({ prefer })).left).toEqual([]);
      const [chosen, other] = prefer === "folder" ? ["ours", "theirs"] : ["theirs", "ours"];
      const text = `${chosen}\n\nabove it\n\nbelow it`;
      expect((await s.cards())[0]?.content).toBe(text);
      expect(s.read("A/one.md")).toContain(`---\n${text}\n`);
      expect(s.trash()).toContain(`${other}\n`);
      expect((await s.sync()).plan.changes.filter(({ op }) => op !== "record")).toEqual([]);
    },
  );

  test.each([
    ["markers of git", "<<<<<<< HEAD\nours\n||||||| base\nq\n=======\ntheirs\n>>>>>>> topic"],
    [
      "a second line of =======",
      "<<<<<<< folder\nours\n||||||| base\nq\n=======\nT\n=======\n>>>>>>> service",
    ],
    ["a marker that was removed", "<<<<<<< folder\nours\n||||||| base\nq\n=======\ntheirs"],
  ])("leaves a conflict to the user despite --prefer: %s", async (_, text) => {
    const s = await newSynced();
    s.write("A/one.md", "question\n");
    await s.sync();
    s.write("A/one.md", s.read("A/one.md").replace("question", text));
    expect((await s.sync({ prefer: "service" })).left).toMatchObject([{ marked: true }]);
    expect(s.read("A/one.md")).toContain(text);
    expect((await s.cards()).map(({ content }) => content)).toEqual(["question"]);
  });

  test("keeps the text that was not preferred once, though the card is changed again before it is compared", async () => {
    const s = await newSynced();
    s.write("A/one.md", "question\n");
    await s.sync();
    const id = (await s.cards())[0]?.id ?? "";
    await s.client.cards.update(id, { content: "theirs" });
    s.write("A/one.md", s.read("A/one.md").replace("question", "ours"));
    let changes = 0;
    const step = async (effect: string) => {
      if (effect !== `compare the card ${id}` || changes === 3) return;
      await s.client.cards.update(id, { "manual-tags": [`tag-${++changes}`] });
    };
    expect((await s.sync({ prefer: "folder", step })).left).toEqual([]);
    expect(changes).toBe(3);
    expect((await s.cards())[0]?.content).toBe("ours");
    expect(s.trash().match(/theirs/g)).toHaveLength(1);
  });

  test("removes on the other side, into its trash", async () => {
    const s = await newSynced();
    s.write("A/one.md", "one\n");
    s.write("A/two.md", "two\n");
    s.write("A/three.md", "three\n");
    await s.sync();
    const cards = await s.cards();
    const one = cards.find(({ content }) => content === "one");
    await s.client.cards.update(one?.id ?? "", { "trashed?": new Date().toISOString() });
    rmSync(join(s.root, "A/two.md"));
    await s.sync();
    expect((await s.cards()).map(({ content }) => content)).toEqual(["three"]);
    expect(cardsOf(s.files())).toEqual(["A/three.md"]);
    expect(s.read(".deckhand/trash/A/one.md")).toContain("one\n");
  });

  test("removes the card of a file that another was moved over", async () => {
    const s = await newSynced();
    s.write("A/one.md", "one\n");
    s.write("A/two.md", "two\n");
    await s.sync();
    renameSync(join(s.root, "A/two.md"), join(s.root, "A/one.md"));
    const { done, left } = await s.sync();
    expect([...done.keys()].sort()).toEqual(["remove card service"]);
    expect(left).toEqual([]);
    expect((await s.cards()).map(({ content }) => content)).toEqual(["two"]);
    expect([...(await s.sync()).done]).toEqual([]);
  });

  /** Recorded so long after the files were written that the next sync need not read them. */
  const later = { now: () => Date.now() + 60_000 };

  test("tells a copy of a file that is not read from it", async () => {
    const s = await newSynced();
    s.write("A/one.md", "one\n");
    await s.sync();
    await s.sync(later);
    s.write("A/copy.md", s.read("A/one.md"));
    const { left } = await s.sync(later);
    expect(left).toMatchObject([{ what: "A/copy.md", note: expect.stringContaining("that of A/one.md") }]);
    rmSync(join(s.root, "A/copy.md"));
    expect([...(await s.sync(later)).done]).toEqual([]);
  });

  test("removes a card whose file's place another has taken", async () => {
    const s = await newSynced();
    s.write("A/1.md", "one\n");
    s.write("A/2.md", "two\n");
    await s.sync();
    renameSync(join(s.root, "A/1.md"), join(s.root, "A/2.md"));
    const step = async (effect: string) => {
      if (effect.startsWith("trash the card")) throw new Error("stopped");
    };
    await expect(s.sync({ step })).rejects.toThrow("stopped");
    await expect(s.sync({ ...later, step })).rejects.toThrow("stopped");
    expect((await s.sync(later)).left).toEqual([]);
    expect((await s.cards()).map(({ content }) => content)).toEqual(["one"]);
  });

  test.each([
    ["aaa", "bbb"],
    ["bbb", "aaa"],
  ])("reads a file in the place of another of equal size and time (%s, %s)", async (...texts) => {
    const s = await newSynced();
    const paths = ["D1/1.md", "D2/1.md"];
    for (const [index, path] of paths.entries()) s.write(path, `${texts[index]}\n`);
    await s.sync();
    for (const path of paths) utimesSync(join(s.root, path), 1.7e9, 1.7e9);
    await s.sync(later);
    const [moved, gone] = ["aaa", "bbb"].map((text) => paths[texts.indexOf(text)] ?? "");
    const cards = await s.cards();
    const [card, other] = ["aaa", "bbb"].map((text) => cards.find(({ content }) => content === text));
    rmSync(join(s.root, gone ?? ""));
    // While a file cannot be read, the removal is left.
    s.write("D3/broken.md", "---\nx: [\n---\nx\n");
    await s.client.cards.update(card?.id ?? "", { "deck-id": other?.["deck-id"] ?? "" });
    expect((await s.sync(later)).left).toHaveLength(2);
    expect([s.files().includes(moved ?? ""), s.read(gone ?? "").includes("aaa")]).toEqual([false, true]);
    rmSync(join(s.root, "D3/broken.md"));
    expect((await s.sync(later)).left).toEqual([]);
    expect((await s.cards()).map(({ content }) => content)).toEqual(["aaa"]);
  });

  test("leaves the card of a file that a copy of another took the place of", async () => {
    const s = await newSynced();
    s.write("A/one.md", "one\n");
    s.write("A/two.md", "two\n");
    await s.sync();
    s.write("A/one.md", s.read("A/two.md"));
    const { left } = await s.sync();
    expect(left.map(({ note }) => note).sort()).toEqual([
      "its file A/one.md has the id of another card",
      "its id is also that of A/two.md: delete it, or remove its id to keep it as a new card",
    ]);
    expect(await s.cards()).toHaveLength(2);
  });

  test("leaves the card of a file that is ignored since, with the reason", async () => {
    const s = await newSynced();
    s.write("A/one.md", "one\n");
    s.write("A/two.md", "two\n");
    await s.sync();
    s.write(".deckhandignore", "one.md\n");
    const { left } = await s.sync();
    expect(left).toMatchObject([{ what: "A/one.md", failed: false }]);
    expect(left[0]?.note).toMatch(/^\.deckhandignore matches its file.*remove the pattern to sync it/);
    const plan = (await s.sync()).plan.changes.filter(({ op }) => op !== "record");
    expect(plan.map(({ op }) => op)).toEqual(["leave"]);
    expect(await s.cards()).toHaveLength(2);
    s.write(".deckhandignore", "");
    expect((await s.sync()).left).toEqual([]);
    s.write(".deckhandignore", "A/one.md\n");
    rmSync(join(s.root, "A/one.md"));
    expect((await s.sync()).done.get("remove card service")).toBe(1);
  });

  test("leaves the card of a file that a link took the place of, also where the card was edited", async () => {
    const s = await newSynced();
    s.write("A/one.md", "one\n");
    s.write("A/two.md", "two\n");
    await s.sync();
    renameSync(join(s.root, "A/one.md"), join(s.root, "../one.md"));
    symlinkSync("../../one.md", join(s.root, "A/one.md"));
    const { left, done } = await s.sync();
    expect([...done]).toEqual([]);
    expect(left).toMatchObject([
      { what: "A/one.md", failed: true, note: expect.stringContaining("a symbolic link is in the place") },
    ]);
    for (const { id } of await s.cards())
      if (s.read("A/two.md").indexOf(id) < 0) await s.client.cards.update(id, { content: "edited" });
    expect([...(await s.sync()).done]).toEqual([]);
  });

  describe("files at the top of the folder", () => {
    const decksOf = async (s: Synced) => {
      const named = new Map((await s.client.decks.all()).map(({ id, name }) => [id, name]));
      return Object.fromEntries(
        (await s.cards()).map((card) => [card.content, named.get(card["deck-id"] ?? "")]),
      );
    };
    const isIdle = async (s: Synced) => {
      expect((await s.sync()).plan.changes.filter(({ op }) => op !== "record")).toEqual([]);
    };

    test("are cards of the deck with the name of the folder, and stay where they are", async () => {
      const s = await newSynced();
      s.write("one.md", "one\n");
      s.write("A/two.md", "two\n");
      expect((await s.sync()).left).toEqual([]);
      expect(await decksOf(s)).toEqual({ one: "cards", two: "A" });
      s.write("three.md", "three\n");
      s.write("one.md", s.read("one.md").replace("one\n", "one, edited\n"));
      await s.sync();
      expect(await decksOf(s)).toEqual({ "one, edited": "cards", two: "A", three: "cards" });
      expect(cardsOf(s.files())).toEqual(["A/two.md", "one.md", "three.md"]);
      await isIdle(s);
    });

    test("keep the decks that their cards were moved to, also under another name of the folder", async () => {
      const s = await newSynced();
      s.write("one.md", "one\n");
      s.write("A/two.md", "two\n");
      await s.sync();
      const named = new Map((await s.client.decks.all()).map(({ id, name }) => [name, id]));
      const [id] = (await s.cards()).filter(({ content }) => content === "one").map((card) => card.id);
      await s.client.cards.update(id ?? "", { "deck-id": named.get("A") ?? "" });
      renameSync(join(s.root, "A/two.md"), join(s.root, "two.md"));
      await s.client.decks.update(named.get("cards") ?? "", { name: "Others" });
      await s.sync();
      expect(await decksOf(s)).toEqual({ one: "A", two: "A" });
      await isIdle(s);
      const root = join(dirname(s.root), "elsewhere");
      renameSync(s.root, root);
      const other = await newSynced({ client: s.client, root });
      await other.sync();
      other.write("two.md", other.read("two.md").replace("two\n", "two, edited\n"));
      await other.sync();
      expect(await decksOf(s)).toEqual({ one: "A", "two, edited": "A" });
      await isIdle(other);
      await other.client.cards.update(id ?? "", { "trashed?": new Date().toISOString() });
      await other.sync();
      expect(cardsOf(other.files())).toEqual(["two.md"]);
    });

    test("of a folder of one deck follow their cards into decks under it", async () => {
      const s = await newSynced();
      const scope = await s.deck("All");
      s.write("one.md", "one\n");
      s.write("A/two.md", "two\n");
      await s.sync({ scope });
      const cards = await s.cards();
      const [one, two] = ["one", "two"].map((text) => cards.find(({ content }) => content === text));
      await s.client.cards.update(one?.id ?? "", { "deck-id": two?.["deck-id"] ?? "" });
      await s.sync({ scope });
      await s.sync({ scope });
      expect(await decksOf(s)).toEqual({ one: "A", two: "A" });
      expect(cardsOf(s.files())).toEqual(["A/one.md", "A/two.md"]);
    });
  });

  test("puts a file that was moved to the top of the folder of a deck into that deck", async () => {
    const s = await newSynced();
    const scope = await s.deck("All");
    s.write("A/one.md", "one\n");
    await s.sync({ scope });
    renameSync(join(s.root, "A/one.md"), join(s.root, "one.md"));
    expect((await s.sync({ scope })).left).toEqual([]);
    expect((await s.cards()).map((card) => card["deck-id"])).toEqual([scope]);
    expect(
      (await s.sync({ scope })).plan.changes.filter(({ thing, op }) => thing === "card" && op !== "record"),
    ).toEqual([]);
  });

  test("reports what could not be done because it changed in every round", async () => {
    const s = await newSynced();
    s.write("A/one.md", "one\n");
    await s.sync();
    const [card] = await s.cards();
    s.write("A/one.md", s.read("A/one.md").replace("one\n", "one, edited\n"));
    let edits = 0;
    const step = async (effect: string) => {
      if (!effect.startsWith("compare the card")) return;
      await s.client.cards.update(card?.id ?? "", { "manual-tags": [`t${++edits}`] });
    };
    const { left } = await s.sync({ step });
    expect(left).toMatchObject([{ what: "A/one.md", conflict: false, failed: true }]);
    expect(left[0]?.note).toContain("changed");
  });

  test("keeps what was edited on one side and removed on the other", async () => {
    const s = await newSynced();
    for (const name of ["one", "two", "three"]) s.write(`A/${name}.md`, `${name}\n`);
    await s.sync();
    const byContent = new Map((await s.cards()).map((card) => [card.content, card.id]));
    rmSync(join(s.root, "A/one.md"));
    await s.client.cards.update(byContent.get("one") ?? "", { content: "one, edited" });
    await s.client.cards.update(byContent.get("two") ?? "", { "trashed?": new Date().toISOString() });
    s.write("A/two.md", s.read("A/two.md").replace("two\n", "two, edited\n"));
    await s.client.cards.delete(byContent.get("three") ?? "");
    s.write("A/three.md", s.read("A/three.md").replace("three\n", "three, edited\n"));
    await s.sync();
    await s.sync();
    expect((await s.cards()).map(({ content }) => content).sort()).toEqual([
      "one, edited",
      "three, edited",
      "two, edited",
    ]);
    expect(cardsOf(s.files())).toHaveLength(3);
  });

  test("keeps in mind a card that is in the trash while another machine may have its file aside", async () => {
    const s = await newSynced();
    s.write("A/one.md", "one\n");
    s.write("A/two.md", "two\n");
    await s.sync();
    const text = s.read("A/one.md");
    s.write(".deckhand/tmp/other.run", "");
    rmSync(join(s.root, "A/one.md"));
    const card = (await s.cards()).find(({ content }) => content === "one");
    await s.client.cards.update(card?.id ?? "", { "trashed?": new Date().toISOString() });
    expect((await s.sync()).left[0]?.note).toContain("another machine has not completed its sync");
    rmSync(join(s.root, ".deckhand/tmp/other.run"));
    s.write("A/one.md", text);
    expect((await s.sync()).left).toEqual([]);
    expect(cardsOf(s.files())).toEqual(["A/two.md"]);
    expect(s.trash()).toContain("one");
  });

  test("follows files that are moved to other decks, and folders that are renamed", async () => {
    const s = await newSynced();
    s.write("A/one.md", "one\n");
    s.write("B/two.md", "two\n");
    await s.sync();
    renameSync(join(s.root, "A/one.md"), join(s.root, "B/uno.md"));
    await s.sync();
    const decks = new Map((await s.client.decks.all()).map(({ name, id }) => [name, id]));
    expect((await s.cards()).map((card) => card["deck-id"])).toEqual([decks.get("B"), decks.get("B")]);
    renameSync(join(s.root, "B"), join(s.root, "C"));
    await s.sync();
    expect((await s.client.decks.all()).map(({ name }) => name).sort()).toEqual(["A", "C"]);
    expect(await s.cards()).toHaveLength(2);
    const moved = (await s.cards()).find(({ content }) => content === "one");
    await s.client.cards.update(moved?.id ?? "", { "deck-id": decks.get("A") ?? "" });
    await s.sync();
    expect(cardsOf(s.files()).sort()).toEqual(["A/uno.md", "C/two.md"]);
  });

  test("recognises a file that lost its id, where it was or elsewhere", async () => {
    const s = await newSynced();
    s.write("A/one.md", "one\nline\nline 2\n");
    s.write("A/two.md", "two\nline\n");
    await s.sync();
    const ids = (await s.cards()).map(({ id }) => id).sort();
    rmSync(join(s.root, "A/one.md"));
    s.write("A/new.md", "one\nline\nline 3\n");
    s.write("A/two.md", "two\nline\n");
    await s.sync();
    await s.sync();
    expect((await s.cards()).map(({ id }) => id).sort()).toEqual(ids);
    expect(s.read("A/new.md")).toMatch(/^---\nid: /);
  });

  test("takes the file with the same text for one that lost its id, not a new one that resembles it", async () => {
    const s = await newSynced();
    s.write("A/one.md", "one\nline\nline 2\n");
    await s.sync();
    const [card] = await s.cards();
    rmSync(join(s.root, "A/one.md"));
    s.write("A/a new card.md", "other\nline\nline 2\n");
    s.write("A/moved.md", "one\nline\nline 2\n");
    await s.sync();
    const contents = new Map((await s.cards()).map(({ id, content }) => [content, id]));
    expect([...contents.keys()].sort()).toEqual(["one\nline\nline 2", "other\nline\nline 2"]);
    expect(contents.get("one\nline\nline 2")).toBe(card?.id);
    expect(s.read("A/moved.md")).toContain(`id: ${card?.id}\n`);
  });

  test.each(["create", "replace"])(
    "knows a file whose %s was not recorded, and that was moved and lost its id since",
    async (effect) => {
      const s = await newSynced();
      const deck = await s.deck("A");
      await s.deck("B");
      const { id } = await s.client.cards.create({ content: "one\ntwo", "deck-id": deck });
      if (effect === "replace") {
        await s.sync();
        await s.client.cards.update(id, { content: "three\nfour" });
      }
      const ended = s.sync({
        step: async (each) => {
          if (/^record A\/.*-\w+\.md$/.test(each)) throw new Error("ended");
        },
      });
      await expect(ended).rejects.toThrow("ended");
      const [path = ""] = cardsOf(s.files());
      s.write("B/moved.md", s.read(path));
      rmSync(join(s.root, path));
      await s.sync();
      s.write("B/moved.md", s.read("B/moved.md").replace(/^id: .*\n/m, ""));
      const { left } = await s.sync();
      expect(left).toEqual([]);
      expect((await s.cards()).map((card) => card.id)).toEqual([id]);
      expect(cardsOf(s.files())).toEqual(["B/moved.md"]);
    },
  );

  test("reads a file with conflict markers whatever its times are, and so keeps what is in it", async () => {
    const s = await newSynced();
    // As where a file system rounds times, or has a clock of its own.
    const now = () => Date.now() + 5000;
    s.write("A/one.md", "question\n");
    await s.sync({ now });
    const [card] = await s.cards();
    await s.client.cards.update(card?.id ?? "", { content: "theirs" });
    s.write("A/one.md", s.read("A/one.md").replace("question", "ours"));
    await s.sync({ now });
    await s.client.cards.update(card?.id ?? "", { content: "theirs again" });
    expect((await s.sync({ now })).left).toMatchObject([{ what: "A/one.md", marked: true }]);
    expect(s.read("A/one.md")).toContain("ours");
  });

  test("writes the id into front matter that is empty", async () => {
    const s = await newSynced();
    s.write("A/one.md", "---\n---\none\n");
    await s.sync();
    expect(s.read("A/one.md")).toMatch(/^---\nid: \w+\n---\none\n$/);
    expect([...(await s.sync()).done]).toEqual([]);
  });

  test("refuses a folder that became empty, and more removals than are allowed", async () => {
    const s = await newSynced();
    for (let i = 0; i < 30; i++) s.write(`A/${i}.md`, `card ${i}\n`);
    await s.sync();
    for (let i = 0; i < 12; i++) rmSync(join(s.root, `A/${i}.md`));
    await expect(s.sync()).rejects.toThrow("12 cards would be removed, and at most 10 may be");
    rmSync(join(s.root, "A"), { recursive: true });
    await expect(s.sync()).rejects.toThrow("the folder has no cards, and 30 were there");
    expect(await s.cards()).toHaveLength(30);
  });

  test("carries over that an edit was taken back, and removes a card after that", async () => {
    const s = await newSynced();
    s.write("A/one.md", "first\n");
    s.write("A/two.md", "two\n");
    await s.sync();
    const old = s.read("A/one.md");
    s.write("A/one.md", old.replace("first", "first\nsecond"));
    await s.sync();
    s.write("A/one.md", old);
    expect((await s.sync()).left).toEqual([]);
    expect((await s.cards()).map(({ content }) => content).sort()).toEqual(["first", "two"]);
    rmSync(join(s.root, "A/two.md"));
    expect((await s.sync()).left).toEqual([]);
    expect((await s.cards()).map(({ content }) => content)).toEqual(["first"]);
  });

  test("creates templates of files, and cards with them", async () => {
    const s = await newSynced();
    s.write(
      "_templates/Capital.md",
      "---\nname: Capital\nfields:\n  c: {id: c, name: Country}\n---\n# << Country >>\n",
    );
    s.write("A/norway.md", "---\ntemplate: Capital\nfields:\n  c: Norway\n---\n");
    await s.sync();
    const [card] = await s.cards();
    expect(card?.fields).toMatchObject({ c: { value: "Norway" } });
    const [template] = await s.client.templates.all();
    expect(card?.["template-id"]).toBe(template?.id);
    expect(s.read("_templates/Capital.md")).toContain(`id: ${template?.id}`);
    expect((await s.sync()).left).toEqual([]);
  });

  test("gives cards and decks with any name a file of their own", async () => {
    const s = await newSynced();
    const names = ["x".repeat(300), "a/b", "CON", "Same", "same", "cafe\u0301", "caf\u00e9", "..", "card.md"];
    for (const name of names) {
      const deck = await s.deck(name);
      await s.client.cards.create({ content: `# ${name}`, "deck-id": deck });
    }
    await s.sync();
    expect(cardsOf(s.files())).toHaveLength(names.length);
    const second = await s.sync();
    expect([
      [...second.done],
      second.left,
      second.plan.changes.filter(({ thing }) => thing === "deck"),
    ]).toEqual([[], [], []]);
    expect(await s.cards()).toHaveLength(names.length);
  });

  test("leaves a file with the id of another, and creates no card of it", async () => {
    const s = await newSynced();
    s.write("A/one.md", "one\n");
    await s.sync();
    s.write("A/copy.md", s.read("A/one.md").replace("one\n", "another\n"));
    expect((await s.sync()).left).toMatchObject([{ what: "A/copy.md", conflict: true }]);
    expect(await s.cards()).toHaveLength(1);
  });

  test("removes no card while a file cannot be read, which may be its own", async () => {
    const s = await newSynced();
    s.write("A/one.md", "one\n");
    s.write("A/two.md", "two\n");
    await s.sync();
    rmSync(join(s.root, "A/one.md"));
    s.write("A/moved.md", "---\n<<<<<<< HEAD\nid: x\n=======\ntags: [\n>>>>>>> other\n---\none\n");
    const { left } = await s.sync();
    expect(left.map(({ what }) => what).sort()).toEqual(["A/moved.md", "A/one.md"]);
    expect(await s.cards()).toHaveLength(2);
  });

  test("removes a card though another file is empty, which can be no card's", async () => {
    const s = await newSynced();
    s.write("A/one.md", "one\n");
    s.write("A/two.md", "two\n");
    s.write("A/empty.md", "");
    await s.sync();
    rmSync(join(s.root, "A/one.md"));
    expect((await s.sync()).left.map(({ what }) => what)).toEqual(["A/empty.md"]);
    expect(await s.cards()).toHaveLength(1);
  });

  test("takes notes that are equal to cards which another machine made of them for these cards", async () => {
    const first = await newSynced();
    const second = await newSynced({ client: first.client });
    // Two notes of one text are two cards.
    for (const s of [first, second])
      for (const name of ["one", "two", "two again"]) s.write(`A/${name}.md`, `${name.split(" ")[0]}\n`);
    await first.sync();
    const ids = (await first.cards()).map(({ id }) => id);
    second.write("A/three.md", "three\n");
    expect((await second.sync()).done).toEqual(
      new Map([
        ["create deck folder", 1],
        ["update card folder", 3],
        ["create card service", 1],
      ]),
    );
    expect(second.files()).toEqual(["A/deck.yaml", "A/one.md", "A/three.md", "A/two again.md", "A/two.md"]);
    expect((await first.cards()).filter(({ id }) => !ids.includes(id))).toMatchObject([{ content: "three" }]);
    expect((await second.sync()).done.size).toBe(0);
  });

  test("leaves a note to the machine that was stopped before it wrote the id of its card", async () => {
    const one = await newSynced();
    const second = await newSynced({ client: one.client, root: one.root });
    one.write("A/one.md", "one\n");
    const step = async (effect: string) => {
      if (effect.startsWith("move A/one.md")) throw new Error("stopped");
    };
    await expect(one.sync({ step })).rejects.toThrow("stopped");
    const { left } = await second.sync();
    expect(left.find(({ what }) => what === "A/one.md")?.note).toContain("another machine has not completed");
    expect(one.read("A/one.md")).toBe("one\n");
    await one.sync();
    expect((await second.sync()).left).toEqual([]);
    expect(await one.cards()).toHaveLength(1);
  });

  test("knows a note that is equal to a card before the card's id is in it", async () => {
    const first = await newSynced();
    const second = await newSynced({ client: first.client });
    for (const s of [first, second]) s.write("A/one.md", "one\n");
    await first.sync();
    const step = async (effect: string) => {
      if (effect.startsWith("replace A/one.md")) throw new Error("stopped");
    };
    await expect(second.sync({ step })).rejects.toThrow("stopped");
    const [card] = await first.cards();
    await first.client.cards.update(card?.id ?? "", { content: "changed" });
    await second.sync();
    expect((await first.cards()).map(({ content }) => content)).toEqual(["changed"]);
    expect(second.read("A/one.md")).toContain("changed");
  });

  test("writes no card anew while a file with markers may be its own, moved and without its id", async () => {
    const s = await newSynced();
    s.write("A/one.md", "one\ntwo\nthree\n");
    await s.sync();
    const [card] = await s.cards();
    const id = card?.id ?? "";
    await s.client.cards.update(id, { content: "one\n2\nthree" });
    s.write("A/one.md", s.read("A/one.md").replace("two", "zwei"));
    await s.sync();
    s.write("B/moved.md", s.read("A/one.md").replace(/^id: .*\n/m, ""));
    rmSync(join(s.root, "A/one.md"));
    await s.client.cards.update(id, { content: "one\n2\nthree\nfour" });
    expect((await s.sync()).left).toMatchObject([
      {
        what: "A/one.md",
        note: expect.stringContaining("its file is missing, and B/moved.md cannot be read"),
      },
      { what: "B/moved.md", marked: true },
    ]);
    const resolved = s.read("B/moved.md").replace(/<{7}[\s\S]*>{7} service/, "zwei");
    s.write("B/moved.md", resolved);
    await s.sync();
    expect((await s.cards()).map((each) => [each.id, each.content])).toEqual([
      [id, "one\nzwei\nthree\nfour"],
    ]);
  });

  test("keeps what the front matter of one's own notes says under the names that cards use", async () => {
    const s = await newSynced();
    const own =
      "tags: [b, a]\npos: 7\nattachments: [x.pdf]\nreviews: [Times]\ntrashed?: no\nfields:\naliases: [y]\n";
    s.write("A/one.md", `---\n${own}---\none\n`);
    s.write("A/two.md", "---\nid: 20240101\n---\ntwo\n");
    s.write("A/three.md", "---\n{own: 3, tags: [q]}\n---\nthree\n");
    s.write("A/four.md", "---\n# mine\n---\nfour\n");
    expect((await s.sync()).left).toMatchObject([
      { what: "A/two.md", note: expect.stringContaining("no card here has the id") },
    ]);
    expect(s.read("A/one.md")).toMatch(/^---\ntags: \[b, a\]\n/);
    expect(s.read("A/one.md").replace(/^id: \w+\n/m, "")).toBe(`---\n${own}---\none\n`);
    expect(s.read("A/three.md")).toMatch(/^---\nid: \w+\ntags:\n {2}- q\nown: 3\n---\nthree\n$/);
    expect(s.read("A/four.md")).toMatch(/^---\n# mine\nid: \w+\n---\nfour\n$/);
    const card = (await s.cards()).find(({ content }) => content === "one");
    expect(card?.tags).toEqual(["a", "b"]);
    await s.client.cards.update(card?.id ?? "", { "manual-tags": ["c"] });
    await s.sync();
    expect(s.read("A/one.md")).toContain(own.replace("tags: [b, a]\n", ""));
    expect(s.read("A/one.md")).toContain("tags:\n  - c\n");
  });

  test("writes nothing through links in the private folder of a folder that comes from others", async () => {
    for (const link of [".deckhand", ".deckhand/tmp", ".deckhand/trash", ".deckhand/trash/A"]) {
      const s = await newSynced();
      s.write("A/one.md", "one\n");
      await s.sync();
      const [card] = await s.cards();
      const outside = temporaryFolder();
      rmSync(join(s.root, link), { recursive: true, force: true });
      mkdirSync(dirname(join(s.root, link)), { recursive: true });
      symlinkSync(outside, join(s.root, link));
      await s.client.cards.update(card?.id ?? "", { content: "theirs" });
      s.write("A/one.md", s.read("A/one.md").replace("one", "ours"));
      await s.sync({ prefer: "service" }).catch((error: unknown) => {
        expect(error, link).toMatchObject({ exitCode: 2, message: expect.stringContaining("symbolic link") });
      });
      expect(readdirSync(outside), link).toEqual([]);
      expect(s.read("A/one.md"), link).toContain("ours");
    }
  });

  test("refuses a file in the place of a private folder, and leaves it alone", async () => {
    for (const name of [".deckhand", ".deckhand/tmp"]) {
      const s = await newSynced();
      s.write("A/one.md", "one\n");
      s.write(name, "mine\n");
      await expect(s.sync(), name).rejects.toMatchObject({
        exitCode: 2,
        message: `${name} in the synced folder is not a folder`,
      });
      expect(s.read(name)).toBe("mine\n");
      expect(await s.cards()).toEqual([]);
    }
  });

  test("follows no link out of the folder, and sees no ignored file", async () => {
    const s = await newSynced();
    const outside = await temporaryFolder();
    symlinkSync(outside, join(s.root, "A"));
    s.write(".deckhandignore", "*.draft.md\n/private/\n");
    s.write("B/one.draft.md", "draft\n");
    s.write("private/two.md", "private\n");
    const deck = await s.deck("A");
    await s.client.cards.create({ content: "one", "deck-id": deck });
    await s.sync().catch(() => undefined);
    expect(readdirSync(outside)).toEqual([]);
    expect(await s.cards()).toHaveLength(1);
  });

  test("leaves a read-only file and its card as they are", async () => {
    const s = await newSynced();
    s.write("A/one.md", "one\n");
    await s.sync();
    chmodSync(join(s.root, "A/one.md"), 0o400);
    const [card] = await s.cards();
    await s.client.cards.update(card?.id ?? "", { content: "two" });
    expect((await s.sync()).left).toMatchObject([{ what: "A/one.md", note: "A/one.md is read-only" }]);
    expect(s.read("A/one.md")).toContain("one\n");
  });
});
