import { rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { apply, type Operation } from "../client/apply/index.ts";
import type { Context, World } from "../context/context.ts";
import type { ClosableContext } from "../context/start.ts";
import { makeTemporaryFolder } from "../files/temporary.ts";
import { type CardCreate, type DeckCreate, newId, type TemplateCreate } from "../schema/index.ts";
import sample from "./demo/sample.json";
import { listDue } from "./due/list.ts";
import { command, declare } from "./shared/command.ts";

export const demoCommand = command(
  () =>
    declare(`Review a sample collection on a temporary local service. Without a terminal, print what is due in it.

Nothing of yours is read or changed.

  deckhand demo
  deckhand demo -o json`),
  demo,
);

export async function demo(_options: object, context: Context): Promise<void> {
  const folder = await makeTemporaryFolder("deckhand-demo-");
  try {
    const inside = await contextIn(folder, context);
    try {
      await makeSample(inside);
      const { columns, jq } = context.options;
      const shaped = context.print.format ?? columns ?? jq;
      if (shaped === undefined && context.io.stdout.isTTY && context.io.stdin.isTTY) await review(inside);
      else await listDue(undefined, { recursive: true }, inside);
    } finally {
      await inside.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
  context.io.note("That was a sample, and it is deleted. Your own first card:");
  // A line of its own: a break between the quotes would be copied into the card.
  context.io.note('deckhand add "Capital of Norway?" Oslo --deck Geography --create-deck');
}

async function review(context: Context): Promise<void> {
  const { runReview } = await import("./due/session.ts");
  await runReview({ recursive: true, order: "deck", new: "all" }, context);
}

/** The same command line, but with everything kept in the folder, and nothing of the user's accounts. */
async function contextIn(folder: string, context: Context): Promise<ClosableContext> {
  const { createContext } = await import("../context/start.ts");
  const { transport: _transport, ...world } = context.world;
  const { DECKHAND_BASE_URL: _url, DECKHAND_API_KEY: _key, ...env } = world.env;
  const own: World = { ...world, env: { ...env, DECKHAND_HOME: folder, DECKHAND_PROFILE: "local" } };
  const { profile: _profile, baseUrl: _baseUrl, dryRun: _dryRun, ...options } = context.options;
  const output = context.print.format ?? (options.jq === undefined ? "table" : "json");
  return createContext(own, { ...options, output });
}

const day = 86_400_000;

/** Creates the sample collection. The file names decks and the template by names of its own, which stand for ids. */
async function makeSample(context: Context): Promise<void> {
  const { signal, clock } = context;
  async function* tasks() {
    for (const operation of operationsOf(clock.now())) yield { operation, tag: undefined };
  }
  for await (const { outcome } of apply(tasks(), { client: await context.client(), signal }))
    if (outcome.state === "refused") throw outcome.error;
}

function* operationsOf(now: number): Generator<Operation> {
  const ids = new Map<string, string>();
  const idOf = (name: string) => ids.get(name) ?? ids.set(name, newId()).get(name) ?? name;
  const named = <T>(body: object): T =>
    JSON.parse(JSON.stringify(body), (key, value) => (key.endsWith("-id") ? idOf(value) : value));
  for (const { id, body } of sample.decks)
    yield { kind: "decks.create", id: idOf(id), body: named<DeckCreate>(body) };
  yield { kind: "templates.create", id: idOf("template"), body: named<TemplateCreate>(sample.template) };
  for (const { body, reviews = [], picture } of sample.cards) {
    const id = newId();
    yield { kind: "cards.create", id, body: named<CardCreate>(body) };
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

function uploadOf({ name, text }: { readonly name: string; readonly text: string }) {
  const bytes = Buffer.from(text);
  return { fileName: name, source: async () => ({ stream: Readable.from([bytes]), size: bytes.length }) };
}
