import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { emptyAccount } from "../collections/support.ts";

test("the list of all attachments gives every one once, over pages, in the order of cards and names", async () => {
  const client = await emptyAccount();
  const deck = await client.decks.create({ name: "D" }).send();
  const made: string[] = [];
  for (let card = 0; card < 3; card++) {
    const { id } = await client.cards.create({ content: `card ${card}`, "deck-id": deck.id }).send();
    for (let file = 0; file < 45; file++) {
      const source = async () => ({ stream: Readable.from([Buffer.from("x")]), size: 1 });
      await client.attachments.add(id, { fileName: `f${file}.txt`, replayable: true, source }).send();
      made.push(`${id}/f${file}.txt`);
    }
  }
  const pages: string[][] = [];
  for await (const page of client.attachments.all())
    pages.push(page.map((file) => `${file["card-id"]}/${file["file-name"]}`));
  expect(pages.map(({ length }) => length)).toEqual([100, 35]);
  expect(pages.flat()).toEqual(made.toSorted());
});
