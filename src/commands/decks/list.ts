import { Command } from "commander";
import type { Context, StartContext } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import { listings } from "../../schema/resources.ts";
import { wholeNumber } from "../shared/options.ts";
import { printPages, sayNone } from "../shared/pages.ts";
import { whileCounting } from "../shared/progress.ts";
import { withDeckPaths } from "../shared/shown.ts";

interface ListOptions {
  readonly tree?: boolean;
  readonly limit?: number;
  readonly bookmark?: string;
}

export function listCommand(start: StartContext): Command {
  return new Command("list")
    .description("List all decks.")
    .option("--tree", "draw which deck is under which")
    .option("-l, --limit <n>", "how many decks in all", wholeNumber(1))
    .option("--bookmark <cursor>", "continue where an earlier list stopped")
    .addHelpText(
      "after",
      `
Examples:
  deckhand decks list --tree
  deckhand decks list -o json
  deckhand decks list --columns name,id -o csv`,
    )
    .action((options: ListOptions, command: Command) => listDecks(options, start(command)));
}

async function listDecks(options: ListOptions, context: Context): Promise<void> {
  if (options.tree) return drawTree(options, context);
  const { limit, bookmark } = options;
  const client = await context.client();
  const { listing, complete } = withDeckPaths(listings.decks, { id: "id", instead: ["name"] }, context);
  await printPages(client.decks.pages({ limit, bookmark }), listing, { limit, complete }, context);
}

async function drawTree(options: ListOptions, context: Context): Promise<void> {
  if (options.limit !== undefined || options.bookmark !== undefined)
    throw new UsageError("--tree draws all decks: it excludes --limit and --bookmark");
  const { output = "table" } = context.options;
  if (output !== "table") throw new UsageError(`--tree is a drawing: it excludes --output ${output}`);
  for (const name of ["columns", "jq"] as const)
    if (context.options[name] !== undefined)
      throw new UsageError(`--tree is a drawing: it excludes --${name}`);
  const names = await context.names();
  const decks = await whileCounting("Reading decks", context, (progress) => names.decks({ progress }));
  const [{ deckTree }, { loadStyle }] = await Promise.all([
    import("../../output/tree.ts"),
    import("../../output/style.ts"),
  ]);
  if (decks.length === 0) return sayNone("No decks found", context);
  const width = context.io.stdout.isTTY === true ? context.io.width : Number.POSITIVE_INFINITY;
  const lines = deckTree(decks, {
    width,
    unicode: context.io.unicode,
    style: await loadStyle(context.io.colour),
  });
  await context.io.write(lines.map((line) => `${line}\n`).join(""));
}
