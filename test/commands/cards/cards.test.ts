import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { fakeService, sendJson } from "../../support/fake-service.ts";
import { onPostgres } from "../../support/service.ts";
import { type Deckhand, deckhand } from "../../support/world.ts";

/** A deck or template, as the API creates it. */
async function make(d: Deckhand, path: "/decks" | "/templates", body: object): Promise<string> {
  const created = await d.ok(["api", "POST", path, "--input", "-"], { input: JSON.stringify(body) });
  return JSON.parse(created).id;
}

const capital = {
  name: "Capital",
  content: "# << Country >>\n---\n<< Capital >>",
  fields: { name: { id: "name", name: "Country" }, cap: { id: "cap", name: "Capital" } },
};

async function card(d: Deckhand, id: string): Promise<Record<string, unknown>> {
  return JSON.parse(await d.ok(["cards", "get", id]));
}

describe("cards list", () => {
  test("finds no deck of a blank name, and asks for no cards", async () => {
    const d = await deckhand();
    await make(d, "/decks", { name: "Europe" });
    const ran = await d.run(["cards", "list", "--deck", ""]);
    expect(ran).toMatchObject({ code: 4, stdout: "" });
    expect(ran.stderr).toContain('deck "" was not found');
  });
});

describe("ids on standard input", () => {
  test("are whole in whatever pieces they come", async () => {
    const d = await deckhand();
    await make(d, "/decks", { name: "Europe" });
    const create = async () => (await d.ok(["add", "q", "a", "--deck", "Europe", "-o", "id"])).trim();
    const ids = [await create(), await create(), await create()];
    const text = ` ${ids.join("\r\n\n")}`;
    for (const size of [1, 5, text.length]) {
      async function* input() {
        for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
      }
      const got = await d.ok(["cards", "get", "-", "-o", "id"], { input });
      expect(got.split("\n").slice(0, -1)).toEqual(ids);
    }
  });
});

describe("cards create", () => {
  test("joins front and back with a side separator and prints the id", async () => {
    const d = await deckhand();
    const deck = await make(d, "/decks", { name: "Europe" });
    const id = (
      await d.ok(["cards", "create", "--deck", "europe", "--front", "-q", "--back", "Oslo"])
    ).trim();
    expect(await card(d, id)).toMatchObject({ content: "-q\n---\nOslo", "deck-id": deck });
  });

  test("fills the fields of a template by name and sends blank content", async () => {
    const d = await deckhand();
    await make(d, "/decks", { name: "Europe" });
    const template = await make(d, "/templates", capital);
    const file = join(d.home, "capital.txt");
    writeFileSync(file, "Oslo\n");
    const id = await d.ok([
      ...["cards", "create", "--deck", "Europe", "--template", "capital", "--field", "country=Norway = N"],
      ...["--field-file", `Capital=${file}`, "--tag", "#north", "--tag", "north", "--archived"],
    ]);
    expect(await card(d, id.trim())).toMatchObject({
      content: "",
      "template-id": template,
      fields: { name: { id: "name", value: "Norway = N" }, cap: { id: "cap", value: "Oslo\n" } },
      tags: ["north"],
      "archived?": true,
    });
  });

  test("puts a card between two others", async () => {
    const d = await deckhand();
    await make(d, "/decks", { name: "D" });
    const create = async (...more: string[]) =>
      (await d.ok(["cards", "create", "--deck", "D", "--content", "x", ...more])).trim();
    const [one, two] = [await create(), await create()];
    const between = await create("--after", one);
    const first = await create("--before", one);
    expect((await d.ok(["cards", "list", "-o", "id"])).trim().split("\n")).toEqual([
      first,
      one,
      between,
      two,
    ]);
  });

  test.each([
    [["--deck", "Nowhere", "--content", "x"], 4, "was not found"],
    [["--deck", "Europe"], 2, "no content was given"],
    [["--content", "x"], 2, "no deck was given"],
    [["--deck", "Europe", "--content", "x", "--front", "y"], 2, "exclude each other"],
    [["--deck", "Europe", "--back", "y"], 2, "--back needs --front"],
    [["--deck", "Europe", "--content", "x", "--attach", "/no/such"], 2, "there is no such file"],
    [["--deck", "Europe", "--field", "a=b"], 2, "--field needs --template"],
    [["--deck", "Europe", "--template", "Capital", "--field", "Capitol=b"], 2, "Capital"],
    [
      ["--deck", "Europe", "--template", "Capital", "--field", "name=a", "--field", "name=b"],
      2,
      "given twice",
    ],
    [["--deck", "Europe", "--content", "x", "--tag", "#"], 2, "blank"],
    [["--deck-id", "none", "--content", "x"], 5, "deck-id"],
    [["--deck", "Europe", "--contents", "x"], 2, "unknown option"],
  ])("refuses %j with exit %i", async (args, code, message) => {
    const d = await deckhand();
    await make(d, "/decks", { name: "Europe" });
    await make(d, "/templates", capital);
    const ran = await d.run(["cards", "create", ...args]);
    expect(ran).toMatchObject({ code, stdout: "" });
    expect(ran.stderr).toContain(message);
    expect(await d.ok(["cards", "list"])).toBe("");
  });

  test("prints the request of a dry run and sends nothing", async () => {
    const d = await deckhand();
    const deck = await make(d, "/decks", { name: "Europe" });
    const plan = await d.ok(["cards", "create", "--deck", "Europe", "--content", "x", "-n", "-o", "json"]);
    expect(JSON.parse(plan)).toEqual({
      method: "POST",
      path: "/cards",
      body: { content: "x", "deck-id": deck },
    });
    expect(await d.ok(["cards", "list"])).toBe("");
  });
});

