import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { UsageError } from "../../src/errors.ts";
import { scanFolder } from "../../src/sync/scan-folder.ts";
import { State } from "../../src/sync/state.ts";
import { temporaryFolder } from "../support/folder.ts";

const write = (path: string) => {
  mkdirSync(dirname(path), { recursive: true });
  // Its template is looked up when it is read: it names the file.
  writeFileSync(path, `---\ntemplate: ${path.slice(path.search(/[ABC]\d?\/\w+\.md$/))}\n---\ntext\n`);
};

/** @param reading called with each folder and each file before what comes after it is read */
function scan(root: string, reading: (path: string) => void) {
  return scanFolder(root, {
    state: State.open(join(root, "none.sqlite"), "show"),
    hasDeck: () => false,
    deckNamed(name) {
      reading(name);
      return undefined;
    },
    scope: undefined,
    hasSettings: false,
    hasCard: () => false,
    template(name) {
      reading(name);
      return null;
    },
    progress() {},
  });
}

test.each([["A"], ["A/one.md"]])(
  "a folder is scanned again if one below it, or a file, is removed while %s is read",
  async (at) => {
    const root = temporaryFolder();
    for (const path of ["A/one.md", "B/two.md", "C/three.md"]) write(join(root, path));
    const { files } = await scan(root, (path) => {
      if (path === at) rmSync(join(root, "B"), { recursive: true, force: true });
    });
    expect(files.others.map(({ path }) => path)).toEqual(["A/one.md", "C/three.md"]);
  },
);

test("a folder that changes each time that it is scanned is an error", async () => {
  const root = temporaryFolder();
  const folders = Array.from({ length: 9 }, (_, number) => `B${number}`);
  for (const folder of ["A", ...folders]) write(join(root, folder, "one.md"));
  const scanned = scan(root, (path) => {
    if (path === "A") rmSync(join(root, folders.pop() ?? ""), { recursive: true });
  });
  await expect(scanned).rejects.toThrow("changed each time that it was read");
});

test("a folder that is removed while it is scanned is an error that names it", async () => {
  const root = join(temporaryFolder(), "cards");
  for (const path of ["A/one.md", "B/two.md"]) write(join(root, path));
  const scanned = scan(root, () => rmSync(root, { recursive: true, force: true }));
  await expect(scanned).rejects.toBeInstanceOf(UsageError);
  await expect(scanned).rejects.toThrow(`there is no folder ${root}`);
});
