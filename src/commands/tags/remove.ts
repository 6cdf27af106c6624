import { Command } from "commander";
import type { Context, StartContext } from "../../context/context.ts";
import { tagsFrom } from "../cards/card-options.ts";
import type { EachOptions } from "../shared/items.ts";
import { changeTags } from "./cards.ts";

export function removeCommand(start: StartContext): Command {
  return new Command("remove")
    .description("Remove tags from every card that has them. A tag in the content of a card stays.")
    .argument("<tag...>", "the tags")
    .option("--fail-fast", "stop at the first card that fails")
    .addHelpText(
      "after",
      `
Examples:
  deckhand tags remove europe
  deckhand tags remove europe capital --dry-run`,
    )
    .action((tags: string[], options: EachOptions, command: Command) =>
      removeTags(tags, options, start(command)),
    );
}

async function removeTags(given: readonly string[], options: EachOptions, context: Context): Promise<void> {
  const old = new Set(tagsFrom(given));
  const change = (tags: readonly string[]) => tags.filter((tag) => !old.has(tag));
  await changeTags({ old, change }, options, context);
}
