import type { Readable } from "node:stream";
import type { Client } from "../../client/index.ts";
import type { Context } from "../../context/context.ts";
import { capitalTemplate, cards, decks, type SampleCard } from "./collection.ts";

const day = 86_400_000;

/** Creates the sample collection through the client, as a user's own would be. */
export async function makeSample(context: Context): Promise<void> {
  const client = await context.client();
  const ids = new Map<string, string>();
  for (const { name, under, sort } of decks) {
    const parent = under === undefined ? undefined : ids.get(under);
    const deck = await client.decks
      .create({ name, sort, ...(parent === undefined ? {} : { "parent-id": parent }) })
      .send();
    ids.set(name, deck.id);
  }
  const template = await client.templates.create(capitalTemplate).send();
  for (const card of cards)
    await makeCard(card, { deck: ids.get(card.deck) ?? "", template: template.id }, client, context);
}

async function makeCard(
  card: SampleCard,
  ids: { readonly deck: string; readonly template: string },
  client: Client,
  context: Context,
): Promise<void> {
  const { fields } = card;
  const { id } = await client.cards
    .create({
      content: card.content ?? "",
      "deck-id": ids.deck,
      ...(fields === undefined ? {} : { "template-id": ids.template, fields: valuesOf(fields) }),
      ...(card.tags === undefined ? {} : { "manual-tags": card.tags }),
      ...(card.reverse === undefined ? {} : { "review-reverse?": card.reverse }),
    })
    .send();
  if (card.drawing !== undefined) await attach(id, card.drawing, client);
  for (const [daysAgo, remembered] of card.reviews ?? []) {
    const date = new Date(context.clock.now() - daysAgo * day).toJSON();
    await client.reviews.create(id, { date, "remembered?": remembered, duration: 4 }).send();
  }
}

const valuesOf = (fields: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(fields).map(([id, value]) => [id, { id, value }]));

async function attach(card: string, drawing: NonNullable<SampleCard["drawing"]>, client: Client) {
  const { Readable } = await import("node:stream");
  const bytes = Buffer.from(drawing.text);
  const source = async (): Promise<{ stream: Readable; size: number }> => ({
    stream: Readable.from([bytes]),
    size: bytes.length,
  });
  await client.attachments.add(card, { fileName: drawing.name, source }).send();
}
