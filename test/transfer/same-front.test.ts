import { expect, test } from "vitest";
import { OriginRecord } from "../../src/client/apply/record.ts";
import { matchCards } from "../../src/transfer/import/match.ts";
import { Stage } from "../../src/transfer/import/stage.ts";
import type { Source, SourceCard } from "../../src/transfer/model.ts";
import { temporaryFolder } from "../support/folder.ts";
import { emptyAccount } from "./support.ts";

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
  ["have the same front and another back", ofOneFront, (n: number) => `Say it\n---\n${n}`, "differs", 400],
  ["are equal and outnumber those of the account", equal, equal, "new", 1000],
] as const)("cards that %s are each compared with few", async (_name, there, given, last, count) => {
  const client = await emptyAccount();
  const deck = await client.decks.create({ name: "Words" });
  for (let number = 0; number < 400; number++)
    await client.cards.create({ content: there(number), "deck-id": deck.id });
  const source = sourceOf(Array.from({ length: count }, (_, number) => given(number)));
  const stage = await Stage.read(source);
  let compared = 0;
  const all = stage.all.bind(stage);
  stage.all = (sql, ...values) => {
    const rows = all(sql, ...values);
    if (sql.includes("from there")) compared += rows.length;
    return rows as never;
  };
  const record = OriginRecord.open(`${temporaryFolder()}/origins.db`, "test");
  const settings = {
    client,
    record,
    origin: "",
    decks: new Map(),
    deck: deck.id,
    overwrite: false,
    progress: () => {},
  };
  await matchCards(stage, settings);
  const kinds = "select count(*) from source where kind = ?";
  expect(stage.value(kinds, last)).toBe(last === "new" ? 600 : count);
  expect(compared).toBeLessThan(15 * count);
  record.close();
  stage.close();
});
