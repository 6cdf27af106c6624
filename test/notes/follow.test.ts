import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { takeLock } from "../../src/files/lock.ts";
import type { Card } from "../../src/schema/index.ts";
import { temporaryFolder } from "../support/folder.ts";
import { losingProxy } from "../support/losing-proxy.ts";
import { startTestServer } from "../support/service.ts";
import { type Deckhand, deckhand } from "../support/world.ts";

const geography = `# Geography

Q: What is the capital of Norway?
A: Oslo

Q: What is the capital of Sweden?
A: Stockholm

C: The longest river of [Europe] is the [Volga].
`;
const norwegian = `#flashcards

house :: hus
dog ::: hund

What is a cat?
?
katt
`;

/** A folder of notes with two files, and what is done to it. */
function notebook(
  files: Readonly<Record<string, string>> = { "geo.md": geography, "lang/no.md": norwegian },
) {
  const folder = join(temporaryFolder(), "notes");
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  for (const [file, text] of Object.entries(files)) write(file, text);
  return {
    folder,
    write,
    edit: (file: string, from: string, to: string) => {
      const text = readFileSync(join(folder, file), "utf8");
      expect(text).toContain(from);
      write(file, text.replace(from, to));
    },
  };
}

async function cards(d: Deckhand): Promise<Card[]> {
  return JSON.parse(await d.ok(["cards", "list", "-o", "json"])) as Card[];
}

/** The cards by their first lines: id, deck, whether archived, number of reviews. */
async function state(
  d: Deckhand,
): Promise<Record<string, { id: string; archived: boolean; reviews: number }>> {
  const found: Record<string, { id: string; archived: boolean; reviews: number }> = {};
  for (const card of await cards(d))
    found[(card.content ?? "").split("\n")[0] ?? ""] = {
      id: card.id,
      archived: card["archived?"] ?? false,
      reviews: card.reviews?.length ?? 0,
    };
  return found;
}

const norway = "What is the capital of Norway?";
const sweden = "What is the capital of Sweden?";

async function followed(d: Deckhand, folder: string) {
  await d.ok(["import", folder, "--follow"]);
  const before = await state(d);
  const id = before[norway]?.id ?? "";
  await d.ok(["api", "POST", `/cards/${id}/reviews`, "--field", "remembered?=true"]);
  return { id, before };
}

describe("a folder that is not followed yet", () => {
  test("is refused without a terminal, and the command that follows it is named", async () => {
    const [d, { folder }] = [await deckhand(), notebook()];
    for (const words of [
      ["due", folder],
      ["due", "list", folder],
    ]) {
      const { code, stderr } = await d.run(words);
      expect(code).toBe(2);
      expect(stderr).toContain("6 cards in 2 of 2 files, for the deck notes");
      expect(stderr).toContain("deckhand import notes --follow");
    }
    expect(await cards(d)).toEqual([]);
    expect(await d.ok(["decks", "list", "-o", "id"])).toBe("");
  });

  test("is followed after a yes on a terminal, and its files stay as they are", async () => {
    const [d, { folder }] = [await deckhand(), notebook()];
    const times = () => {
      const { mtimeNs, ctimeNs, ino } = statSync(join(folder, "geo.md"), { bigint: true });
      return [mtimeNs, ctimeNs, ino];
    };
    const before = times();
    const ran = await d.run(["due", folder, "--yes"], { terminal: true });
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("6 new") });
    const decks = JSON.parse(await d.ok(["decks", "list", "-o", "json"])) as { name: string }[];
    expect(decks.map(({ name }) => name).sort()).toEqual(["geo", "lang", "no", "notes"]);
    expect(times()).toEqual(before);
    expect(readFileSync(join(folder, "geo.md"), "utf8")).toBe(geography);
  });

  test("is refused where nothing in it reads as a card", async () => {
    const [d, { folder }] = [await deckhand(), notebook({ "readme.md": "# Text\n\nNothing else.\n" })];
    const ran = await d.run(["import", folder, "--follow"]);
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining("there are no cards in it") });
  });

  test("is shown and not followed by a dry run", async () => {
    const [d, { folder }] = [await deckhand(), notebook()];
    await d.ok(["import", folder, "--follow", "--dry-run"]);
    expect(await cards(d)).toEqual([]);
    expect(await d.ok(["notes", "-o", "json"])).toBe("[]\n");
  });
});

