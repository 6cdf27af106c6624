import { resolve } from "node:path";
import { type Client, createClient } from "../../src/client/index.ts";
import type { CardCreate, Transport } from "../../src/schema/index.ts";
import { openApplication } from "../../src/service/app.ts";
import { httpOver } from "./http.ts";

/** The built program. */
export const bin = resolve(process.env["DECKHAND_TEST_PROGRAM"] ?? "bin/deckhand.js");

/** Opens a local collection in this process, as the profile `local` does. */
export async function withCollection<T>(folder: string, work: (client: Client) => Promise<T>): Promise<T> {
  const application = await openApplication({ folder, now: Date.now });
  try {
    return await withTransport(application.as("default"), work);
  } finally {
    await application.close();
  }
}

/** Does something with a client over a transport. */
export function withTransport<T>(transport: Transport, work: (client: Client) => Promise<T>): Promise<T> {
  return work(createClient(httpOver(transport)));
}

/** Makes a deck with cards of these contents, in order; their ids. */
export async function makeCards(
  client: Client,
  contents: readonly (string | Omit<CardCreate, "deck-id">)[],
  deck = "Geography",
): Promise<string[]> {
  const { id } = await client.decks.create({ name: deck });
  const ids: string[] = [];
  for (const content of contents) {
    const body = typeof content === "string" ? { content } : content;
    ids.push((await client.cards.create({ ...body, "deck-id": id })).id);
  }
  return ids;
}
