import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { InterruptedError } from "../../../src/errors.ts";
import { onPostgres, startTestServer, temporaryFolder } from "../../support/service.ts";
import { type Deckhand, deckhand, type WorldOptions } from "../../support/world.ts";

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(await temporaryFolder(), "cards");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** An account on a server, as options of a run. */
async function hosted(): Promise<WorldOptions & { readonly url: string; readonly key: string }> {
  const { url, key } = await startTestServer();
  return { url, key, env: { DECKHAND_PROFILE: "", DECKHAND_BASE_URL: url, DECKHAND_API_KEY: key } };
}

const contents = async (d: Deckhand, options?: WorldOptions) =>
  (await d.ok(["cards", "list", "-o", "ndjson", "--columns", "content"], options))
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line).content);

test.each([
  ["at its top", { "a.md": "one\n---\nuno\n" }],
  ["with several cards", { "B/notes.md": "Q: one\nA: uno\n\nQ: two\nA: dos\n" }],
])("nothing is written unasked into a folder that has files of its own, %s", async (_, files) => {
  const d = await deckhand();
  await d.ok(["add", "house", "hus", "--deck", "A", "--create-deck"]);
  const folder = await folderWith(files);
  const before = readdirSync(folder);
  const { code, stderr } = await d.run(["sync", folder]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("nothing was changed")]);
  expect(readdirSync(folder)).toEqual(before);
  await d.ok(["sync", folder, "--yes"]);
  expect(readdirSync(join(folder, "A")).join(" ")).toContain("house-");
});

test("a first sync follows no links, of which two to the folder itself would never end", async () => {
  const d = await deckhand();
  const folder = await folderWith({ "A/one.md": "one\n" });
  for (const name of ["loop", "other"]) symlinkSync(".", join(folder, "A", name));
  await d.ok(["sync", folder, "--yes"]);
  expect(await contents(d)).toEqual(["one"]);
});

describe("sync of a folder that does not exist", () => {
  test("status fails, says what creates it, and does not", async () => {
    const d = await deckhand();
    const folder = join(d.home, "nowhere");
    const { code, stderr } = await d.run(["sync", "status", folder]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`there is no folder ${folder}`)]);
    expect(stderr).toContain(`\`deckhand sync ${folder}\` creates it`);
    expect(existsSync(folder)).toBe(false);
  });

  test("--dry-run shows the plan of the first sync, and creates nothing", async () => {
    const d = await deckhand();
    await d.ok(["add", "one", "1", "--deck", "A", "--create-deck"]);
    const folder = join(d.home, "nowhere");
    const { code, stdout, stderr } = await d.run(["sync", folder, "--dry-run"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^create deck in the folder +A\ncreate card in the folder +one\n$/);
    expect(existsSync(folder)).toBe(false);
    expect(existsSync(join(d.home, "state", "sync"))).toBe(false);
    const nested = join(folder, "below");
    expect((await d.run(["sync", nested, "--dry-run"])).stderr).toContain(`there is no folder ${folder}`);
  });
});

test.each([["status"], ["--dry-run"]])(
  "sync %s of a folder that was never synced shows the plan, and writes nothing",
  async (word) => {
    const d = await deckhand();
    const folder = await folderWith({ "A/one.md": "one\n" });
    expect(await d.ok(["sync", word, folder])).toBe(
      "create deck in the collection  A\ncreate card in the collection  A/one.md\n",
    );
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual(["A", "A/one.md"]);
    expect(existsSync(join(d.home, "state", "sync"))).toBe(false);
  },
);

test("a first sync that Ctrl-C stops while it writes files ends with 130, and the next one completes it", async () => {
  const d = await deckhand();
  const cards = Array.from({ length: 1_000 }, (_, i) => JSON.stringify({ content: `card ${i}` })).join("\n");
  await d.ok(["decks", "create", "Words"]);
  await d.ok(["cards", "create", "--from", "-", "--deck", "Words"], { input: cards });
  const folder = join(await temporaryFolder(), "cards");
  const written = () =>
    readdirSync(folder, { recursive: true }).filter((path) => /\.md$/.test(`${path}`)).length;
  const stop = new AbortController();
  const looking = setInterval(() => {
    if (existsSync(folder) && written() > 0) stop.abort(new InterruptedError("SIGINT"));
  }, 1);
  const { code, stderr } = await d.run(["sync", folder, "--yes"], { signal: stop.signal });
  clearInterval(looking);
  expect([code, stderr]).toEqual([130, expect.stringContaining("The next sync completes")]);
  expect(written()).toBeLessThan(1_000);
  await d.ok(["sync", folder]);
  expect(written()).toBe(1_000);
});

