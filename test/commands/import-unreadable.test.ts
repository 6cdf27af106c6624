import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { isRoot, other, reached, run } from "../support/surroundings.ts";

/** A folder of notes with a file that names a picture, and one below it that the program may not read. */
function vault(): { readonly root: string; readonly closed: string; readonly env: NodeJS.ProcessEnv } {
  const root = temporaryFolder();
  const closed = join(root, "closed");
  const home = join(root, ".home");
  for (const folder of [closed, home]) mkdirSync(folder);
  writeFileSync(join(root, "table.csv"), "front,back,picture\none,1,gone.png\n");
  writeFileSync(join(closed, "notes.md"), "#flashcards\n\na::b\n");
  if (isRoot) chownSync(home, 65_534, 65_534);
  for (const folder of [root, home]) chmodSync(folder, 0o755);
  chmodSync(closed, 0);
  onTestFinished(() => chmodSync(closed, 0o755));
  return { root, closed, env: { DECKHAND_HOME: home, DECKHAND_PROFILE: "local" } };
}

test.skipIf(!reached).each(["nothing", "obsidian", "markdown"])(
  "an import names a folder that cannot be read, with %s as the format",
  (name) => {
    const format = name === "nothing" ? [] : ["--format", name];
    const { root, closed, env } = vault();
    for (const path of [closed, root]) {
      const ran = run(["import", path, ...format, "--dry-run"], { env, ...other });
      expect(ran).toMatchObject({ code: 2, stderr: expect.stringMatching(/closed: permission denied/) });
    }
  },
);

test.skipIf(!reached)("an import of a table passes over folders beside it that cannot be read", () => {
  const { root, env } = vault();
  const ran = run(["import", join(root, "table.csv"), "--deck", "D", "--create-deck", "--dry-run"], {
    env,
    ...other,
  });
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("no such file") });
});
