import { describe, expect, onTestFinished, test } from "vitest";
import { completionScripts, shells } from "../../src/completion/scripts.ts";
import { cli } from "../support/cli.ts";
import { deckhand } from "../support/world.ts";

describe("the completion script", () => {
  test.each(shells)(
    "for %s in completions is the one that the command tree gives (npm run generate)",
    async (shell) => {
      const d = await deckhand();
      const file = `../../completions/${completionScripts[shell].file}`;
      await expect(await d.ok(["completion", shell])).toMatchFileSnapshot(file);
    },
  );
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
});
