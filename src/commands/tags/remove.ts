import type { Context } from "../../context/context.ts";
import { tagsFrom } from "../cards/card-options.ts";
import { command, declare } from "../shared/command.ts";
import type { EachOptions } from "../shared/items.ts";
import { changeTags } from "./cards.ts";

const declared = () =>
  declare(`Remove tags from every card that has them. A tag in the content of a card stays.

Examples:
  deckhand tags remove europe
  deckhand tags remove europe capital --dry-run`)
    .argument("<tag...>", "the tags")
    .option("--fail-fast", "stop at the first card that fails");

export const removeCommand = command(declared, removeTags);

async function removeTags(given: readonly string[], options: EachOptions, context: Context): Promise<void> {
  const old = new Set(tagsFrom(given));
  const change = (tags: readonly string[]) => tags.filter((tag) => !old.has(tag));
  await changeTags({ old, change }, options, context);
}
