import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { program } from "../support/cli.ts";
import { openPty } from "../support/pty.ts";
import { temporaryFolder } from "../support/service.ts";

test("a folder is followed after a yes, and e opens the file of a card at its line and reads it again", async () => {
  const home = temporaryFolder();
  const notes = join(home, "notes");
  mkdirSync(notes);
  writeFileSync(
    join(notes, "capitals.md"),
    "# Capitals\n\nIn the north.\n\nQ: The capital of Norway?\nA: Olso\n",
  );
  // What is opened where no editor is set.
  const editor = join(home, "nano");
  writeFileSync(editor, `#!/bin/sh\nprintf "%s\\n" "$@" > "${home}/asked"\nsed -i s/Olso/Oslo/ "$2"\n`);
  chmodSync(editor, 0o755);
  const review = openPty({
    args: [program, "review", notes],
    env: {
      DECKHAND_HOME: join(home, "home"),
      DECKHAND_PROFILE: "local",
      EDITOR: "",
      PATH: `${home}:${process.env["PATH"]}`,
      HOME: home,
      TZ: "UTC",
    },
  });
  onTestFinished(() => review.close());
  await review.until("1 card in 1 of 1 file, for the deck notes");
  await review.until("Learn from these files?");
  review.press("y");
  await review.until("The capital of Norway?");
  review.press(" ");
  await review.until("Olso");
  review.press("e");
  await review.until("1 edited");
  review.press(" ");
  await review.until("Oslo");
  expect(readFileSync(join(home, "asked"), "utf8")).toBe(`+5\n${join(notes, "capitals.md")}\n`);
  expect(readFileSync(join(notes, "capitals.md"), "utf8")).toContain("Q: The capital of Norway?\nA: Oslo\n");
  review.press("q");
  expect((await review.ended).code).toBe(0);
});
