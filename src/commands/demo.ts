import { rm } from "node:fs/promises";
import type { Context, World } from "../context/context.ts";
import type { ClosableContext } from "../context/start.ts";
import { makeTemporaryFolder } from "../files/temporary.ts";
import { listDue } from "./due/list.ts";
import { command, declare } from "./shared/command.ts";

export const demoCommand = command(
  () =>
    declare(`Review a sample collection on a temporary local service. Without a terminal, print what is due in it.

Nothing of yours is read or changed.

Examples:
  deckhand demo
  deckhand demo -o json`),
  demo,
);

export async function demo(_options: object, context: Context): Promise<void> {
  const folder = await makeTemporaryFolder("deckhand-demo-");
  try {
    const inside = await contextIn(folder, context);
    try {
      const { makeSample } = await import("./demo/make.ts");
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
  await runReview(
    { deck: undefined, recursive: true, timestamp: undefined, order: "deck", new: "all", sample: true },
    context,
  );
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
