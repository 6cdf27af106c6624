import { Readable } from "node:stream";
import { apply, type Operation, type Task } from "../../client/apply/index.ts";
import type { Context } from "../../context/context.ts";
import { newId, type TemplateCreate } from "../../schema/index.ts";
import sample from "./sample.json";

const day = 86_400_000;

/** Creates the sample collection. The file names decks and the template by names of its own, which stand for ids. */
export async function makeSample(context: Context): Promise<void> {
  const { signal, clock } = context;
  const target = { client: await context.client(), signal };
  for await (const { outcome } of apply(sampleTasks(clock.now()), target))
    if (outcome.state === "refused") throw outcome.error;
}

async function* sampleTasks(now: number): AsyncGenerator<Task<undefined>> {
  for (const operation of operationsOf(now)) yield { operation, tag: undefined };
}

function* operationsOf(now: number): Generator<Operation> {
  const ids = new Map<string, string>();
  const idOf = (name: string) => ids.get(name) ?? ids.set(name, newId()).get(name) ?? name;
  for (const { id, body } of sample.decks) {
    const parent = body["parent-id"];
    const under = parent === undefined ? {} : { "parent-id": idOf(parent) };
    yield { kind: "decks.create", id: idOf(id), body: { ...body, ...under } };
  }
  yield { kind: "templates.create", id: idOf("template"), body: sample.template as TemplateCreate };
  for (const { body, reviews = [], picture } of sample.cards) {
    const id = newId();
    const template = body["template-id"];
    const places = {
      "deck-id": idOf(body["deck-id"]),
      ...(template === undefined ? {} : { "template-id": idOf(template) }),
    };
    const { fields: _, ...rest } = body;
    const values = body.fields === undefined ? {} : { fields: fieldsOf(body.fields) };
    yield { kind: "cards.create", id, body: { ...rest, ...values, ...places } };
    if (reviews.length > 0)
      yield {
        kind: "reviews.add",
        id,
        reviews: reviews.map(({ daysAgo, remembered }) => ({
          ...{ date: new Date(now - daysAgo * day).toJSON(), "remembered?": remembered, duration: 4 },
        })),
      };
    if (picture !== undefined) yield { kind: "attachments.add", id, file: uploadOf(picture) };
  }
}

type Values = Readonly<Record<string, { readonly id: string; readonly value: string } | undefined>>;

/** Without the fields that only other cards have: the type of the file names them all. */
const fieldsOf = (fields: Values) =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([id, field]) => (field === undefined ? [] : [[id, field]])),
  );

function uploadOf({ name, text }: { readonly name: string; readonly text: string }) {
  const bytes = Buffer.from(text);
  return { fileName: name, source: async () => ({ stream: Readable.from([bytes]), size: bytes.length }) };
}