describe("sync of a folder in a synced one, or above one", () => {
  test("is refused before anything is written, with what to do", async () => {
    const d = await deckhand();
    const folder = await folderWith({ "G/Sub/one.md": "one\n" });
    await d.ok(["sync", folder, "--yes"]);
    const before = readdirSync(folder, { recursive: true }).sort();
    for (const [name, ...more] of [["G"], ["G/Sub"], ["G/new"], ["G", "--dry-run"], ["G/new", "--dry-run"]]) {
      const { code, stderr } = await d.run(["sync", join(folder, name ?? ""), "--yes", ...more]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`is part of ${folder}, which is synced`)]);
    }
    expect((await d.run(["sync", "status", join(folder, "G")])).code).toBe(2);
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual(before);
    const above = join(folder, "..");
    const refused = await d.run(["sync", above, "--yes"]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("is synced by itself")]);
    expect(refused.stderr).toContain(`add the line /cards/ to ${join(above, ".deckhandignore")}`);
    expect(readdirSync(above)).toEqual(["cards"]);
    writeFileSync(join(above, ".deckhandignore"), "/cards/\n");
    await d.ok(["sync", above, "--yes"]);
    expect(await contents(d)).toEqual(["one"]);
    // Each of the two is synced by itself from now on, and leaves out what the other keeps.
    await d.ok(["sync", folder, "--yes"]);
    await d.ok(["sync", above, "--yes"]);
  });

  test("beside a synced one, or in an export, is not refused", async () => {
    const d = await deckhand();
    const folder = await folderWith({
      "A/one.md": "one\n",
      "B/two.md": "two\n",
      "deckhand.yaml": "format: 1\n",
    });
    await d.ok(["sync", join(folder, "A"), "--yes"]);
    await d.ok(["sync", join(folder, "B"), "--yes"]);
  });

  test("that was synced already goes on", async () => {
    const d = await deckhand();
    const folder = await folderWith({ "A/B/one.md": "one\n" });
    await d.ok(["sync", join(folder, "A"), "--yes"]);
    const marker = readFileSync(join(folder, "A", "deckhand.yaml"), "utf8");
    writeFileSync(join(folder, "deckhand.yaml"), marker);
    await d.ok(["sync", join(folder, "A"), "--yes"]);
  });
});