describe("a card of a followed file keeps its schedule", () => {
  test("when its question, its answer or its place changes", async () => {
    const [d, notes] = [await deckhand(), notebook()];
    const { id } = await followed(d, notes.folder);
    notes.edit("geo.md", "A: Oslo", "A: Oslo, since 1814");
    await d.ok(["due", notes.folder]);
    notes.edit("geo.md", norway, "Which city is the capital of Norway?");
    await d.ok(["due", notes.folder]);
    notes.edit("geo.md", "Q: Which city is the capital of Norway?\nA: Oslo, since 1814\n", "");
    notes.write("capitals.md", "Q: Which city is the capital of Norway?\nA: Oslo, since 1814\n");
    await d.ok(["due", notes.folder]);
    const card = JSON.parse(await d.ok(["cards", "get", id, "-o", "json"])) as Card;
    expect(card.content).toBe("Which city is the capital of Norway?\n---\nOslo, since 1814");
    expect(card.reviews).toHaveLength(1);
    expect(await d.ok(["cards", "list", "--deck", "notes/capitals", "-o", "id"])).toBe(`${id}\n`);
    expect(await cards(d)).toHaveLength(6);
  });

  test("when it leaves the files, is archived, and comes back", async () => {
    const [d, notes] = [await deckhand(), notebook()];
    const { id } = await followed(d, notes.folder);
    notes.edit("geo.md", `Q: ${norway}\nA: Oslo\n`, "");
    // A single card is no question in a small folder either.
    await d.ok(["import", notes.folder, "--follow"]);
    expect((await state(d))[norway]).toEqual({ id, archived: true, reviews: 1 });
    notes.write("lang/more.md", `Q: ${norway}\nA: Oslo\n`);
    await d.ok(["due", notes.folder]);
    expect((await state(d))[norway]).toEqual({ id, archived: false, reviews: 1 });
  });

  test("and stays archived where the learner archived it", async () => {
    const [d, notes] = [await deckhand(), notebook()];
    const { id } = await followed(d, notes.folder);
    await d.ok(["cards", "archive", id]);
    notes.edit("geo.md", `Q: ${norway}\nA: Oslo\n`, "");
    await d.ok(["import", notes.folder, "--follow", "--yes"]);
    notes.write("back.md", `Q: ${norway}\nA: Oslo\n`);
    await d.ok(["due", notes.folder]);
    expect((await state(d))[norway]).toEqual({ id, archived: true, reviews: 1 });
    notes.edit("back.md", "A: Oslo", "A: Oslo!");
    await d.ok(["due", notes.folder]);
    expect((await state(d))[norway]).toEqual({ id, archived: true, reviews: 1 });
  });

  test("that its file had when it was seen first, and only then", async () => {
    const text = `${norwegian.replace("house :: hus", "house :: hus <!--SR:!2030-12-24,34,250-->")}`;
    const [d, notes] = [await deckhand(), notebook({ "no.md": text })];
    await d.ok(["import", notes.folder, "--follow"]);
    const due = async () => (await cards(d)).find(({ content }) => content?.startsWith("house"))?.reviews;
    expect(await due()).toMatchObject([{ due: expect.stringMatching(/^2030-12-24/) }]);
    notes.edit("no.md", "2030-12-24,34", "2031-01-01,40");
    await d.ok(["due", notes.folder]);
    expect(await due()).toMatchObject([{ due: expect.stringMatching(/^2030-12-24/) }]);
  });
});

describe("nothing is archived unasked", () => {
  test("where more than a tenth of the cards is gone, and more than one", async () => {
    const [d, notes] = [await deckhand(), notebook()];
    await followed(d, notes.folder);
    notes.edit("geo.md", `Q: ${sweden}\nA: Stockholm\n`, "");
    notes.edit("geo.md", `Q: ${norway}\nA: Oslo\n`, "");
    const refused = await d.run(["due", notes.folder]);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("2 of 6 cards are in no file"),
    });
    expect((await state(d))[sweden]?.archived).toBe(false);
    await d.ok(["due", notes.folder, "--yes"]);
    expect((await state(d))[sweden]?.archived).toBe(true);
  });

  test("where the folder is not there, and where it is empty", async () => {
    const [d, notes] = [await deckhand(), notebook()];
    await followed(d, notes.folder);
    renameSync(notes.folder, `${notes.folder}.away`);
    const away = await d.run(["import", notes.folder, "--follow", "--yes"]);
    expect(away).toMatchObject({ code: 9, stderr: expect.stringContaining("is it mounted?") });
    expect(await d.run(["due", notes.folder])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("5 new"),
      stderr: expect.stringContaining("is it mounted?"),
    });
    mkdirSync(notes.folder);
    expect(await d.run(["due", notes.folder])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("6 of 6 cards are in no file"),
    });
    expect(Object.values(await state(d)).every(({ archived }) => !archived)).toBe(true);
    rmSync(notes.folder, { recursive: true });
    renameSync(`${notes.folder}.away`, notes.folder);
    expect(await d.run(["import", notes.folder, "--follow"])).toMatchObject({
      stderr: expect.stringContaining("Nothing changed"),
    });
  });

  test("where a file cannot be read", async () => {
    const [d, notes] = [await deckhand(), notebook()];
    const { before } = await followed(d, notes.folder);
    writeFileSync(join(notes.folder, "geo.md"), Buffer.from([0x51, 0xff, 0xfe, 0xff]));
    notes.edit("lang/no.md", "hund", "en hund");
    const ran = await d.run(["import", notes.folder, "--follow"]);
    expect(ran).toMatchObject({
      code: 9,
      stderr: expect.stringMatching(/geo\.md: .*its cards stay as they are/),
    });
    const after = await state(d);
    expect(after[norway]).toEqual({ ...before[norway], reviews: 1 });
    expect((await cards(d)).some(({ content }) => content === "dog\n---\nen hund")).toBe(true);
    notes.write("geo.md", geography);
    await d.ok(["import", notes.folder, "--follow"]);
    expect(await cards(d)).toHaveLength(6);
  });
});

