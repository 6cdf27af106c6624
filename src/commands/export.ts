import { existsSync, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { Command, Option } from "commander";
import type { Context, StartContext } from "../context/context.ts";
import { DeckhandError, PartialError, UsageError } from "../errors.ts";
import { visible } from "../output/index.ts";
import type { ExportFormat, ExportSummary } from "../transfer/export/export.ts";
import { folderLoss } from "./shared/folder-loss.ts";
import { count } from "./shared/import-words.ts";
import { accountName } from "./shared/journal.ts";
import { deckFrom } from "./shared/names.ts";
import { whileCounting } from "./shared/progress.ts";

export interface ExportOptions {
  readonly deck?: string;
  readonly deckId?: string;
  readonly format?: ExportFormat;
}

export function exportCommand(start: StartContext): Command {
  return new Command("export")
    .description("Write the collection to a file, or to a folder of markdown.")
    .argument("<file|folder>", "its ending tells the format: .ndjson, .csv, .mochi; without one, a folder")
    .option("-d, --deck <deck>", "only this deck and those under it (id, name or path)")
    .option("--deck-id <id>", "the same by id")
    .addOption(
      new Option("--format <format>", "what to write").choices(["ndjson", "csv", "markdown", "mochi"]),
    )
    .addHelpText(
      "after",
      `
Examples:
  deckhand export backup.ndjson
  deckhand export spanish.mochi --deck Languages/Spanish
  deckhand export ~/geography --deck Geography`,
    )
    .action((path: string, options: ExportOptions, command: Command) =>
      exportTo(path, options, start(command)),
    );
}

export async function exportTo(name: string, options: ExportOptions, context: Context): Promise<void> {
  const { exportCollection, formatOf, isBegun } = await import("../transfer/export/export.ts");
  const target = replaceable(name);
  const format = options.format ?? formatOf(name);
  const deck = await deckFrom(options, context, { writing: false });
  const decks = deck === undefined ? undefined : await decksUnder(deck.id, context);
  if (context.options.dryRun)
    return context.io.note(
      `Would export ${deck === undefined ? "everything" : deck.label} to ${target} as ${format}`,
    );
  if (format !== "markdown" && existsSync(target))
    await context.io.confirm(`Replace ${target}?`, "nothing was exported");
  if (options.deckId !== undefined) await assertDeckOrCards(options.deckId, context);
  const loss = folderLoss(target, context);
  if (format === "markdown" && deck !== undefined && decks !== undefined)
    await loss.ofOtherDecks(deck, decks);
  const client = await context.client();
  const status = await context.io.status();
  const tasks = {
    decks: "Fetching decks",
    cards: "Fetching cards",
    attachments: "Fetching attachments",
    files: "Writing files",
  };
  let task = status.begin({ label: tasks.decks, unit: "items" });
  let part: keyof typeof tasks = "decks";
  try {
    const summary = await exportCollection({
      client,
      target,
      format,
      scope: JSON.stringify([accountName(context), deck?.id ?? null]),
      now: context.clock.now(),
      deck: deck?.id,
      decks,
      async confirm(found) {
        task.end();
        await loss.confirm(found);
      },
      attachmentList: await (await context.client()).service.has("attachment-list"),
      attachmentDownload: await (await context.client()).service.has("attachment-download"),
      progress(now, done) {
        context.signal.throwIfAborted();
        if (now !== part) {
          task.end();
          task = status.begin({ label: tasks[now], unit: "items" });
          part = now;
        }
        task.set(done);
      },
    });
    task.end();
    await tell(summary, target, format, context);
  } catch (error) {
    task.end();
    if (context.signal.aborted)
      context.io.note(isBegun(target) ? "Stopped. Run it again to go on from here" : "Stopped");
    throw error;
  } finally {
    task.end();
  }
}

/** Where it is written: the target of a link, so that the link stays. @throws UsageError for what is no file or folder */
function replaceable(name: string): string {
  if (name === "-")
    throw new UsageError("an export goes to a file or a folder, not to standard output", {
      hint: "`deckhand cards list -o ndjson` prints cards.",
    });
  if (!existsSync(name)) return name;
  const found = statSync(name);
  if (!found.isFile() && !found.isDirectory())
    throw new UsageError(`${name} is neither a file nor a folder: an export cannot take its place`);
  return realpathSync(name) === resolve(name) ? name : realpathSync(name);
}

/** The deck and those under it as they stand now: a backup must not lack what another program moved there. */
async function decksUnder(id: string, context: Context): Promise<ReadonlySet<string>> {
  const names = await context.names();
  return whileCounting("Reading decks", context, (progress) => names.subtree(id, { maxAge: 0, progress }));
}

/** An id with a typo would export nothing over what is there; cards of a deck that was deleted can be exported. */
async function assertDeckOrCards(id: string, context: Context): Promise<void> {
  const client = await context.client();
  try {
    await client.decks.get(id).send();
  } catch (error) {
    if (!(error instanceof DeckhandError) || error.code !== "not-found") throw error;
    if ((await client.cards.list({ "deck-id": id, limit: 1 }).send()).docs.length === 0) throw error;
  }
}

async function tell(
  summary: ExportSummary,
  target: string,
  format: ExportFormat,
  context: Context,
): Promise<void> {
  if (summary.resumed) context.io.note("Went on where an earlier export had stopped");
  for (const { card, fileName, why } of summary.missing)
    context.io.note(visible(`missing: attachment ${fileName} of card ${card}: ${why}`));
  const lost = `${count(summary.failed, "attachment")} could not be fetched`;
  if (summary.kept)
    throw new PartialError(`${lost}: ${target} was left as it is, since it may be the last that has them`, {
      hint: "For an export without them give another name, or move that file away.",
    });
  if (summary.leftOut > 0)
    context.io.note(
      `${format} has no room for attachments (${summary.leftOut}) and the settings of decks; ndjson and mochi keep all`,
    );
  const { decks, templates, cards, attachments } = summary;
  if (
    context.print.format === "json" ||
    context.print.format === "ndjson" ||
    context.options.jq !== undefined
  )
    await context.print.value({
      file: target,
      format,
      decks,
      templates,
      cards,
      attachments,
      missing: summary.missing,
    });
  const exported = [count(cards, "card"), count(decks, "deck")].join(", ");
  context.io.say(`Exported ${exported} and ${count(attachments, "attachment")} to ${target}`);
  if (summary.failed > 0) throw new PartialError(`${lost}; all else is in ${target}`);
}