describe("cards update", () => {
  async function withCard(more: readonly string[] = []) {
    const d = await deckhand();
    await make(d, "/decks", { name: "Europe" });
    await make(d, "/templates", capital);
    const id = (
      await d.ok(["cards", "create", "--deck", "Europe", "--content", "Oslo #inline", ...more])
    ).trim();
    return { d, id };
  }

  test("adds and removes manual tags and leaves those inline in the content alone", async () => {
    const { d, id } = await withCard(["--tag", "one", "--tag", "two"]);
    const plan = await d.ok([
      ...["cards", "update", id, "--add-tag", "three", "--remove-tag", "#one", "--dry-run", "-o", "json"],
    ]);
    expect(JSON.parse(plan).body).toEqual({ "manual-tags": ["two", "three"] });
    await d.ok(["cards", "update", id, "--add-tag", "three", "--remove-tag", "#one"]);
    expect(((await card(d, id))["tags"] as string[]).toSorted()).toEqual(["inline", "three", "two"]);
    await d.ok(["cards", "update", id, "--clear-tags"]);
    expect((await card(d, id))["tags"]).toEqual(["inline"]);
  });

  test("says that a tag in the content cannot be removed", async () => {
    const { d, id } = await withCard(["--tag", "one"]);
    const ran = await d.run(["cards", "update", id, "--remove-tag", "inline", "--remove-tag", "one"]);
    expect(ran).toMatchObject({
      code: 0,
      stderr: `deckhand: warning: the tag "inline" is in the content of ${id} and stays\n`,
    });
    expect((await card(d, id))["tags"]).toEqual(["inline"]);
  });

  test("sends flags that were negated as false, and only those named", async () => {
    const { d, id } = await withCard(["--archived"]);
    const plan = await d.ok(["cards", "update", id, "--no-archived", "-n", "-o", "json"]);
    expect(JSON.parse(plan)).toEqual({ method: "POST", path: `/cards/${id}`, body: { "archived?": false } });
  });

  test("changes one field and keeps the others", async () => {
    const { d } = await withCard();
    const id = (
      await d.ok([
        ...["cards", "create", "--deck", "Europe", "--template", "Capital"],
        ...["--field", "Country=Norway", "--field", "Capital=Bergen"],
      ])
    ).trim();
    await d.ok(["cards", "update", id, "--field", "capital=Oslo"]);
    expect(await card(d, id)).toMatchObject({
      fields: { name: { id: "name", value: "Norway" }, cap: { id: "cap", value: "Oslo" } },
    });
  });

  test.each([
    ["a\n---\nb", ["--front", "x"], "x\n---\nb"],
    ["a\n---\nb", ["--back", "x"], "a\n---\nx"],
    ["a\n---\nb\n---\nc", ["--back", "x"], "a\n---\nx\n---\nc"],
    ["a", ["--back", "x"], "a\n---\nx"],
    ["a", ["--front", "x"], "x"],
    ["```\ncode", ["--back", "x"], "```\ncode\n```\n---\nx"],
    ["a\n---\nb", ["--front", "~~~"], "~~~\n~~~\n---\nb"],
    ["a", ["--front", "```", "--back", "y"], "```\n```\n---\ny"],
    ["a\n---\nb\n---\nc", ["--front", "x", "--back", "y"], "x\n---\ny"],
  ])("replaces the side that is named and keeps the others: %j %j", async (before, options, after) => {
    const d = await deckhand();
    await make(d, "/decks", { name: "D" });
    const id = (await d.ok(["cards", "create", "--deck", "D", "--content", before])).trim();
    await d.ok(["cards", "update", id, ...options]);
    expect((await card(d, id)).content).toBe(after);
  });

  test("does not leave a card without content", async () => {
    const d = await deckhand();
    await make(d, "/decks", { name: "D" });
    const id = (await d.ok(["cards", "create", "--deck", "D", "--content", "a"])).trim();
    expect(await d.run(["cards", "update", id, "--front", " "])).toMatchObject({ code: 2, stdout: "" });
  });

  test("refuses an update that changes nothing", async () => {
    const { d, id } = await withCard();
    expect(await d.run(["cards", "update", id])).toMatchObject({ code: 2, stdout: "" });
  });

  test("accepts content for one card only", async () => {
    const { d, id } = await withCard();
    expect(await d.run(["cards", "update", id, "other", "--content", "x"])).toMatchObject({
      code: 2,
      stdout: "",
    });
  });

  test("continues after a card that fails, and reports each failure with its id", async () => {
    const { d, id } = await withCard();
    const ran = await d.run(["cards", "archive", "-", "-o", "ndjson"], { input: `nope\n${id}\n\n` });
    expect(ran.code).toBe(9);
    expect(
      ran.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).id),
    ).toEqual([id]);
    const errors = ran.stderr
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).error);
    expect(errors).toMatchObject([{ code: "not-found", status: 404, id: "nope" }, { code: "partial" }]);
  });

  test("has the reason's exit code where all failed for one reason", async () => {
    const { d } = await withCard();
    expect(await d.run(["cards", "trash", "nope", "neither"])).toMatchObject({ code: 4, stdout: "" });
  });

  test("restores what was trashed", async () => {
    const { d, id } = await withCard();
    await d.ok(["cards", "trash", id]);
    expect((await card(d, id))["trashed?"]).toEqual(expect.stringMatching(/Z$/));
    expect(await d.ok(["cards", "restore", id])).toBe(`${id}\n`);
    expect((await card(d, id))["trashed?"] ?? null).toBeNull();
  });
});

describe("the sentences of archive and trash on a terminal", () => {
  test("say how to take a card back, and how many were changed", async () => {
    const d = await deckhand();
    const add = async (front: string) =>
      (await d.ok(["add", front, "b", "--deck", "D", "--create-deck"])).trim();
    const [id, other] = [await add("a"), await add("c")];
    const said = async (...args: string[]) => {
      const { code, stderr } = await d.run(["cards", ...args], { terminal: true, columns: 200 });
      expect(code, stderr).toBe(0);
      return stderr;
    };
    expect(await said("trash", id)).toBe(`Trashed ${id}; deckhand cards restore ${id} takes it back\n`);
    expect(await said("restore", id)).toBe(`Restored ${id}\n`);
    expect(await said("archive", id)).toBe(`Archived ${id}; deckhand cards unarchive ${id} takes it back\n`);
    expect(await said("trash", id, other)).toBe("Trashed 2 cards; deckhand cards restore takes them back\n");
    expect(await said("trash", id, "-n")).toBe("");
  });
});

