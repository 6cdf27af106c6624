import { mkdirSync } from "node:fs";
import { Readable } from "node:stream";
import sharp from "sharp";
import type { Client } from "../../src/client/index.ts";
import { withCollection } from "../support/collection.ts";

const DAY = 86_400_000;

/** A card as they are: some text, emphasis, a list, a picture, now and then a table. */
const content = (index: number) =>
  `[${index}] What is the capital of **country ${index}**, and on which river does it lie?\n\n![](@media/map.png)\n\n- a hint: \`hint ${index}\`\n- another *hint*\n---\nThe capital is ==city ${index}==, on the river ${index}.${
    index % 5 === 0 ? "\n\n| city | people |\n|---|---:|\n| one | 1,000 |\n| other | 2,000 |" : ""
  }`;

/**
 * A local collection in which so many cards are due, each with a picture: every other card is new, the others were
 * forgotten once and remembered once. Only these, which are asked first, have the file of their picture.
 *
 * @param data the folder of the collection
 */
export async function makeDueCards(data: string, count: number): Promise<void> {
  mkdirSync(data, { recursive: true });
  await withCollection(data, async (client) => {
    const { id: deck } = await client.decks.create({ name: "Geography" });
    for (let index = 0; index < count; index++) await makeCard(client, deck, index);
  });
}

async function makeCard(client: Client, deck: string, index: number): Promise<void> {
  const { id } = await client.cards.create({ content: content(index), "deck-id": deck });
  if (index % 2 === 1) return;
  await addPicture(client, id, index);
  for (const [days, remembered] of [
    [40, false],
    [30, true],
  ] as const) {
    const date = new Date(Date.now() - days * DAY + index).toISOString();
    await client.reviews.create(id, { date, "remembered?": remembered, duration: 4 });
  }
}

async function addPicture(client: Client, id: string, index: number): Promise<void> {
  const bytes = await picture(index);
  const source = async () => ({ stream: Readable.from([bytes]), size: bytes.length });
  await client.attachments.add(id, { fileName: "map.png", source });
}

/** Drawn at the beginning: what differs between cards are a few bytes behind the end of the image. */
const map = sharp({ create: { width: 640, height: 400, channels: 3, background: "#2a7f9e" } })
  .composite([
    {
      input: Buffer.from(
        '<svg width="640" height="400"><circle cx="320" cy="200" r="150" fill="#e0b040"/><path d="M0 400 L300 120 L640 380 Z" fill="#3a7"/></svg>',
      ),
    },
  ])
  .png()
  .toBuffer();

async function picture(index: number): Promise<Buffer> {
  return Buffer.concat([await map, Buffer.from(`${index}`)]);
}
