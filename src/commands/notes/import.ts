import type { Context } from "../../context/context.ts";
import { PartialError, UsageError } from "../../errors.ts";
import { visible } from "../../output/index.ts";
import { count } from "../../output/words.ts";
import type { ImportOptions } from "../import/options.ts";
import { changes, follow, sentence } from "./follow.ts";

/** `import --follow`. @throws PartialError where something failed, or could not be read */
export async function importFollowed(path: string, options: ImportOptions, context: Context): Promise<void> {
  if (options.follow !== true) throw new UsageError("--max-archive goes with --follow only");
  if (path === "-") throw new UsageError("--follow goes with a folder or a file");
  const idle = (["deckId", "format", "template", "update", "overwrite", "duplicate"] as const).find(
    (name) => options[name] !== undefined,
  );
  if (idle !== undefined) throw new UsageError("--follow goes with --deck, --max-archive and --ask only");
  const max = options.maxArchive;
  if (max !== undefined && !/^\d{1,9}$/.test(max))
    throw new UsageError("--max-archive must be a whole number");
  const maxArchive = max === undefined ? undefined : Number(max);
  const done = await follow(path, { deck: options.deck, maxArchive, asks: options.ask === true }, context);
  for (const { place, what, why, failed } of done.skipped)
    if (!failed) context.io.note(visible(`left: ${place}: ${what}: ${why}`));
  const { skipped, files, deck } = done;
  if (context.print.json) await context.print.value({ files, deck, ...changes(done), failed: done.failed });
  else context.io.note(sentence(done));
  const failed = done.failed + skipped.filter((each) => each.failed).length;
  if (failed > 0) throw new PartialError(`${count(failed, "item")} failed`);
}
