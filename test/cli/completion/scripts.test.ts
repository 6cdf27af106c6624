import { describe, expect, onTestFinished, test } from "vitest";
import { completionScripts, shells } from "../../../src/cli/completion/scripts.ts";
import { cli } from "../../support/cli.ts";
import { deckhand } from "../../support/world.ts";

describe("the completion script", () => {
  test.each(shells)(
    "for %s in completions is the one that the command tree gives (npm run generate)",
    async (shell) => {
      const d = await deckhand();
      const file = `../../../completions/${completionScripts[shell].file}`;
      await expect(await d.ok(["completion", shell])).toMatchFileSnapshot(file);
    },
  );

  test("for bash has no extended patterns: the bash of macOS reads them only where they are switched on", async () => {
    const d = await deckhand();
    expect(await d.ok(["completion", "bash"])).not.toMatch(/[@?*+!]\(/);
  });
});

describe("the names that are completed", () => {
  test("are paths that mean one deck each, ids where two share a path", async () => {
    const home = cli({ DECKHAND_PROFILE: "local" });
    onTestFinished(() => home.remove());
    const make = async (...args: string[]) => (await home.ok(["decks", "create", ...args])).trim();
    const [languages, spanish] = [await make("Languages"), await make("Spanish")];
    const [nested, verbs] = [await make("Spanish", "--parent", "Languages"), await make("Verbs")];
    const again = await make("Verbs");
    await home.ok(["decks", "list", "--tree"]);
    const offered = (await home.ok(["__complete", "decks"])).trimEnd().split("\n");
    expect(new Set(offered)).toEqual(
      new Set([
        `Languages\t${languages}`,
        `/Spanish\t${spanish}`,
        `Languages/Spanish\t${nested}`,
        `${verbs}\t/Verbs`,
        `${again}\t/Verbs`,
      ]),
    );
    for (const line of offered) await home.ok(["decks", "get", line.split("\t")[0] ?? ""]);
  });

  test("are those of decks in the trash for what takes them out", async () => {
    const home = cli({ DECKHAND_PROFILE: "local" });
    onTestFinished(() => home.remove());
    const make = async (name: string) => (await home.ok(["decks", "create", name])).trim();
    const [kept, gone, goneToo] = [await make("Geography"), await make("Geography"), await make("History")];
    await home.ok(["decks", "trash", gone, goneToo]);
    expect(await home.ok(["__complete", "decks"])).toBe(`Geography\t${kept}\n`);
    expect(await home.ok(["__complete", "trashed-decks"])).toBe(
      [`${gone}\t/Geography\n`, `History\t${goneToo}\n`].sort().join(""),
    );
    await home.ok(["decks", "restore", "History"]);
    expect(await home.ok(["__complete", "trashed-decks"])).toBe(`${gone}\t/Geography\n`);
  });

  test("are ids where a name would not do: two templates share it, it is an option, it has two lines", async () => {
    const home = cli({ DECKHAND_PROFILE: "local" });
    onTestFinished(() => home.remove());
    const template = async (name: string) =>
      (await home.ok(["templates", "create", "--content", "x", "--", name])).trim();
    const ids = [
      await template("Word"),
      await template("Word"),
      await template("-x"),
      await template("Verb"),
    ];
    const deck = (await home.ok(["decks", "create", "two\nlines"])).trim();
    const offered = (await home.ok(["__complete", "templates"])).trimEnd().split("\n");
    expect(new Set(offered)).toEqual(
      new Set([`${ids[0]}\tWord`, `${ids[1]}\tWord`, `${ids[2]}\t-x`, `Verb\t${ids[3]}`]),
    );
    for (const line of offered) await home.ok(["templates", "get", line.split("\t")[0] ?? ""]);
    expect(await home.ok(["__complete", "decks"])).toBe(`${deck}\ttwo lines\n`);
  });
});
