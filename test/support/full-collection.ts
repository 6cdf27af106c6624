import { join } from "node:path";
import { Readable } from "node:stream";
import { openApplication } from "../../src/service/app.ts";
import { using } from "../../src/service/backup/snapshot.ts";
import { makeCards, withCollection } from "./collection.ts";

/** What is attached to one of the first four cards. */
export const attachedText = (number: number) => `attachment ${number} `.repeat(200 * (number + 1));
const upload = (number: number) => ({
  fileName: "a.txt",
  source: async () => ({
    stream: Readable.from([Buffer.from(attachedText(number))]),
    size: attachedText(number).length,
  }),
});

/** Makes a collection with everything that the store has tables for, in one file. @returns the ids of the cards */
export async function fullCollection(data: string): Promise<string[]> {
  const ids = await withCollection(data, async (client) => {
    const parent = (await client.decks.create({ name: "Earth" })).id;
    const template = (await client.templates.create({ name: "T", content: "<< name >>", fields: {} })).id;
    const cards = await makeCards(
      client,
      Array.from({ length: 150 }, (_, at) => ({
        content: `Capital ${at} #tag\n---\n${"answer ".repeat(at % 40)}`,
        ...(at % 7 === 0 ? { "template-id": template } : {}),
        ...(at % 5 === 0 ? { "archived?": true } : {}),
      })),
    );
    for (const deck of (await client.decks.list({})).docs)
      if (deck.id !== parent) await client.decks.update(deck.id, { "parent-id": parent });
    for (const [at, id] of cards.entries()) {
      if (at < 4) await client.attachments.add(id, upload(at));
      for (let day = 0; day < at % 4; day++)
        await client.reviews.create(id, {
          date: `2026-10-0${day + 1}T10:00:00Z`,
          "remembered?": day !== 1,
          duration: 2.5,
        });
    }
    return cards;
  });
  const application = await openApplication({ folder: data, now: Date.now });
  await application.keys.add("anna");
  await application.setDays("anna", { timeZone: "Europe/Oslo" });
  await application.close();
  // Everything in the one file that the bits are in.
  using(join(data, "service/store.sqlite"), (database) =>
    database.exec("vacuum; pragma wal_checkpoint(truncate)"),
  );
  return ids;
}