describe("cards delete", () => {
  test("needs --yes where there is no terminal to ask on", async () => {
    const d = await deckhand();
    await make(d, "/decks", { name: "D" });
    const id = (await d.ok(["cards", "create", "--deck", "D", "--content", "x"])).trim();
    const ran = await d.run(["cards", "delete", id]);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toBe(
      `deckhand: Delete card ${id} permanently, with attachments? It cannot be undone. Cannot ask for confirmation without a terminal; nothing was deleted\nUse --yes to confirm.\n`,
    );
    expect(await d.ok(["cards", "delete", id, "--yes"])).toBe(`${id}\n`);
    expect((await d.run(["cards", "get", id])).code).toBe(4);
  });
});

describe("cards get", () => {
  test("shows the cards that a card embeds, and names those that cannot be had", async () => {
    const d = await deckhand();
    const deck = await make(d, "/decks", { name: "Europe" });
    const create = async (content: string) =>
      (await d.ok(["cards", "create", "--deck-id", deck, "--content", content])).trim();
    const inner = await create("Norway\n---\nOslo");
    const outer = await create(`See\n\n![[${inner}]]\n\n![[gone]]\n\n![[..]]`);
    const { stdout: shown } = await d.run(["cards", "get", outer, "--no-color"], { terminal: true });
    expect(shown).toContain("[card: Norway]\n│ Norway\n");
    expect(shown).toContain("│ Oslo\n\n[card: gone]\n\n[card: ..]\n");
  });

  test("has each fact on a line of its own, and uses the newest review in whatever order they come", async () => {
    const january = (day: number, hours: number) => new Date(2026, 0, day, hours);
    const at = (date: Date, due: Date) => ({ date, due, "remembered?": true });
    const service = await fakeService((_, response) =>
      sendJson(response, 200, {
        id: "x",
        name: "first\nreviews   99",
        tags: ["a\nb"],
        content: "text",
        reviews: [at(january(2, 18), january(4, 12)), at(january(1, 12), january(2, 12))],
      }),
    );
    onTestFinished(() => service.close());
    const d = await deckhand({
      DECKHAND_PROFILE: "",
      DECKHAND_BASE_URL: service.url,
      DECKHAND_API_KEY: "a-key-for-this-test",
    });
    // The night of the third belongs to that day.
    const now = () => january(4, 3).getTime();
    const { stdout } = await d.run(["cards", "get", "x", "--no-color"], { terminal: true, now });
    expect(stdout.split("\n").slice(0, 3)).toEqual([
      "x  first reviews 99",
      "tags      a b",
      "reviews   2, 2 remembered; last 1 day ago, due tomorrow",
    ]);
  });
});

describe("cards get --raw", () => {
  test.each([
    ["-o", "json"],
    ["--output", "table"],
    ["--columns", "id"],
    ["--jq", ".id"],
  ])("refuses %s %s: it prints the markdown alone", async (...args) => {
    const d = await deckhand();
    const { code, stdout, stderr } = await d.run(["cards", "get", "x", "--raw", ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("--raw prints the markdown alone");
  });

  test("prints it whatever format is set for everything", async () => {
    const d = await deckhand({ DECKHAND_OUTPUT: "json" });
    await make(d, "/decks", { name: "D" });
    const { id } = JSON.parse(await d.ok(["cards", "create", "--deck", "D", "--content", "x"]));
    expect(await d.ok(["cards", "get", id, "--raw"])).toBe("x\n");
  });
});

describe("a card whose sides are blank", () => {
  test.each([
    [["add", "", "", "--deck", "D"]],
    [["add", " ", "\n", "--deck", "D"]],
    [["cards", "create", "--deck", "D", "--front", "", "--back", ""]],
    [["cards", "create", "--deck", "D", "--front", " "]],
  ])("is not created by %j", async (args) => {
    const d = await deckhand();
    await make(d, "/decks", { name: "D" });
    expect(await d.run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining("no content") });
    expect(await d.ok(["cards", "list"])).toBe("");
  });

  test("is created where only one of them is blank", async () => {
    const d = await deckhand();
    await make(d, "/decks", { name: "D" });
    await d.ok(["add", "", "back", "--deck", "D"]);
    await d.ok(["add", "front", "", "--deck", "D"]);
  });
});

describe("options that go with --from", () => {
  test("are refused without it", async () => {
    const args = ["cards", "create", "--deck-id", "d", "--content", "x"];
    const d = await deckhand();
    expect(await d.run([...args, "--fail-fast", "-n"])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("--fail-fast goes with --from only"),
    });
  });

  test("--fail-fast stops at the first document that fails", async () => {
    const d = await deckhand();
    await make(d, "/decks", { name: "D" });
    const input = '{"content":""}\n{"content":"x"}\n';
    const run = (...options: string[]) =>
      d.run(["cards", "create", "--deck", "D", "--from", "-", ...options], { input });
    expect(await run("--fail-fast")).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("1 of 1 failed; what comes after was not tried"),
    });
    expect(await run()).toMatchObject({ code: 9, stderr: expect.stringContaining("1 of 2 failed") });
  });
});

