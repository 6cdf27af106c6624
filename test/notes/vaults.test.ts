import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { OriginRecord } from "../../src/client/apply/record.ts";
import { isThere, notedCard, readFolder } from "../../src/notes/reading.ts";
import { temporaryFolder } from "../support/folder.ts";
import { editRandomly, type Notebook } from "./model.ts";
import { fileText, vaults } from "./vaults.ts";

/** A folder of notes on the disk, and the record of what was read of it. */
function openVault() {
  const root = join(temporaryFolder(), "vault");
  const record = OriginRecord.open(join(temporaryFolder(), "origins.db"), "account");
  const written = new Map<string, string>();
  return {
    record,
    /** Makes the files those of the notebook; others are left untouched. */
    write({ files }: Notebook): void {
      for (const name of written.keys())
        if (!files.has(name)) {
          rmSync(join(root, name));
          written.delete(name);
        }
      for (const [name, cards] of files) {
        const text = fileText(name, cards);
        if (written.get(name) === text) continue;
        mkdirSync(dirname(join(root, name)), { recursive: true });
        writeFileSync(join(root, name), text);
        written.set(name, text);
      }
    },
    /** Reads what changed. @returns the ids of the cards of each file, in its order */
    async read(): Promise<Map<string, string[]>> {
      const reading = await readFolder(root, record, () => {});
      reading.write({ id: "deck", note: "[]", written: "" });
      const ids = new Map<string, string[]>();
      for (const row of record.bySource(root))
        if (isThere(row)) {
          const { file } = notedCard(row);
          ids.set(file, [...(ids.get(file) ?? []), row.id]);
        }
      return ids;
    },
  };
}

test("a thousand random edits of hashcards' and Obsidian's files lose and mix up at most one schedule each", async () => {
  const vault = openVault();
  let book = vaults();
  /** The id that the record has for each card of the model. */
  const known = new Map<string, string>();
  const mistakes: string[] = [];
  let [lost, taken, compared] = [0, 0, 0];
  const compare = async (what: string) => {
    vault.write(book);
    const ids = await vault.read();
    const owners = new Map([...known].map(([card, id]) => [id, card]));
    for (const [file, cards] of book.files) {
      const here = ids.get(file) ?? [];
      expect(here.length, `${what}: cards of ${file}\n${fileText(file, cards)}`).toBe(cards.length);
      for (const [index, { id: card, sides }] of cards.entries()) {
        const id = here[index] ?? "";
        const [should, owner] = [known.get(card), owners.get(id)];
        compared++;
        if (should !== undefined && id !== should) lost++;
        if (owner !== undefined && owner !== card) taken++;
        if ((should !== undefined && id !== should) || (owner !== undefined && owner !== card))
          mistakes.push(`${what}: ${JSON.stringify(sides)} is ${card}, not ${owner}`);
        known.set(card, id);
      }
    }
  };
  await compare("the first reading");
  for (let edit = 0; edit < 1000; edit++) {
    const next = editRandomly(book, 50_000 + edit);
    book = next.book;
    await compare(`${edit} ${next.what}`);
  }
  process.stdout.write(
    `  1,000 edits, ${compared} cards compared: ${lost} schedules lost, ${taken} taken over\n`,
  );
  vault.record.close();
  expect(lost, mistakes.join("\n")).toBeLessThanOrEqual(1);
  expect(taken, mistakes.join("\n")).toBeLessThanOrEqual(1);
}, 120_000);
