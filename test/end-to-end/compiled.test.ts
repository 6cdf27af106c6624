import { expect, it } from "vitest";
import { cli } from "../support/cli.ts";

it("runs the same from code that was compiled by an earlier run", async () => {
  const { run, remove } = cli({ DECKHAND_PROFILE: "local", DECKHAND_HOME: "" });
  try {
    for (let i = 0; i < 3; i++) {
      const { code, stderr } = await run(["demo", "--quiet"]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    }
  } finally {
    remove();
  }
});