describe("cards create in the editor", () => {
  test("creates what was written, and keeps it in a file where that fails", async () => {
    const d = await deckhand();
    await make(d, "/decks", { name: "D" });
    const write = (...where: string[]) =>
      d.run(["cards", "create", ...where], {
        terminal: true,
        env: { EDITOR: "printf 'front\\n---\\nback\\n' >" },
      });
    expect(await write("--deck", "D")).toMatchObject({ code: 0 });
    expect(JSON.parse(await d.ok(["cards", "list", "-o", "json"]))).toMatchObject([
      { content: "front\n---\nback" },
    ]);
    expect(readdirSync(join(d.home, "state", "edits"))).toEqual([]);
    const marked = { terminal: true, env: { EDITOR: "printf '\\357\\273\\277front' >" } };
    expect(await d.run(["cards", "create", "--deck", "D"], marked)).toMatchObject({ code: 0 });
    const contents = JSON.parse(await d.ok(["cards", "list", "-o", "json"])).map(
      (made: { content: string }) => made.content,
    );
    expect(contents.toSorted()).toEqual(["front", "front\n---\nback"]);

    const failed = await write("--deck-id", "nosuch");
    expect(failed.code).toBe(5);
    const path = /Your text is kept in\s(\S+)/.exec(failed.stderr)?.[1] ?? "";
    expect(readFileSync(path, "utf8")).toBe("front\n---\nback\n");
  });

  test("leaves its comment out of the card, also where the text was kept and is given as a file", async () => {
    const d = await deckhand();
    await make(d, "/decks", { name: "D" });
    const env = { EDITOR: "sh -c 'echo text >>\"$1\"' --" };
    const kept = await d.run(["cards", "create", "--deck-id", "nosuch"], { terminal: true, env });
    const path = /Your text is kept in\s(\S+)/.exec(kept.stderr)?.[1] ?? "";
    expect(readFileSync(path, "utf8")).toContain("This comment is removed");
    await d.ok(["cards", "create", "--deck", "D", "--content-file", path]);
    expect(JSON.parse(await d.ok(["cards", "list", "-o", "json"]))).toMatchObject([{ content: "text" }]);
  });

  test("takes the deck from front matter, and keeps a text that names none", async () => {
    const d = await deckhand();
    await make(d, "/decks", { name: "Geo" });
    const write = (text: string, ...options: string[]) =>
      d.run(["cards", "create", ...options], { terminal: true, env: { EDITOR: `printf -- '${text}' >` } });
    expect(await write("---\\ndeck: Geo\\n---\\nfront\\n")).toMatchObject({ code: 0 });
    expect(await write("---\\ndeck: New\\n---\\nfront\\n", "--create-deck")).toMatchObject({ code: 0 });
    expect(await d.ok(["decks", "list", "--columns", "name"])).toBe("Geo\nNew\n");
    const { code, stderr } = await write("kept\\n", "--tag", "t");
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("no deck was given") });
    const [, again = ""] = /run the command again with (.*)/.exec(stderr.replaceAll(/\s+/g, " ")) ?? [];
    const options = again.replace("<deck>", "Geo").trim().split(" ");
    const id = (await d.ok(["cards", "create", "--tag", "t", ...options])).trim();
    expect(await d.ok(["cards", "get", id, "--raw"])).toBe("kept\n");
  });

  test("is not opened where something else is wrong already", async () => {
    const d = await deckhand();
    await make(d, "/decks", { name: "D" });
    const env = { EDITOR: `touch ${join(d.home, "opened")};` };
    for (const wrong of [
      ["--deck", "D", "--after", "nosuch"],
      ["--deck", "D", "--tag", "#"],
      ["--deck", "D", "--pos", " "],
    ])
      expect((await d.run(["cards", "create", ...wrong], { terminal: true, env })).code).not.toBe(0);
    expect(readdirSync(d.home)).not.toContain("opened");
  });
});

describe("a card of a template", () => {
  async function withTemplate() {
    const d = await deckhand();
    await d.ok(["decks", "create", "W"]);
    const sides = ["--content", "<< Front >>\n---\n<< Back >>", "--field", "Front", "--field", "Back"];
    await d.ok(["templates", "create", "Word", ...sides]);
    const fields = ["--template", "Word", "--field", "Front=hest", "--field", "Back=horse"];
    const create = ["cards", "create", "--deck", "W", ...fields];
    return { d, create, id: (await d.ok(create)).trim() };
  }

  test("is shown with the values of its fields in tables, and without a name elsewhere", async () => {
    const { d, id } = await withTemplate();
    // Due cards of other services have no fields, and one request for each would be too many.
    for (const command of onPostgres
      ? [["cards", "list"]]
      : [
          ["cards", "list"],
          ["due", "list"],
        ])
      expect((await d.run(command, { terminal: true, columns: 100 })).stdout).toMatch(
        new RegExp(`${id}.*hest · horse`),
      );
    expect(JSON.parse(await d.ok(["cards", "list", "-o", "json"]))[0].name).toBeNull();
    expect(await d.ok(["due", "list", "--columns", "id,name"])).toBe(`${id}\t\n`);
  });
});

