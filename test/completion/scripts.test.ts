import { describe, expect, test } from "vitest";
import { completionScripts, shells } from "../../src/completion/scripts.ts";
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
