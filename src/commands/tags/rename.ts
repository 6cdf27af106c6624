import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import { tagsFrom } from "../cards/card-options.ts";
import { command, declare } from "../shared/command.ts";
import type { EachOptions } from "../shared/items.ts";
import { changeTags } from "./cards.ts";

const declared = () =>
  declare(`Rename a tag on every card that has it. A tag in the content of a card stays. On a terminal it asks where the new name exists already.

Examples:
  deckhand tags rename europe eu
  deckhand tags rename europe eu --dry-run`)
    .argument("<tag>", "the tag as it is")
    .argument("<name>", "its new name")
    .option("--fail-fast", "stop at the first card that fails");

export const renameCommand = command(declared, renameTag);

async function renameTag(from: string, to: string, options: EachOptions, context: Context): Promise<void> {
  const [tag = "", name = ""] = [...tagsFrom([from]), ...tagsFrom([to])];
  if (tag === name) throw new UsageError("the two names are the same");
  const change = (tags: readonly string[]) => tags.map((each) => (each === tag ? name : each));
  await changeTags({ old: new Set([tag]), into: name, change }, options, context);
}