describe("sync with another account", () => {
  test.skipIf(onPostgres)(
    "refuses a folder that is synced with the local service, before anything is done",
    async () => {
      const [d, other] = [await deckhand(), await hosted()];
      const folder = await folderWith({ "A/one.md": "one\n" });
      await d.ok(["sync", folder, "--yes"]);
      const before = readFileSync(join(folder, "A/one.md"), "utf8");
      const ran = await d.run(["sync", folder, "--yes"], other);
      expect(ran.code).toBe(2);
      expect(ran.stderr).toContain("this folder is synced with local");
      expect(ran.stderr).toContain("--profile local");
      expect(await contents(d, other)).toEqual([]);
      expect(readFileSync(join(folder, "A/one.md"), "utf8")).toBe(before);
      await d.ok(["sync", folder, "--yes"]);
      expect(await contents(d)).toEqual(["one"]);
    },
  );

  test("refuses a folder of another account of the same service, and keeps the key out of it", async () => {
    const [d, one] = [await deckhand(), await hosted()];
    const folder = await folderWith({ "A/one.md": "one\n" });
    await d.ok(["sync", folder, "--yes"], one);
    const marker = readFileSync(join(folder, "deckhand.yaml"), "utf8");
    expect(marker).toContain(`service: ${one.url}\n`);
    expect(marker).not.toContain(one.key);
    expect((await d.run(["sync", folder, "--yes"])).stderr).toContain(`synced with ${one.url}`);
    const elsewhere = marker.replace(/^account: .*$/m, "account: 0123456789abcdef");
    writeFileSync(join(folder, "deckhand.yaml"), elsewhere);
    writeFileSync(join(folder, "A/deck.yaml"), "id: abcdefgh\nname: A\n");
    const ran = await d.run(["sync", folder, "--yes"], one);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(`another account of ${one.url}`);
  });

  test.skipIf(onPostgres)(
    "tells the local services of two machines apart, also by a folder that was synced before it could",
    async () => {
      const [d, other] = [await deckhand(), await deckhand()];
      const folder = await folderWith({ "A/one.md": "one\n" });
      await d.ok(["sync", folder, "--yes"]);
      const marker = readFileSync(join(folder, "deckhand.yaml"), "utf8");
      const ran = await other.run(["sync", folder, "--yes"]);
      expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining("another account of local")]);
      for (const older of [/^account: .*\n/m, /^(?:account|service): .*\n/gm]) {
        writeFileSync(join(folder, "deckhand.yaml"), marker.replace(older, ""));
        const refused = await other.run(["sync", folder, "--yes"]);
        expect([refused.code, refused.stderr]).toEqual([
          2,
          expect.stringContaining("those of another account"),
        ]);
        await d.ok(["sync", folder, "--yes"]);
        expect(readFileSync(join(folder, "deckhand.yaml"), "utf8")).toContain(
          /^account: .*$/m.exec(marker)?.[0],
        );
      }
      expect([await contents(d), await contents(other)]).toEqual([["one"], []]);
    },
  );

  test("syncs a folder on another machine, also with another key of its account", async () => {
    const [one, other, account] = [await deckhand(), await deckhand(), await hosted()];
    const folder = await folderWith({ "A/one.md": "one\n" });
    await one.ok(["sync", folder, "--yes"], account);
    await other.ok(["sync", folder, "--yes"], account);
    const marker = readFileSync(join(folder, "deckhand.yaml"), "utf8");
    // As if it was synced first with another key: its decks show whose they are.
    const synced = marker.replace(/^account: .*$/m, "account: 0123456789abcdef");
    writeFileSync(join(folder, "deckhand.yaml"), synced);
    await (await deckhand()).ok(["sync", folder, "--yes"], account);
    expect(readFileSync(join(folder, "deckhand.yaml"), "utf8")).toBe(synced);
    expect(await contents(one, account)).toEqual(["one"]);
  });
});

