import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Journal } from "../../src/transfer/import/journal.ts";
import { temporaryFolder } from "../support/folder.ts";

const header = { command: "import", account: "a" };
const done = (item: string) => ({ item, hash: "h", state: "done", id: `id of ${item}` }) as const;

/** The path of a journal in which these items are done. */
async function written(...items: string[]): Promise<string> {
  const path = join(temporaryFolder(), "journal");
  const journal = await Journal.open(path, header);
  for (const item of items) journal.record(done(item));
  journal.close();
  return path;
}

/** Goes on with a journal: what it knows, with one item more that is done now. */
async function goOn(path: string, item: string): Promise<string[]> {
  const journal = await Journal.open(path, header);
  try {
    journal.record(done(item));
    return [...journal.ids()];
  } finally {
    journal.close();
  }
}

test("a journal whose last line lost its line break goes on below it", async () => {
  const path = await written("card 1");
  writeFileSync(path, readFileSync(path, "utf8").trimEnd());
  expect(await goOn(path, "card 2")).toEqual(["id of card 1", "id of card 2"]);
  expect(await goOn(path, "card 3")).toEqual(["id of card 1", "id of card 2", "id of card 3"]);
});

test("a last line of which any part came to the disk before the power went off is dropped", async () => {
  const path = await written("card 1", "card 2");
  const whole = readFileSync(path, "utf8");
  const begin = whole.lastIndexOf("\n", whole.length - 2) + 1;
  const line = whole.slice(begin, -1);
  for (let cut = 1; cut < line.length; cut++)
    for (const part of [
      line.slice(0, cut) + "\n".repeat(line.length - cut),
      "\n".repeat(cut) + line.slice(cut),
    ]) {
      writeFileSync(path, `${whole.slice(0, begin)}${part}\n\n\n`);
      expect(await goOn(path, "card 3"), part).toEqual(["id of card 1", "id of card 3"]);
    }
});

test("a file that does not begin as a journal is left as it is", async () => {
  const path = join(temporaryFolder(), "notes");
  for (const text of ["notes", "\n\nnotes", "\n\n{", "notes\n\n{", "{}\n\nnotes"]) {
    writeFileSync(path, text);
    await expect(goOn(path, "card 1")).rejects.toThrow("this is no journal of deckhand");
    expect(readFileSync(path, "utf8")).toBe(text);
  }
});

test("a journal is one process's at a time, whichever links lead to it", async () => {
  const path = await written("card 1");
  const link = join(temporaryFolder(), "link");
  symlinkSync(path, link);
  for (const [one, other] of [
    [path, link],
    [link, path],
  ] as const) {
    const journal = await Journal.open(one, header);
    await expect(Journal.open(other, header)).rejects.toThrow("is using this journal");
    journal.close();
  }
});