describe("cards edit off a terminal", () => {
  test("keeps the text in its own folder, whatever the service calls the card", async () => {
    const id = "../../../evil";
    const service = await fakeService((_, response) =>
      sendJson(response, 200, { id, content: "before", "deck-id": "d", name: "before" }),
    );
    onTestFinished(() => service.close());
    const d = await deckhand({
      DECKHAND_PROFILE: "",
      DECKHAND_BASE_URL: service.url,
      DECKHAND_API_KEY: "a-key-for-this-test",
    });
    const env = { EDITOR: `sh -c 'echo "$1" >${join(d.home, "path")}' --` };
    expect(await d.run(["cards", "edit", id], { env })).toMatchObject({ code: 0 });
    expect(readFileSync(join(d.home, "path"), "utf8")).toMatch(
      new RegExp(`^${join(d.home, "state", "edits")}/edit-[^/]+/[^/]+\\.md\n$`),
    );
  });

  test("runs the editor that is set, and refuses where none is", async () => {
    const d = await deckhand();
    await make(d, "/decks", { name: "D" });
    const id = (await d.ok(["cards", "create", "--deck", "D", "--content", "colour"])).trim();
    const env = { EDITOR: "sed -i.bak s/colour/color/" };
    expect(await d.run(["cards", "edit", id], { env })).toEqual({ code: 0, stdout: `${id}\n`, stderr: "" });
    expect((await card(d, id)).content).toBe("color");
    expect(await d.run(["cards", "edit", id], { env: { EDITOR: "false" } })).toMatchObject({ code: 2 });
    expect(await d.run(["cards", "edit", id], { env: { EDITOR: "nanno" } })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the editor "nanno" ended with exit code 127; nothing was changed'),
    });
    const refused = await d.run(["cards", "edit", "nosuch"], { env: { EDITOR: "", VISUAL: "" } });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("EDITOR set to a program") });
  });

  test("sends nothing for another name of the deck or the template that the card has", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "Deck"]);
    await d.ok(["templates", "create", "Word", "--content", "<< Name >>", "--field", "name=Name"]);
    const create = ["cards", "create", "--deck", "Deck", "--template", "Word", "--field", "Name=x"];
    const id = (await d.ok(create)).trim();
    const before = await card(d, id);
    const env = {
      EDITOR: "sed -i.bak -e 's/^deck: Deck/deck: deck/' -e 's/^template: Word/template: word/'",
    };
    expect(await d.run(["cards", "edit", id], { env })).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(await card(d, id)).toEqual(before);
  });

  /** A card with a template that another one shares its name with, edited by a script. */
  async function edited(sed: string) {
    const d = await deckhand();
    await make(d, "/decks", { name: "D" });
    const fields = {
      name: { id: "name", name: "Side" },
      two: { id: "two", name: "Side" },
      note: { id: "note", name: "Note" },
    };
    const template = { name: "Twin", content: "<< Side >>", fields };
    const id = await make(d, "/templates", template);
    await make(d, "/templates", template);
    const create = ["cards", "create", "--deck", "D", "--template-id", id, "--tag", "t"];
    const made = await d.ok([...create, "--field", "name=one", "--field", "two=2", "--field", "other=o"]);
    const ran = await d.run(["cards", "edit", made.trim()], { env: { EDITOR: `sed -i.bak '${sed}'` } });
    const { fields: values, tags } = await card(d, made.trim());
    return { ran, tags, values: Object.values(values as object).map(({ id, value }) => `${id}=${value}`) };
  }

  test.each([
    ["s/: one/: uno/", ["name=uno", "two=2", "other=o"]],
    ["s/Note: .*/Note: 007/", ["name=one", "two=2", "note=007", "other=o"]],
    ["s/Note: .*/Note: 1.10/", ["name=one", "two=2", "note=1.10", "other=o"]],
    ["s/other: o/other: 0x1F/", ["name=one", "two=2", "other=0x1F"]],
  ])(
    "changes one field to the letter and keeps the others, whatever they are called: %s",
    async (sed, values) => {
      const { ran, values: left } = await edited(sed);
      expect(ran).toMatchObject({ code: 0, stderr: "" });
      expect(new Set(left)).toEqual(new Set(values));
    },
  );

  test.each([
    ["s/^tags:/tag:/", 'no setting "tag"'],
    ["/^ *\\(name\\|two\\|Note\\|other\\):/d;s/^fields:/fields: x/", "fields must be a map"],
  ])("refuses settings that it would misread, and keeps the text: %s", async (sed, message) => {
    const { ran, tags, values } = await edited(sed);
    expect(ran).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(message) });
    expect(ran.stderr).toContain("Your text is kept in ");
    expect({ tags, fields: values.length }).toEqual({ tags: ["t"], fields: 3 });
  });

  test("keeps the text of an editor that fails, but only where something was written", async () => {
    const d = await deckhand();
    await make(d, "/decks", { name: "D" });
    const id = (await d.ok(["cards", "create", "--deck", "D", "--content", "x"])).trim();
    const left = () => readdirSync(join(d.home, "state", "edits"));
    const gaveUp = await d.run(["cards", "edit", id], { env: { EDITOR: "false" } });
    expect(gaveUp).toMatchObject({ code: 2, stderr: expect.not.stringContaining("kept") });
    expect(left()).toEqual([]);
    const failed = await d.run(["cards", "edit", id], {
      env: { EDITOR: "sh -c 'echo more >> \"$1\"; exit 1' sh" },
    });
    expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining("The text is kept in ") });
    expect(left()).toHaveLength(1);
  });

  test.each([
    ["rm", "left no file"],
    ["printf '\\377' >", "not valid UTF-8"],
  ])("says so where the editor leaves nothing to read: %s", async (editor, message) => {
    const d = await deckhand();
    await make(d, "/decks", { name: "D" });
    const id = (await d.ok(["cards", "create", "--deck", "D", "--content", "x"])).trim();
    const ran = await d.run(["cards", "edit", id], { env: { EDITOR: editor } });
    expect(ran).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(message) });
    expect((await card(d, id)).content).toBe("x");
  });
});

test("a dry run of a card with files shows every request", async () => {
  const d = await deckhand();
  await make(d, "/decks", { name: "D" });
  const id = (await d.ok(["cards", "create", "--deck", "D", "--content", "x"])).trim();
  const file = join(d.home, "a b.txt");
  writeFileSync(file, "text");
  const lines = async (args: readonly string[]) =>
    (await d.ok([...args, "--attach", file, "-n"])).split("\n").filter((line) => line.startsWith("POST"));
  expect(await lines(["cards", "create", "--deck", "D", "--content", "x"])).toEqual([
    "POST /cards",
    "POST /cards/CARD-ID/attachments/a%20b.txt",
  ]);
  expect(await lines(["cards", "update", id, "--content", "y"])).toEqual([
    `POST /cards/${id}`,
    `POST /cards/${id}/attachments/a%20b.txt`,
  ]);
  expect(await d.ok(["cards", "list", "-o", "id"])).toBe(`${id}\n`);
});

