import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { isRoot, other, reached, run } from "../support/surroundings.ts";
import { deckhand } from "../support/world.ts";

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

test.each(["markdown", "obsidian"])(
  "an import of a folder leaves a file that is broken or too large, names it, and imports the others: %s",
  async (format) => {
    const d = await deckhand();
    const folder = join(d.home, "notes");
    mkdirSync(folder);
    const good = format === "markdown" ? "good\n---\nback\n" : "#flashcards\n\ngood::back\n";
    writeFileSync(join(folder, "a.md"), good);
    if (format === "markdown") writeFileSync(join(folder, "b.md"), "---\ntags: [a\n---\nbad\n");
    else writeFileSync(join(folder, "b.md"), Buffer.from("#flashcards\n\nbad::\xff\xfe\n", "latin1"));
    writeFileSync(join(folder, "c.md"), "x".repeat(10 * 1024 * 1024 + 1));
    const run = await d.run(["import", folder, "--deck", "D", "--create-deck"]);
    expect(run.code).toBe(9);
    expect(run.stderr).toMatch(/files that cannot be read \(1\): .*notes\/b\.md/);
    expect(run.stderr).toMatch(/files that cannot be read \(1\): .*notes\/c\.md/);
    expect(run.stderr).toContain("Imported 1 card");
    expect(await d.run(["import", folder, "--deck", "D"])).toMatchObject({ code: 9 });
    expect(await d.ok(["cards", "list", "--count"])).toBe("1\n");
  },
);
