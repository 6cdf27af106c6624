import { expect, test } from "vitest";
import { EarlierImports } from "../../src/transfer/import/earlier-imports.ts";
import { Inventory } from "../../src/transfer/import/inventory.ts";
import { KnownKeys } from "../../src/transfer/import/known.ts";
import { matchCards } from "../../src/transfer/import/match.ts";
import { Scratch, type ScratchMap } from "../../src/transfer/import/scratch.ts";
import type { Source, SourceCard } from "../../src/transfer/model.ts";
import { temporaryFolder } from "../support/folder.ts";
import { emptyAccount } from "./support.ts";

/** Counts how often a value is read. */
class CountingScratch extends Scratch {
  reads = 0;

  override map<V>(): ScratchMap<V> {
    const map = super.map<V>();
    const get = map.get.bind(map);
    map.get = (key) => {
      this.reads++;
      return get(key);
    };
    return map;
  }
}

const sourceOf = (contents: readonly string[]): Source => ({
  format: "csv",
  partial: true,
  decks: [],
  templates: [],
  async *cards(): AsyncGenerator<SourceCard> {
    for (const content of contents) yield { body: { content }, place: "" };
  },
  close: async () => {},
});

const equal = () => "Say it\n---\nIt";
const ofOneFront = (number: number) => `Say it\n---\nWord ${number}`;

test.each([
  ["are equal", equal, equal, "same", 400],
  ["have the same front", ofOneFront, ofOneFront, "same", 400],
  ["have the same front and another back", ofOneFront, (n: number) => `Say it\n---\n${n}`, "several", 400],
  ["are equal and outnumber those of the account", equal, equal, "several", 1000],
] as const)("cards that %s are each compared with few", async (_name, there, given, last, count) => {
  const client = await emptyAccount();
  const deck = await client.decks.create({ name: "Words" }).send();
  for (let number = 0; number < 400; number++)
    await client.cards.create({ content: there(number), "deck-id": deck.id }).send();
  const scratch = new CountingScratch();
  const known = await KnownKeys.open(`${temporaryFolder()}/known`, scratch);
  const inventory = await Inventory.read(client, undefined, scratch, () => {});
  scratch.reads = 0;
  const settings = {
    decks: new Map(),
    deck: deck.id,
    references: false,
    earlier: undefined,
    finished: new EarlierImports(scratch),
  };
  const source = sourceOf(Array.from({ length: count }, (_, number) => given(number)));
  const matches = await matchCards(source, { ...settings, inventory, scratch, known });
  expect(matches.size).toBe(count);
  expect(matches.counts[last]).toBe(last === "same" ? count : count === 400 ? 400 : 600);
  expect(scratch.reads).toBeLessThan(15 * count);
  scratch.close();
});