test("symbolic links in a folder are left out, and a link to a folder is that folder", async () => {
  const [d, notes] = [await deckhand(), notebook()];
  symlinkSync(join(notes.folder, "geo.md"), join(notes.folder, "again.md"));
  symlinkSync(notes.folder, join(notes.folder, "lang/loop"));
  symlinkSync(notes.folder, `${notes.folder}.link`);
  await d.ok(["import", notes.folder, "--follow"]);
  expect(await d.run(["import", `${notes.folder}.link`, "--follow"])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("Nothing changed"),
  });
  expect(await cards(d)).toHaveLength(6);
});

test("a name that is a deck and a path is the deck, ./ names the path, and the deck of a followed folder is read", async () => {
  const [d, notes] = [await deckhand(), notebook()];
  const here = process.cwd();
  process.chdir(dirname(notes.folder));
  try {
    await d.ok(["decks", "create", "notes"]);
    expect(await d.ok(["due", "notes"])).toContain("Nothing is due");
    await d.ok(["import", "./notes", "--follow", "--deck", "Vault"]);
    expect(await d.ok(["due", "notes"])).toContain("Nothing is due");
    expect(await d.ok(["due", "./notes"])).toContain("6 new");
    expect(await d.ok(["due", "notes/lang"])).toContain("3 new");
    notes.edit("geo.md", "A: Oslo", "A: Oslo.");
    await d.ok(["decks", "update", "/notes", "--name", "other"]);
    await d.ok(["decks", "update", "Vault", "--name", "notes"]);
    await d.ok(["due", "notes"]);
    expect((await cards(d)).some(({ content }) => content?.endsWith("Oslo."))).toBe(true);
  } finally {
    process.chdir(here);
  }
});

test("one file is followed by itself, and a folder around what is followed is refused", async () => {
  const [d, notes] = [await deckhand(), notebook()];
  await d.ok(["import", join(notes.folder, "geo.md"), "--follow"]);
  expect(await d.ok(["cards", "list", "--deck", "geo", "-o", "id"])).toMatch(/^(\S+\n){3}$/);
  const ran = await d.run(["import", notes.folder, "--follow"]);
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining("notes forget") });
  await d.ok(["notes", "forget", join(notes.folder, "geo.md")]);
  expect(await cards(d)).toHaveLength(3);
  await d.ok(["import", notes.folder, "--follow"]);
  expect(await d.ok(["notes", "-o", "json"])).toContain(`"cards":6`.replace(":", ": "));
});

test("a change by hand of a card of a file is refused with its place, unless the file is let go of", async () => {
  const [d, notes] = [await deckhand(), notebook()];
  const { id } = await followed(d, notes.folder);
  const place = `the card ${id} is that of ${join(notes.folder, "geo.md")}, line 3`;
  const update = ["cards", "update", id, "--back", "Bergen"];
  expect(await d.run(update)).toMatchObject({ code: 2, stderr: expect.stringContaining(place) });
  expect(await d.run(["cards", "edit", id], { env: { EDITOR: "true" } })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(place),
  });
  await d.ok(["cards", "update", id, "--add-tag", "north"]);
  await d.ok([...update, "--detach"]);
  notes.edit("geo.md", "A: Oslo", "A: Oslo!");
  await d.ok(["import", notes.folder, "--follow"]);
  const all = await cards(d);
  expect(all).toHaveLength(6);
  expect(all.find((card) => card.id === id)?.content).toBe(`${norway}\n---\nBergen`);
});