test.each([
  ["2024-11-20T23:00+05", "2024-11-20T18:00:00.000Z"],
  ["2024-11-20T23:00:00,5Z", "2024-11-20T23:00:00.500Z"],
  ["2024-11-20T23:00", "2024-11-20T23:00:00.000Z"],
])("--trashed %s is sent as Date#toJSON writes it", async (given, sent) => {
  const d = await deckhand();
  const deck = await make(d, "/decks", { name: "D" });
  for (const args of [
    ["cards", "update", "x"],
    ["decks", "update", deck],
    ["decks", "create", "E"],
  ]) {
    const plan = JSON.parse(await d.ok([...args, "--trashed", given, "-n", "-o", "json"]));
    expect(plan.body["trashed?"], args.join(" ")).toBe(sent);
  }
});

describe("on a terminal", () => {
  test("cards get prints what --columns and --jq ask for", async () => {
    const d = await deckhand();
    await make(d, "/decks", { name: "D" });
    const id = (await d.ok(["cards", "create", "--deck", "D", "--content", "x"])).trim();
    const get = (...args: string[]) => d.ok(["cards", "get", id, ...args], { terminal: true });
    expect(await get("--jq", ".content")).toBe("x\n");
    expect(await get("--columns", "name", "--no-color")).toBe("name  x\n");
    expect(await get("--no-color")).toContain("flags");
  });

  test("cards list stops a table at a screenful, whether it was asked for or not, and nothing else", async () => {
    const d = await deckhand();
    await make(d, "/decks", { name: "D" });
    const input = Array.from({ length: 53 }, (_, n) => JSON.stringify({ content: `card ${n}` })).join("\n");
    await d.ok(["cards", "create", "--deck", "D", "--from", "-"], { input });
    const list = (...args: string[]) => d.run(["cards", "list", ...args], { terminal: true });
    for (const args of [[], ["-o", "table"]]) {
      const { stdout, stderr } = await list(...args);
      expect(stdout.split("\n")).toHaveLength(52);
      expect(stderr).toContain("--all");
    }
    expect(await list("--jq", "length")).toMatchObject({ stdout: "53\n", stderr: "" });
    for (const args of [
      ["-o", "id"],
      ["--all", "-o", "tsv"],
    ])
      expect((await list(...args)).stdout.trimEnd().split("\n")).toHaveLength(53);
  });
});

test.each([
  ["--content-file", "-", "--field-file", "Word=-"],
  ["--field-file", "a=-", "--field-file", "b=-"],
])("reads standard input for one option only, not for %s %s %s %s", async (...args) => {
  const d = await deckhand();
  await make(d, "/decks", { name: "D" });
  for (const verb of [
    ["create", "--deck", "D", "--template-id", "t"],
    ["update", "x"],
  ]) {
    const ran = await d.run(["cards", ...verb, ...args], { input: "text" });
    expect(ran).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("only once") });
  }
});

describe("the order of cards list", () => {
  test("sorts by the day that a card is due and by lapses, dates newest first, and the other way round", async () => {
    const d = await deckhand();
    const at = (now: number) => ({ now: () => now });
    const start = Date.parse("2031-03-01T12:00:00Z");
    const ids: string[] = [];
    for (const [index, front] of ["a", "b", "c"].entries())
      ids.push(
        (await d.ok(["add", front, "x", "--deck", "D/E", "--create-deck"], at(start + index * 1000))).trim(),
      );
    const [a = "", b = "", c = ""] = ids;
    await d.ok(["due", "answer", a, b, "remembered"], at(start));
    await d.ok(["due", "answer", b, "forgotten"], at(start + 86_400_000 * 9));
    const sorted = async (...args: string[]) =>
      (await d.ok(["cards", "list", "--columns", "id", "-o", "tsv", ...args])).trim().split("\n");
    await d.ok(["due", "set", a, "2031-06-01"], at(start + 86_400_000 * 9));
    expect(await sorted("--sort", "due")).toEqual([b, a, c]);
    expect(await sorted("--sort", "due", "--reverse")).toEqual([c, a, b]);
    expect((await sorted("--sort", "lapses"))[0]).toBe(b);
    expect(await sorted("--sort", "created")).toEqual([c, b, a]);
    expect(await sorted("--sort", "created", "--reverse")).toEqual([a, b, c]);
    const [row = ""] = (await d.ok(["cards", "list", "--deck", "D", "--sort", "due"])).split("\n");
    expect(row.split("\t").slice(-2)).toEqual(["b", expect.stringMatching(/^2031-03-/)]);
    expect(await sorted("--deck", "D")).toHaveLength(3);
    expect(await d.ok(["cards", "list", "--deck", "D", "--no-recursive", "--count"])).toBe("0\n");
    expect(await d.ok(["due", "list", "--sort", "name", "--limit", "1", "-o", "id"], at(start))).toBe(
      `${c}\n`,
    );
  });
});