describe("sync", () => {
  test("refuses a folder whose deckhand.yaml is gone, as in a checkout of a commit before the first sync", async () => {
    const d = await deckhand();
    const folder = await folderWith({ "A/one.md": "one\n", "A/two.md": "two\n" });
    await d.ok(["sync", folder, "--yes"]);
    const cards = await contents(d);
    const marker = readFileSync(join(folder, "deckhand.yaml"));
    for (const path of ["deckhand.yaml", "A/deck.yaml", "A/two.md"]) rmSync(join(folder, path));
    writeFileSync(join(folder, "A/one.md"), "one\n");
    for (const words of [
      [folder, "--yes"],
      ["status", folder],
    ]) {
      const { code, stderr } = await d.run(["sync", ...words]);
      expect([code, stderr]).toEqual([2, expect.stringContaining("is it an old checkout?")]);
    }
    expect(await contents(d)).toEqual(cards);
    expect(readFileSync(join(folder, ".deckhand/deckhand.yaml"))).toEqual(marker);
    writeFileSync(join(folder, "deckhand.yaml"), marker);
    writeFileSync(join(folder, "A/two.md"), "two\n");
    await d.ok(["sync", folder, "--yes"]);
    expect(await contents(d)).toEqual(cards);
  });

  test("leaves a card whose file is ignored since, as its status does, without an error", async () => {
    const d = await deckhand();
    const folder = await folderWith({ "A/one.md": "one\n", "A/two.md": "two\n" });
    await d.ok(["sync", folder, "--yes"]);
    writeFileSync(join(folder, ".deckhandignore"), "one.md\n");
    const note =
      "A/one.md: .deckhandignore matches its file, so its card is left as it is: remove the pattern";
    expect(await d.run(["sync", folder])).toMatchObject({ code: 0, stderr: expect.stringContaining(note) });
    expect(await d.ok(["sync", "status", folder])).toMatch(/^not synced {2}A\/one\.md \(\.deckhandignore/);
  });

  const yaml = (text: string) => text.replace("---\n", "---\ntitle: a: b\n");
  test.each<[string, (path: string, text: string) => void]>([
    ["a file has front matter that is no YAML", (path, text) => writeFileSync(path, yaml(text))],
    [
      "a file is not UTF-8",
      (path, text) => writeFileSync(path, Buffer.concat([Buffer.from(text), Buffer.from([0xff])])),
    ],
    [
      "a link is in the place of a file",
      (path) => {
        renameSync(path, join(path, "../../../one.md"));
        symlinkSync("../../one.md", path);
      },
    ],
    [
      "the deck.yaml of a file is no YAML",
      (path) => writeFileSync(join(path, "../deck.yaml"), "name: a: b\n"),
    ],
  ])("sync and its status exit with 9 where %s", async (_, change) => {
    const d = await deckhand();
    const folder = await folderWith({ "A/one.md": "one\n", "B/two.md": "two\n" });
    await d.ok(["sync", folder, "--yes"]);
    const path = join(folder, "A/one.md");
    change(path, readFileSync(path, "utf8"));
    const [status, ran] = [await d.run(["sync", "status", folder]), await d.run(["sync", folder])];
    expect([status.code, ran.code]).toEqual([9, 9]);
    expect(ran.stderr).toMatch(/\d items? could not be synced/);
  });

  test("says how to restore the card of a file that was taken back from a trash, with exit code 9", async () => {
    const d = await deckhand();
    const folder = await folderWith({ "A/one.md": "one\n", "A/two.md": "two\n" });
    await d.ok(["sync", folder, "--yes"]);
    const [path, text] = [join(folder, "A/one.md"), readFileSync(join(folder, "A/one.md"), "utf8")];
    rmSync(path);
    await d.ok(["sync", folder, "--yes"]);
    writeFileSync(path, text);
    const { code, stderr } = await d.run(["sync", folder]);
    const id = /^id: (\w+)$/m.exec(text)?.[1] ?? "";
    expect([code, stderr]).toEqual([9, expect.stringContaining(`\`deckhand cards restore ${id}\``)]);
    await d.ok(["cards", "restore", id]);
    expect(await d.run(["sync", folder])).toMatchObject({ code: 0 });
    expect(await d.ok(["sync", "status", folder])).toBe("");
  });

  test("reports what the service refuses with its reason, and asks for no decision", async () => {
    const d = await deckhand();
    const folder = await folderWith({ "A/one.md": "one\n" });
    await d.ok(["sync", folder, "--yes"]);
    const path = join(folder, "A/one.md");
    writeFileSync(path, readFileSync(path, "utf8").replace("one\n", ""));
    const ran = await d.run(["sync", folder, "--yes", "-o", "json"]);
    expect(ran.code).toBe(9);
    expect(JSON.parse(ran.stdout)).toMatchObject([
      { what: "left", path: "A/one.md", note: expect.stringContaining("content: cannot be blank") },
    ]);
    expect(ran.stderr).toMatch(/^A\/one\.md: .*content: cannot be blank/m);
    expect(ran.stderr).toContain("1 item could not be synced");
    expect(ran.stderr).not.toMatch(/decision|<<<<<<</);
  });

  test("says how to resolve a conflict, and counts one in the singular", async () => {
    const d = await deckhand();
    const folder = await folderWith({ "A/one.md": "<<<<<<< folder\none\n", "A/two.md": "two\n" });
    const ran = await d.run(["sync", folder, "--yes"]);
    expect(ran.code).toBe(9);
    expect(ran.stderr).toContain("1 item is in conflict\n");
    expect(ran.stderr).toContain(
      "choose the side of conflicts that a sync wrote: --prefer folder or --prefer service",
    );
    const status = await d.run(["sync", "status", folder]);
    expect(status.stderr).toContain("1 item is in conflict\n");
    const again = await d.run(["sync", folder], { terminal: true });
    expect(again.stderr).not.toContain("Already in sync");
    writeFileSync(join(folder, "A/one.md"), "one\n");
    // Off a terminal as well.
    expect((await d.run(["sync", folder])).stderr).toBe("Synced: 1 × create card in the collection\n");
    const done = await d.run(["sync", "status", folder], { terminal: true });
    expect([done.code, done.stdout, done.stderr]).toEqual([0, "", "Already in sync\n"]);
  });

  test("status says what becomes of a conflict whose markers are not in the file yet", async () => {
    const d = await deckhand();
    const folder = await folderWith({ "A/one.md": "one\n" });
    await d.ok(["sync", folder, "--yes"]);
    const path = join(folder, "A/one.md");
    const text = readFileSync(path, "utf8");
    const id = /^id: (\w+)$/m.exec(text)?.[1] ?? "";
    await d.ok(["cards", "update", id, "--content", "one, there"]);
    writeFileSync(path, text.replace("one\n", "one, here\n"));
    const { code, stdout, stderr } = await d.run(["sync", "status", folder]);
    expect([code, stdout]).toEqual([9, expect.stringContaining("conflict  A/one.md (both sides changed")]);
    expect(stderr).toContain("1 item is in conflict\n");
    const ran = await d.run(["sync", folder, "--yes", "-o", "json"]);
    expect(ran.code).toBe(9);
    expect(JSON.parse(ran.stdout)).toMatchObject([{ what: "conflict", path: "A/one.md", id }]);
  });

  test("names the side of each removal in its question, what no does, and the conflicts", async () => {
    const d = await deckhand();
    const names = ["A/one.md", "A/two.md", "A/three.md"];
    const folder = await folderWith(Object.fromEntries(names.map((name) => [name, `${name}\n`])));
    await d.ok(["sync", folder, "--yes"]);
    rmSync(join(folder, "A/one.md"));
    const cards = await d.ok(["cards", "list", "-o", "ndjson"]);
    const two = JSON.parse(cards.split("\n").find((line) => line.includes("two")) ?? "").id;
    await d.ok(["cards", "trash", two]);
    const three = join(folder, "A/three.md");
    writeFileSync(three, `${readFileSync(three, "utf8")}<<<<<<< folder\n`);
    const { code, stderr } = await d.run(["sync", folder]);
    expect(code).toBe(2);
    expect(stderr).toContain("remove in the collection  A/one.md\n");
    expect(stderr).toContain("remove in the folder      A/two.md\n");
    expect(stderr).toContain("conflict                  A/three.md (it has conflict markers)\n");
    expect(stderr).toContain(
      "What is removed in the collection goes to its trash, what is removed in the folder to .deckhand/trash.\n" +
        "This sync does not resolve conflicts. Edit the file that has both texts, remove the lines that begin with <<<<<<<",
    );
    expect(stderr).toMatch(
      /^deckhand: Carry out this sync \(.*1 × remove in the .*\)\? No leaves the folder and the collection as they are\./m,
    );
  });

  test("status shows a plan that a sync refuses, and what it would need", async () => {
    const d = await deckhand();
    const names = Array.from({ length: 12 }, (_, index) => `A/${index}.md`);
    const folder = await folderWith(Object.fromEntries(names.map((name) => [name, `${name}\n`])));
    await d.ok(["sync", folder, "--yes"]);
    for (const name of names.slice(1)) rmSync(join(folder, name));
    expect((await d.run(["sync", folder, "--yes"])).code).toBe(2);
    const status = await d.run(["sync", "status", folder]);
    expect(status.code).toBe(0);
    expect(status.stdout.match(/^remove in the collection /gm)).toHaveLength(11);
    expect(status.stderr).toContain("a sync would need --max-delete 11");
  });

  test("says why the folder cannot be created", async () => {
    const ran = await (await deckhand()).run(["sync", join(await temporaryFolder(), "none/x")]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain("none/x: there is no such file or folder");
  });

  test("names the reason where the deck of a card was deleted", async () => {
    const d = await deckhand();
    const card = (await d.ok(["add", "one", "1", "--deck", "A", "--create-deck"])).trim();
    await d.ok(["decks", "delete", "A", "--yes", "--orphan"]);
    const { code, stderr } = await d.run(["sync", join(d.home, "cards"), "--yes"]);
    expect(code).toBe(9);
    expect(stderr).toContain(`${card}: its deck was deleted; \`deckhand cards move\` gives it another\n`);
  });

  test("warns once of the pictures of a card that are not attached", async () => {
    const d = await deckhand();
    const folder = await folderWith({
      "A/one.md": "![](@media/map.png) ![](@media/none.png) ![[cell.png]] ![](https://example.org/a.png)\n",
      "A/one.files/map.png": "png",
      "A/cell.png": "png",
      "A/two.md": "two\n",
    });
    const warning =
      "deckhand: warning: A/one.md: not attached: none.png; put it beside the note, or into A/one.files\n";
    expect(await d.run(["sync", "status", folder])).toMatchObject({ code: 0, stderr: warning });
    const { code, stderr } = await d.run(["sync", folder, "--yes"]);
    expect([code, stderr.startsWith(warning)], stderr).toEqual([0, true]);
    expect(stderr).toContain(
      "Synced: 2 × create card in the collection, 2 × copy to the collection, 1 × create deck in the collection\n",
    );
    expect(await d.run(["sync", folder])).toMatchObject({ code: 0, stderr: "" });
  });

  test("syncs attachments, and counts them", async () => {
    const d = await deckhand();
    const folder = await folderWith({ "A/one.md": "one\n", "A/one.files/map.png": "png" });
    const status = await d.run(["sync", "status", folder]);
    expect(status.stdout).toMatch(/^copy to the collection +A\/one.files\/map.png$/m);
    const first = await d.run(["sync", folder, "--yes"], { terminal: true });
    expect(first.stderr).toContain(
      "Synced: 1 × create card in the collection, 1 × copy to the collection, 1 ×\n",
    );
    const id = /^id: (\w+)$/m.exec(readFileSync(join(folder, "A/one.md"), "utf8"))?.[1] ?? "";
    writeFileSync(join(folder, "..", "sound.mp3"), "data");
    await d.ok(["attach", "add", id, join(folder, "..", "sound.mp3")]);
    const second = await d.run(["sync", folder, "--yes"], { terminal: true });
    expect(second.stderr).toContain("Synced: 1 × copy to the folder\n");
    expect(readFileSync(join(folder, "A/one.files/sound.mp3"), "utf8")).toBe("data");
  });
});

test("sync status on a terminal wraps lines between words, and off one does not", async () => {
  const d = await deckhand();
  const path = `${"a longer name ".repeat(5).trim()}.md`;
  const folder = await folderWith({ [`A/${path}`]: "one\n" });
  const shown = await d.ok(["sync", "status", folder], { terminal: true, columns: 40 });
  for (const line of shown.trimEnd().split("\n")) expect(line.length, line).toBeLessThanOrEqual(40);
  expect(shown.replaceAll("\n", " ")).toContain(path);
  expect(await d.ok(["sync", "status", folder])).toContain(`A/${path}\n`);
});

test("a folder whose deck was deleted is reported with what to do, which ends the report", async () => {
  const d = await deckhand();
  const folder = await folderWith({ "A/one.md": "one\n", "B/two.md": "two\n" });
  await d.ok(["sync", folder, "--yes"]);
  await d.ok(["decks", "trash", "A"]);
  const trashed = await d.run(["sync", "status", folder]);
  expect([trashed.code, trashed.stdout]).toEqual([9, expect.stringContaining("`deckhand decks restore`")]);
  await d.ok(["decks", "delete", "A", "--recursive", "--yes"]);
  const ran = await d.run(["sync", folder, "--yes"]);
  expect([ran.code, ran.stderr]).toEqual([9, expect.stringContaining("A: its deck was deleted")]);
  const status = await d.run(["sync", "status", folder]);
  expect([status.code, status.stdout]).toEqual([9, expect.stringContaining("or its deck.yaml")]);
  rmSync(join(folder, "A"), { recursive: true });
  expect(await d.ok(["sync", "status", folder])).toBe("");
});

describe("decks and templates", () => {
  const idOf = (folder: string) =>
    /^id: (\w+)$/m.exec(readFileSync(join(folder, "deck.yaml"), "utf8"))?.[1] ?? "";

  test("a run says that it created and renamed decks, and the plan calls that a rename", async () => {
    const d = await deckhand();
    const folder = await folderWith({ "A/one.md": "one\n" });
    const first = await d.run(["sync", folder, "--yes"]);
    expect(first.stderr).toContain(
      "Synced: 1 × create card in the collection, 1 × create deck in the collection\n",
    );
    renameSync(join(folder, "A"), join(folder, "B"));
    const status = await d.ok(["sync", "status", folder]);
    expect(status).toBe("rename deck in the collection  B (it was called A)\n");
    const ran = await d.run(["sync", folder], { terminal: true });
    expect([ran.code, ran.stderr]).toEqual([
      0,
      expect.stringContaining("Synced: 1 × change deck in the collection"),
    ]);
    await d.ok(["decks", "update", idOf(join(folder, "B")), "--name", "C"]);
    expect(await d.ok(["sync", "status", folder])).toBe(
      "rename deck in the folder  B (its name in deck.yaml becomes C)\n",
    );
    const pulled = await d.run(["sync", folder], { terminal: true });
    expect(pulled.stderr.replace(/\s+/g, " ")).toBe("Synced: 1 × change deck in the folder ");
    expect(await d.ok(["sync", "status", folder])).toBe("");
  });

  test.each([
    ["folder", "Here"],
    ["service", "There"],
  ])(
    "a deck that was renamed on both sides is left, and gets its name from --prefer %s",
    async (side, name) => {
      const d = await deckhand();
      const folder = await folderWith({ "A/one.md": "one\n" });
      await d.ok(["sync", folder, "--yes"]);
      await d.ok(["decks", "update", idOf(join(folder, "A")), "--name", "There"]);
      renameSync(join(folder, "A"), join(folder, "Here"));
      for (const args of [
        ["sync", folder],
        ["sync", "status", folder],
      ]) {
        const { code, stdout, stderr } = await d.run(args);
        expect([code, stdout + stderr]).toEqual([9, expect.stringContaining("Here")]);
        expect(stdout + stderr).toContain("in the collection it is called There");
        expect(stdout + stderr).toContain("choose a side with --prefer folder or --prefer service");
        expect(stderr).toContain("1 item needs a decision");
      }
      await d.ok(["sync", folder, "--prefer", side]);
      expect(await d.ok(["decks", "list", "--columns", "name", "-o", "ndjson"])).toBe(`{"name":"${name}"}\n`);
      expect(await d.ok(["sync", "status", folder])).toBe("");
      expect(readFileSync(join(folder, "Here/deck.yaml"), "utf8")).toContain(`name: ${name}\n`);
    },
  );

  test("the plan leaves a card whose template does not exist, as the run does", async () => {
    const d = await deckhand();
    const folder = await folderWith({
      "A/one.md": "---\ntemplate: weekly\n---\ntext\n",
      "A/two.md": "two\n",
    });
    const note = "there is no template weekly: create it, or correct the key `template` of the file";
    const status = await d.run(["sync", "status", folder]);
    expect([status.code, status.stdout]).toEqual([9, expect.stringContaining(`A/one.md (${note})`)]);
    const ran = await d.run(["sync", folder, "--yes"]);
    expect([ran.code, ran.stderr]).toEqual([9, expect.stringContaining(`A/one.md: ${note}\n`)]);
  });

  test("the status of a folder whose first sync would be refused says so", async () => {
    const d = await deckhand();
    const folder = await folderWith({ "A/one.md": "one\n" });
    await d.ok(["sync", folder, "--yes"]);
    const id = /^id: (\w+)$/m.exec(readFileSync(join(folder, "A/one.md"), "utf8"))?.[1] ?? "";
    await d.ok(["cards", "update", id, "--content", "one, there"]);
    rmSync(join(d.home, "state", "sync"), { recursive: true });
    const { code, stdout, stderr } = await d.run(["sync", "status", folder]);
    expect([code, stderr]).toEqual([9, expect.stringContaining("a sync would be refused: 1 card differs")]);
    expect(stdout).toMatch(/^conflict {2}A\/one.md /);
    expect((await d.run(["sync", folder, "--yes"])).code).toBe(2);
  });
});
