import { readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { completions } from "../../../src/cli/completion/complete.ts";
import { cli } from "../../support/cli.ts";
import { deckhand } from "../../support/world.ts";

const words = async (...line: string[]) => {
  const offer = await completions(line);
  return offer === "files" ? offer : offer.map(({ word }) => word);
};

/** A home for completion, which is a process, and for other commands, which run in this one. */
async function oneHome() {
  const home = cli({ DECKHAND_PROFILE: "local" });
  onTestFinished(() => home.remove());
  return { home, here: await deckhand({}, home.home) };
}

describe("the completion script", () => {
  test.each([
    ["bash", "deckhand.bash"],
    ["zsh", "_deckhand"],
    ["fish", "deckhand.fish"],
    ["powershell", "deckhand.ps1"],
  ])("for %s is the file in completions, and at most 70 lines long", async (shell, file) => {
    const d = await deckhand();
    const text = readFileSync(`completions/${file}`, "utf8");
    expect(await d.ok(["completion", shell])).toBe(text);
    expect(text.split("\n").length).toBeLessThanOrEqual(71);
  });

  test("for bash has no extended patterns: the bash of macOS reads them only where they are switched on", async () => {
    expect(readFileSync("completions/deckhand.bash", "utf8")).not.toMatch(/[@?*+!]\(/);
  });
});

describe("what is completed", () => {
  test("comes from the command tree", async () => {
    expect(await words("templ")).toEqual(["templates"]);
    expect(await words("cards", "unar")).toEqual(["unarchive"]);
    expect(await words("card", "ls", "--bookm")).toEqual(["--bookmark"]);
    expect(await words("-o", "json", "cards", "-q", "unar")).toEqual(["unarchive"]);
    expect(await words("decks", "create", "x", "--cards-view", "gr")).toEqual(["grid"]);
    expect(await words("decks", "create", "x", "--cards-view=gr")).toEqual(["--cards-view=grid"]);
    expect(await words("cards", "list", "-oj")).toEqual(["-ojson"]);
    expect(await words("due", "re")).toEqual(["review"]);
    expect(await words("help", "cards", "unar")).toEqual(["unarchive"]);
    expect(await words("config", "set", "codec", "tr")).toEqual(["transit"]);
    expect(await words("import", "")).toBe("files");
    expect(await words("nosuch", "")).toEqual([]);
    expect(await words("cards", "list", "--", "--al")).toEqual([]);
  });

  test("of decks and templates comes from what commands have seen", async () => {
    const { home, here } = await oneHome();
    const offered = async (...line: string[]) =>
      (await home.ok(["__complete", ...line])).split("\n").flatMap((each) => each.split("\t")[0] || []);
    await here.ok(["decks", "create", "Geography"]);
    await here.ok(["templates", "create", "Capital", "--content", "x", "--field", "c=Country"]);
    expect(await offered("cards", "create", "--template", "C")).toEqual(["Capital"]);
  });
});

describe("the names that are completed", () => {
  test("are paths that mean one deck each, ids where two share a path", async () => {
    const { home, here } = await oneHome();
    const make = async (...args: string[]) => (await here.ok(["decks", "create", ...args])).trim();
    const [languages, spanish] = [await make("Languages"), await make("Spanish")];
    const [nested, verbs] = [await make("Spanish", "--parent", "Languages"), await make("Verbs")];
    const again = await make("Verbs", "--force");
    await here.ok(["decks", "list", "--tree"]);
    const offered = (await home.ok(["__complete", "decks", "get", ""])).trimEnd().split("\n");
    expect(new Set(offered)).toEqual(
      new Set([
        `Languages\t${languages}`,
        `/Spanish\t${spanish}`,
        `Languages/Spanish\t${nested}`,
        `${verbs}\t/Verbs`,
        `${again}\t/Verbs`,
      ]),
    );
    for (const line of offered) await here.ok(["decks", "get", line.split("\t")[0] ?? ""]);
  });

  test("are ids where a name would not do: two templates share it, it is an option, it has two lines", async () => {
    const { home, here } = await oneHome();
    const template = async (name: string) =>
      (await here.ok(["templates", "create", "--content", "x", "--", name])).trim();
    const ids = [
      await template("Word"),
      await template("Word"),
      await template("-x"),
      await template("Verb"),
    ];
    const deck = (await here.ok(["decks", "create", "two\nlines"])).trim();
    const offered = (await home.ok(["__complete", "templates", "get", ""])).trimEnd().split("\n");
    expect(new Set(offered)).toEqual(
      new Set([`${ids[0]}\tWord`, `${ids[1]}\tWord`, `${ids[2]}\t-x`, `Verb\t${ids[3]}`]),
    );
    for (const line of offered) await here.ok(["templates", "get", line.split("\t")[0] ?? ""]);
    expect(await home.ok(["__complete", "decks", "get", ""])).toBe(`${deck}\ttwo lines\n`);
  });
});
