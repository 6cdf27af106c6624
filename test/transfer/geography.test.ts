import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/index.ts";
import { openRows } from "../../src/transfer/formats/csv/rows.ts";
import { temporaryFolder } from "../support/service.ts";
import { comparable, emptyAccount, exportFile, importFile, wholeAccount } from "./support.ts";

const folder = "test/fixtures/geography";
const files = [
  "capital",
  "country",
  "country_info",
  "capital_info",
  "capital_hint",
  "flag_similarity",
  "main",
];

async function rowsOf(name: string): Promise<string[][]> {
  const rows: string[][] = [];
  const file = await openRows(join(folder, name), { name });
  for await (const { cells } of file.rows(false)) rows.push([...cells]);
  return rows;
}

/** A deck and a template for each file, with a field for each column: all languages; and one language side by side. */
async function geography(client: Client, files: readonly string[]): Promise<number> {
  let cards = 0;
  for (const file of files) {
    const [header = []] = await rowsOf(`${file}.csv`);
    const fields = header
      .filter((name) => name !== "tags")
      .map((name, index) => ({ id: index === 0 ? "name" : `f${index}`, name }));
    const template = await client.templates.create({
      name: file,
      content: "# << country >>",
      fields: Object.fromEntries(fields.map((field) => [field.id, field])),
    });
    const deck = await client.decks.create({ name: file });
    const { summary, failures } = await importFile(client, join(folder, `${file}.csv`), {
      deck: deck.id,
      template: { id: template.id, name: file, fields },
    });
    expect(failures).toEqual([]);
    cards += summary.cards;
  }
  const deck = await client.decks.create({ name: "he" });
  const options = { deck: deck.id, front: "capital", back: "capital:he" };
  return cards + (await importFile(client, join(folder, "capital.csv"), options)).summary.cards;
}

describe("the geography collection", () => {
  test("comes in from CSV in all its languages, and goes out and in again without a loss", async () => {
    const client = await emptyAccount();
    const count = await geography(client, files);
    const whole = await wholeAccount(client);
    expect(whole.cards).toHaveLength(count);

    // Every value of every language is there as the csv files have it.
    const values = new Map<string, Set<string>>();
    for (const { id, name } of whole.decks)
      values.set(
        name ?? "",
        new Set(
          whole.cards
            .filter((card) => card["deck-id"] === id)
            .flatMap(({ content, fields }) => [
              content ?? "",
              ...Object.values(fields ?? {}).map((each) => each?.value ?? ""),
            ]),
        ),
      );
    for (const file of files) {
      const [header = [], ...rows] = await rowsOf(`${file}.csv`);
      const tags = header.indexOf("tags");
      const cells = rows.flatMap((row) => row.filter((cell, index) => index !== tags && cell.trim() !== ""));
      expect(cells.filter((cell) => !values.get(file)?.has(cell))).toEqual([]);
      if (file !== "capital") continue;
      const [english, hebrew] = [header.indexOf("capital"), header.indexOf("capital:he")];
      const pairs = rows.map((row) => `${row[english]}\n---\n${row[hebrew]}`);
      expect(pairs.filter((pair) => !values.get("he")?.has(pair))).toEqual([]);
    }
    expect(
      whole.cards.find(
        ({ fields }) => fields?.["name"]?.value === "United Kingdom" && fields["f3"]?.value === "GB",
      )?.tags,
    ).toEqual(["UG::Europe", "UG::Sovereign_State"]);

    const some = await emptyAccount();
    await geography(some, ["country", "capital_hint"]);
    const wanted = comparable(await wholeAccount(some));
    for (const format of ["ndjson", "mochi", "markdown"] as const) {
      const target = join(await temporaryFolder(), `geography${format === "markdown" ? "" : `.${format}`}`);
      await exportFile(some, target, format);
      const other = await emptyAccount();
      const { failures } = await importFile(other, target);
      expect(failures).toEqual([]);
      expect(comparable(await wholeAccount(other))).toEqual(wanted);
    }
  }, 300_000);
});