describe("the selection of cards list", () => {
  /** Cards in Geography and Geography/Europe: active, tagged, archived, trashed, and one whose deck was deleted. */
  async function collection() {
    const d = await deckhand();
    await d.ok(["decks", "create", "Geography"]);
    await d.ok(["decks", "create", "Europe", "--parent", "Geography"]);
    await d.ok(["decks", "create", "Lost"]);
    const add = async (front: string, deck: string, ...more: string[]) =>
      (await d.ok(["cards", "create", "--front", front, "--deck", deck, ...more])).trim();
    const ids = {
      b: await add("b", "Geography"),
      a: await add("a", "Geography/Europe", "--tag", "north", "--tag", "cold"),
      c: await add("c", "Geography/Europe", "--tag", "north"),
      archived: await add("archived", "Geography", "--archived"),
      trashed: await add("trashed", "Geography"),
      lost: await add("lost", "Lost"),
    };
    await d.ok(["cards", "trash", ids.trashed]);
    await d.ok(["decks", "delete", "Lost", "--yes", "--orphan"]);
    const list = async (...args: string[]) =>
      (await d.ok(["cards", "list", "-o", "id", ...args])).split("\n").filter((id) => id !== "");
    return { d, ids, list };
  }

  test("selects cards by deck, tag and state, in the order asked for", async () => {
    const { ids, list, d } = await collection();
    expect(await list("--deck", "Geography", "--state", "active", "--sort", "name")).toEqual([
      ids.a,
      ids.b,
      ids.c,
    ]);
    expect(new Set(await list("--tag", "north"))).toEqual(new Set([ids.a, ids.c]));
    expect(await list("--tag", "#North", "--tag", "cold")).toEqual([ids.a]);
    expect(await list("--tag", "north,cold")).toEqual([ids.a]);
    expect(await list("--state", "archived")).toEqual([ids.archived]);
    expect(await list("--state", "trashed")).toEqual([ids.trashed]);
    expect(await list("--state", "orphaned")).toEqual([ids.lost]);
    expect(await list("--state", "active", "--sort", "name", "--limit", "2")).toEqual([ids.a, ids.b]);
    expect(await d.ok(["cards", "list", "--count"])).toBe("6\n");
    const shown = await d.run(["cards", "list", "--no-color"], { terminal: true });
    expect(shown.stderr).toBe("6 cards\n");
    expect(shown.stdout).toMatch(/^ID +DECK +FRONT +DUE +TAGS +STATE\n/);
    expect(await d.ok(["cards", "list", "--deck", "Geography", "--count"])).toBe("5\n");
  });

  test("takes the state of a card, not that of its deck", async () => {
    const { d, ids, list } = await collection();
    await d.ok(["decks", "trash", "Geography"]);
    expect(await list("--state", "trashed")).toEqual([ids.trashed]);
    expect(await list("--state", "archived")).toEqual([ids.archived]);
    expect(new Set(await list("--state", "active"))).toEqual(new Set([ids.a, ids.b, ids.c, ids.lost]));
    expect(await list("--state", "trashed", "--tag", "cold")).toEqual([]);
  });

  test("refuses options that contradict each other", async () => {
    const { d } = await collection();
    for (const args of [
      ["--bookmark", "x", "--tag", "y"],
      ["--deck", "x", "--deck-id", "y"],
    ])
      expect((await d.run(["cards", "list", ...args])).code, args.join(" ")).toBe(2);
  });

  test.each([
    [["get", "ID"]],
    [["search", "is:archived"]],
    [["update", "ID", "--add-tag", "x"]],
    [["archive", "ID"]],
    [["move", "ID", "--deck", "Geography/Europe"]],
  ])("cards %j prints the path of the deck with --columns deck", async (words) => {
    const { d } = await collection();
    const [id = ""] = (await d.ok(["cards", "list", "--state", "archived", "-o", "id"])).split("\n");
    const args = ["cards", ...words.map((word) => (word === "ID" ? id : word))];
    const deck = words[0] === "move" ? "Geography/Europe" : "Geography";
    expect(await d.ok([...args, "--columns", "id,deck", "-o", "csv"])).toBe(`id,deck\r\n${id},${deck}\r\n`);
  });

  test("shows the paths of decks, the state and the count on a terminal, the same data columns elsewhere", async () => {
    const { d, ids } = await collection();
    const shown = await d.run(["cards", "list", "--deck", "Geography/Europe"], {
      terminal: true,
      columns: 100,
    });
    const text = shown.stdout.replaceAll(/\u001b\[\d+m/g, "");
    // Where it differs; here all cards are new.
    expect(text).toMatch(/^ID +DECK +FRONT +DUE +TAGS\n/);
    expect(text).toMatch(/ Geography\/Europe +a +north/);
    expect(shown.stderr).toBe("2 cards\n");
    const [row = ""] = (await d.ok(["cards", "list", "--state", "archived"])).split("\n");
    expect(row.split("\t").at(5)).toBe("archived");
    expect(await d.ok(["cards", "list", "--state", "archived", "--columns", "deck,state"])).toBe(
      "Geography\tarchived\n",
    );
    expect(
      JSON.parse(await d.ok(["cards", "list", "--state", "archived", "-o", "json"]))[0],
    ).not.toHaveProperty("state");
    expect(await d.ok(["cards", "list", "--state", "archived", "--columns", "id,state", "--jq", ".[]"])).toBe(
      `{"id":"${ids.archived}","state":"archived"}\n`,
    );
  });
});

describe("front matter of a new card", () => {
  test("sets deck, tags and flags; options win over it", async () => {
    const d = await deckhand();
    for (const name of ["A", "B"]) await d.ok(["decks", "create", name]);
    const text = "---\ndeck: A\ntags: [one, two]\narchived: true\n---\nQ\n---\nA\n";
    const id = (await d.ok(["cards", "create", "--content-file", "-"], { input: text })).trim();
    const decks = await d.ok(["decks", "list", "-o", "id"]);
    const [a, b] = decks.trim().split("\n");
    expect(await card(d, id)).toMatchObject({
      "deck-id": a,
      content: "Q\n---\nA\n",
      "archived?": true,
    });
    expect((await card(d, id)).tags).toHaveLength(2);
    const over = (await d.ok(["cards", "create", "--content", text, "--deck", "B", "--tag", "three"])).trim();
    expect(await card(d, over)).toMatchObject({ "deck-id": b, tags: ["three"] });
  });

  test.each([
    ["---\njust a rule\n---\nback"],
    ["---\nunknown: key\n---\nback"],
    ["---\ntags: 3\n---\nback"],
    ["---\n[broken\n---\nback"],
  ])("is text unless it is a map whose keys are all known: %j", async (text) => {
    const d = await deckhand();
    await d.ok(["decks", "create", "D"]);
    const id = (await d.ok(["cards", "create", "--deck", "D", "--content", text])).trim();
    expect((await card(d, id)).content).toBe(text);
  });
});

describe("the deck of new cards", () => {
  test("is created with --create-deck, with the decks above it; the error without it says so", async () => {
    const d = await deckhand();
    const args = ["cards", "create", "--deck", "Geography/Africa", "--content", "x"];
    expect(await d.run(args)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("--create-deck creates it."),
    });
    const planned = await d.ok([...args, "--create-deck", "--dry-run"]);
    expect(planned).toMatch(/POST \/decks[\s\S]*POST \/decks[\s\S]*POST \/cards/);
    expect(await d.ok(["decks", "list"])).toBe("");
    const id = (await d.ok([...args, "--create-deck"])).trim();
    expect(await d.ok(["cards", "list", "--deck", "Geography/Africa", "-o", "id"])).toBe(`${id}\n`);
    await d.ok([...args, "--create-deck"]);
    expect((await d.ok(["decks", "list", "-o", "id"])).trim().split("\n")).toHaveLength(2);
  });

  test("is that of --deck, whatever the documents of --from name", async () => {
    const d = await deckhand();
    for (const name of ["A", "B"]) await d.ok(["decks", "create", name]);
    const [a, b] = (await d.ok(["decks", "list", "-o", "id"])).trim().split("\n");
    const input = JSON.stringify({ content: "x", "deck-id": a });
    const ran = await d.run(["cards", "create", "--from", "-", "--deck", "B", "-o", "id"], { input });
    expect(ran).toMatchObject({ code: 0, stderr: "--deck wins over the deck-id of the documents\n" });
    expect(await card(d, ran.stdout.trim())).toMatchObject({ "deck-id": b });
  });
});