describe("two machines with one account", () => {
  test.each([false, true])("have each card once, whoever read an edit first (hosted: %s)", async (hosted) => {
    const server = await startTestServer();
    const proxy = await losingProxy(server.url, () => false, hosted);
    const account = { DECKHAND_PROFILE: "", DECKHAND_BASE_URL: proxy.url, DECKHAND_API_KEY: server.key };
    const [one, two] = [
      await deckhand(account, temporaryFolder()),
      await deckhand(account, temporaryFolder()),
    ];
    const [mine, theirs] = [notebook(), notebook()];
    const { id } = await followed(one, mine.folder);
    await two.ok(["import", theirs.folder, "--follow"]);
    expect(await cards(two)).toHaveLength(6);
    mine.edit("geo.md", "A: Oslo", "A: Oslo, of course");
    await one.ok(["due", mine.folder]);
    const before = await cards(one);
    theirs.edit("geo.md", "A: Oslo", "A: Oslo, of course");
    await two.ok(["due", theirs.folder]);
    expect(await cards(two)).toEqual(before);
    theirs.write("new.md", "Q: And the capital of Iceland?\nA: Reykjavik\n");
    await two.ok(["due", theirs.folder]);
    mine.write("new.md", "Q: And the capital of Iceland?\nA: Reykjavik\n");
    await one.ok(["due", mine.folder]);
    expect(await cards(one)).toHaveLength(7);
    // A machine archives only what it followed itself, and the other one finds that done.
    mine.edit("geo.md", `Q: ${norway}\nA: Oslo, of course\n`, "");
    await one.ok(["import", mine.folder, "--follow", "--yes"]);
    theirs.edit("geo.md", `Q: ${norway}\nA: Oslo, of course\n`, "");
    await two.ok(["import", theirs.folder, "--follow", "--yes"]);
    mine.edit("geo.md", "# Geography\n", `# Geography\n\nQ: ${norway}\nA: Oslo, of course\n`);
    await one.ok(["due", mine.folder]);
    expect((await cards(one)).find((card) => card.id === id)?.["archived?"] ?? false).toBe(false);
    expect(await cards(one)).toHaveLength(7);
  });
});

test("two folders with the same text have cards of their own", async () => {
  const [d, one, two] = [await deckhand(), notebook(), notebook()];
  await d.ok(["import", one.folder, "--follow", "--deck", "One"]);
  await d.ok(["import", two.folder, "--follow", "--deck", "Two"]);
  expect(await cards(d)).toHaveLength(12);
  await d.ok(["notes", "forget", one.folder]);
  expect(existsSync(one.folder)).toBe(true);
  await d.ok(["import", one.folder, "--follow", "--deck", "One"]);
  expect(await cards(d)).toHaveLength(12);
});

test("a folder is forgotten when nobody reads notes any more", async () => {
  const [d, notes] = [await deckhand(), notebook()];
  await d.ok(["import", notes.folder, "--follow"]);
  const lock = readdirSync(join(d.home, "state")).find((name) => name.startsWith("notes-")) ?? "";
  const held = await takeLock(join(d.home, "state", lock.replace(/\..*$/, "")));
  const forgotten = d.ok(["notes", "forget", notes.folder]);
  expect(JSON.parse(await d.ok(["notes", "list", "-o", "json"]))).toHaveLength(1);
  held.release();
  await forgotten;
  expect(JSON.parse(await d.ok(["notes", "list", "-o", "json"]))).toEqual([]);
});

test("a folder may be followed and synced: each file belongs to one of the two", async () => {
  const [d, notes] = [await deckhand(), notebook()];
  notes.write("single.md", "A card of its own\n---\nwith two sides\n");
  await d.ok(["decks", "create", "Synced"]);
  const synced = await d.run(["sync", notes.folder, "--deck", "Synced", "--yes"]);
  expect(synced.code, synced.stderr).toBe(0);
  expect(synced.stderr + synced.stdout).toContain("several cards");
  await d.ok(["import", notes.folder, "--follow"]);
  expect(await cards(d)).toHaveLength(7);
  expect(readFileSync(join(notes.folder, "geo.md"), "utf8")).toBe(geography);
  await d.ok(["sync", notes.folder, "--yes"]);
  await d.ok(["import", notes.folder, "--follow"]);
  expect(await cards(d)).toHaveLength(7);
});
