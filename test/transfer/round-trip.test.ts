import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/service.ts";
import { collection, fill } from "./any-collection.ts";
import { comparable, emptyAccount, exportFile, importFile, wholeAccount } from "./support.ts";

const runs = Number(process.env["ROUND_TRIPS"] ?? 6);

describe("a round trip", () => {
  test.each(["ndjson", "mochi"] as const)(
    "through %s into an empty account loses nothing",
    async (format) => {
      await fc.assert(
        fc.asyncProperty(collection, async (made) => {
          const [from, to] = [await emptyAccount(), await emptyAccount()];
          await fill(from, made);
          const file = join(await temporaryFolder(), `export.${format}`);
          const summary = await exportFile(from, file, format);
          expect(summary.missing).toEqual([]);
          const { failures } = await importFile(to, file);
          expect(failures).toEqual([]);
          expect(comparable(await wholeAccount(to))).toEqual(comparable(await wholeAccount(from)));
        }),
        { numRuns: runs },
      );
    },
    300_000,
  );

  test("through markdown gives the same bytes, but for the ids", async () => {
    await fc.assert(
      fc.asyncProperty(collection, async (made) => {
        const [from, to] = [await emptyAccount(), await emptyAccount()];
        await fill(from, made);
        const folder = await temporaryFolder();
        await exportFile(from, join(folder, "one"), "markdown");
        const { failures } = await importFile(to, join(folder, "one"));
        expect(failures).toEqual([]);
        await exportFile(to, join(folder, "two"), "markdown");
        const [before, after] = [await wholeAccount(from), await wholeAccount(to)];
        expect(filesUnder(join(folder, "two"), idNames(after))).toEqual(
          filesUnder(join(folder, "one"), idNames(before)),
        );
        expect(comparable(after)).toEqual(comparable(before));
      }),
      { numRuns: runs },
    );
  }, 300_000);

  test("through markdown of the same account gives the same bytes to the letter", async () => {
    await fc.assert(
      fc.asyncProperty(collection, async (made) => {
        const client = await emptyAccount();
        await fill(client, made);
        const folder = await temporaryFolder();
        await exportFile(client, join(folder, "one"), "markdown");
        const first = filesUnder(join(folder, "one"), new Map());
        await exportFile(client, join(folder, "one"), "markdown");
        await exportFile(client, join(folder, "two"), "markdown");
        expect(filesUnder(join(folder, "one"), new Map())).toEqual(first);
        expect(filesUnder(join(folder, "two"), new Map())).toEqual(first);
      }),
      { numRuns: Math.ceil(runs / 3) },
    );
  }, 300_000);
});

describe("a spreadsheet", () => {
  /** Decks by their paths, templates by their names: what a spreadsheet says of them has to tell them apart. */
  const told = collection
    .map((made) => ({
      ...made,
      decks: made.decks.map((each, index) => ({
        ...each,
        name: `${index} ${each.name}`.trim().normalize("NFC"),
      })),
      templates: made.templates.map((each, index) => ({
        ...each,
        name: `${index} ${each.name}`.slice(0, 30),
      })),
      cards: made.cards.map((each) => ({ ...each, refersTo: undefined })),
    }))
    .filter(({ templates }) => templates.every((each) => !/\p{Surrogate}/u.test(each.name)));

  const cardsOf = ({ decks, templates, cards }: Awaited<ReturnType<typeof wholeAccount>>) => {
    const byId = new Map(decks.map((deck) => [deck.id, deck]));
    const path = (id: string | null | undefined): string => {
      const found = byId.get(id ?? "");
      return found ? `${path(found["parent-id"])}/${found.name}` : "";
    };
    const names = new Map(templates.map(({ id, name }) => [id, name]));
    return cards
      .map((each) => ({
        deck: path(each["deck-id"]),
        template: names.get(each["template-id"] ?? ""),
        content: each.content,
        fields: Object.entries(each.fields ?? {})
          .map(([key, field]) => [key, field?.value])
          .filter(([, value]) => value !== "")
          .toSorted(),
        tags: [...(each.tags ?? [])].sort(),
        pos: each.pos,
        flags: [each["archived?"], each["review-reverse?"], each["trashed?"]],
        due: each.reviews?.at(-1)?.due,
      }))
      .map((each) => JSON.stringify(each))
      .toSorted();
  };

  test("comes back as it went, with templates, tags and due dates", async () => {
    await fc.assert(
      fc.asyncProperty(told, async (made) => {
        const [from, to] = [await emptyAccount(), await emptyAccount()];
        await fill(from, made);
        await fill(to, { ...made, decks: [], cards: [] });
        const file = join(temporaryFolder(), "export.csv");
        await exportFile(from, file, "csv");
        const templates = async () =>
          (await to.templates.all()).map(({ id, name, fields }) => ({
            id,
            name: name ?? "",
            fields: Object.entries(fields ?? {}).map(([key, each]) => ({ id: key, name: each?.name ?? key })),
          }));
        const { failures } = await importFile(to, file, { templates });
        expect(failures).toEqual([]);
        expect(cardsOf(await wholeAccount(to))).toEqual(cardsOf(await wholeAccount(from)));
      }),
      { numRuns: runs },
    );
  }, 300_000);
});

/** What the ids of an account stand for, the same in two accounts with the same collection. */
function idNames({ decks, templates, cards }: Awaited<ReturnType<typeof wholeAccount>>): Map<string, string> {
  const names = new Map<string, string>();
  const order = <T>(items: readonly T[], key: (item: T) => string) =>
    items.map((item) => [key(item), item] as const).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const decksById = new Map(decks.map((deck) => [deck.id, deck]));
  const path = (deckId: string | null | undefined): unknown => {
    const found = decksById.get(deckId ?? "");
    return found
      ? [path(found["parent-id"]), found.name, found.sort, { ...found, id: 0, "parent-id": 0 }]
      : null;
  };
  for (const [index, [, { id }]] of order(decks, (each) => JSON.stringify(path(each.id))).entries())
    names.set(id, `deck${index}`);
  for (const [index, [, { id }]] of order(templates, (each) => each.pos ?? "").entries())
    names.set(id, `template${index}`);
  for (const [index, [, { id }]] of order(cards, (each) => each.pos ?? "").entries())
    names.set(id, `card${index}`);
  return names;
}

/** Every file of a folder with its bytes, ids replaced by what they stand for, in names as well. */
function filesUnder(root: string, ids: ReadonlyMap<string, string>): Record<string, string> {
  // YAML quotes the rare id that looks like a number, 1e345678.
  const renamed = (value: string) =>
    value.replace(
      /("?)(?<![0-9A-Za-z])([0-9A-Za-z]{8})(?![0-9A-Za-z])\1/g,
      (whole, _quote, id) => ids.get(id) ?? whole,
    );
  const files: Record<string, string> = {};
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.parentPath.endsWith("/.deckhand")) continue;
    const path = join(entry.parentPath, entry.name);
    files[renamed(path.slice(root.length))] = renamed(readFileSync(path).toString("latin1"));
  }
  return Object.fromEntries(Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