test("a row of our own tsv is taken by its first column where ids are read", async () => {
  const d = await deckhand();
  await d.ok(["decks", "create", "D"]);
  await d.ok(["cards", "create", "--deck", "D", "--content", "x"]);
  const input = await d.ok(["cards", "list"]);
  expect(input).toContain("\t");
  expect(await d.run(["cards", "archive", "-"], { input })).toMatchObject({ code: 0 });
  expect(await d.ok(["cards", "list", "--state", "archived", "--count"])).toBe("1\n");
});

describe("a mistake in the editor", () => {
  test("opens it again on the text with the reason on top, until it is right or left as it is", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "D"]);
    const id = (await d.ok(["cards", "create", "--deck", "D", "--content", "x"])).trim();
    const script = join(d.home, "editor.sh");
    writeFileSync(
      script,
      `#!/bin/sh
if grep -q '^# deckhand: ' "$1"; then cp "$1" ${d.home}/seen; sed -i 's/^deck: .*/deck: D/; s/^x$/y/' "$1"
else sed -i 's/^deck: .*/deck: Nope/' "$1"; fi
`,
      { mode: 0o755 },
    );
    const ran = await d.run(["cards", "edit", id], { terminal: true, env: { EDITOR: script } });
    expect(ran.code).toBe(0);
    expect(readFileSync(join(d.home, "seen"), "utf8")).toMatch(/^# deckhand: deck "Nope" was not found/);
    expect((await card(d, id)).content).toBe("y");

    const same = join(d.home, "same.sh");
    writeFileSync(same, "#!/bin/sh\nsed -i 's/^deck: .*/deck: Nope/' \"$1\"\n", { mode: 0o755 });
    const gaveUp = await d.run(["cards", "edit", id], { terminal: true, env: { EDITOR: same } });
    expect(gaveUp.code).toBe(4);
    expect(gaveUp.stderr).toContain("Your text is kept in");
  });
});

test("a table marks cards of deleted and of trashed decks; data formats have the columns as they are", async () => {
  const d = await deckhand();
  const gone = (await d.ok(["decks", "create", "Gone"])).trim();
  for (const name of ["Kept", "Old"]) await d.ok(["decks", "create", name]);
  await d.ok(["decks", "create", "Older", "--parent", "Old"]);
  for (const deck of ["Gone", "Kept", "Older"])
    await d.ok(["add", `A rather long front in ${deck}`, "x", "--deck", deck]);
  await d.ok(["decks", "delete", "Gone", "--yes", "--orphan"]);
  await d.ok(["decks", "trash", "Old"]);
  const header = async (content: string) => {
    const [id = ""] = (await d.ok(["cards", "search", content, "is:new OR is:trashed", "-o", "id"]))
      .trim()
      .split("\n");
    return d.ok(["--no-color", "cards", "get", id], { terminal: true });
  };
  expect(await header("Gone")).toContain(`deck      ${gone} (deleted)\n`);
  expect(await header("Older")).toContain("deck      Old/Older (in the trash)\n");
  const wide = await d.run(["--no-color", "cards", "list", "--sort", "name"], {
    terminal: true,
    columns: 120,
  });
  expect(wide.stdout).toMatch(/\(deleted\) .* orphaned$/m);
  expect(wide.stdout).not.toContain(gone);
  expect(wide.stdout).toMatch(/ Kept .* new$/m);
  expect(wide.stdout).toMatch(/ Old\/Older .* in trash$/m);
  expect(wide.stderr).toContain("3 cards\n");
  const narrow = await d.ok(["--no-color", "cards", "list", "--sort", "name"], {
    terminal: true,
    columns: 40,
  });
  expect(narrow).toMatch(/^ID +DECK +FRONT +STATE$/m);
  for (const state of ["orphaned", "in trash", "new"]) expect(narrow).toMatch(new RegExp(` ${state}$`, "m"));
  for (const line of narrow.split("\n")) expect(line.length).toBeLessThanOrEqual(40);
  const rows = (await d.ok(["cards", "list", "--columns", "deck-id,deck,state"])).trim().split("\n");
  expect(rows).toContain(`${gone}\t${gone}\tnew`);
  expect(rows.map((row) => row.split("\t")[2])).toEqual(["new", "new", "new"]);
});
