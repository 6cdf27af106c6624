import { Command } from "commander";
import type { Context, StartContext } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import { tagsFrom } from "../cards/card-options.ts";
import type { EachOptions } from "../shared/items.ts";
import { changeTags } from "./cards.ts";

export function renameCommand(start: StartContext): Command {
  return new Command("rename")
    .description(
      "Rename a tag on every card that has it. A tag in the content of a card stays. On a terminal it asks where the new name exists already.",
    )
    .argument("<tag>", "the tag as it is")
    .argument("<name>", "its new name")
    .option("--fail-fast", "stop at the first card that fails")
    .addHelpText(
      "after",
      `
Examples:
  deckhand tags rename europe eu
  deckhand tags rename europe eu --dry-run`,
    )
    .action((tag: string, name: string, options: EachOptions, command: Command) =>
      renameTag(tag, name, options, start(command)),
    );
}

async function renameTag(from: string, to: string, options: EachOptions, context: Context): Promise<void> {
  const [tag = "", name = ""] = [...tagsFrom([from]), ...tagsFrom([to])];
  if (tag === name) throw new UsageError("the two names are the same");
  const change = (tags: readonly string[]) => tags.map((each) => (each === tag ? name : each));
  await changeTags({ old: new Set([tag]), into: name, change }, options, context);
}
