import { createReadStream, existsSync, realpathSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Context } from "../context/context.ts";
import { PartialError, UsageError } from "../errors.ts";
import { systemCode } from "../files/errors.ts";
import { visible } from "../output/index.ts";
import { count } from "../output/words.ts";
import type { ExportOptions as ExportJob, ExportSummary } from "../transfer/export/export.ts";
import { type ExportFormat, exportFormats } from "../transfer/model.ts";
import { accountName } from "./shared/account.ts";
import { command, declare, type OptionsOf, option } from "./shared/command.ts";
import { decksUnder } from "./shared/lists.ts";
import { deckFrom } from "./shared/names.ts";

const declared = () =>
  declare(`Write the collection to a file, or to a folder of markdown.

Cards in the trash are exported, too; the result says how many. It also names what
Anki has no place for: in an .apkg, cards in the trash are suspended, and
references between cards are text. Files that an import reads back exactly are
.ndjson, .mochi and folders.

  deckhand export backup.ndjson
  deckhand export spanish.apkg --deck Languages/Spanish
  deckhand export ~/geography --deck Geography`)
    .argument("<file|folder>", "its ending is .ndjson, .csv, .mochi, .apkg or none: a folder; - is stdout")
    .option("-d, --deck <deck>", "only this deck and those under it (id, name or path)")
    .option("--deck-id <id>", "the deck by id, not looked up")
    .addOption(option("--format <format>", "what to write").choices(exportFormats));

type ExportOptions = OptionsOf<typeof declared>;

export const exportCommand = command(declared, async (name, options, context) => {
  const { formatOf, isFolder } = await import("../transfer/export/export.ts");
  if (name === "") throw new UsageError("the path is empty");
  const toOutput = name === "-";
  if (toOutput && (options.format === undefined || isFolder(options.format)))
    throw new UsageError("which format goes to standard output? Name one file format with --format", {
      hint: "For example: deckhand export - --format ndjson",
    });
  const target = toOutput ? "standard output" : replaceable(name);
  const format = options.format ?? formatOf(name);
  if (isFolder(format)) (await import("../transfer/formats/markdown/folder.ts")).assertNotSynced(target);
  const scope = await scopeOf(options, context);
  if (context.options.dryRun) {
    context.io.note(`Would export ${scope.label} to ${target} as ${format}`);
    return;
  }
  if (!toOutput && !isFolder(format) && existsSync(target))
    await context.io.confirm(`Replace ${target}?`, "nothing was exported");
  // One with a typo would export nothing over what is there.
  if (options.deckId !== undefined) await (await context.client()).decks.get(options.deckId);
  const job = { target, format, deck: scope.deck, decks: scope.decks };
  if (toOutput) return exportToOutput(job, context);
  await report(await carryOut(job, context), target, format, context);
});

/** Standard output gets the export when it is complete: what is half done must not be taken for a backup. */
async function exportToOutput(job: Job, context: Context): Promise<void> {
  const { makeTemporaryFolder } = await import("../files/temporary.ts");
  const folder = await makeTemporaryFolder("deckhand-export-");
  try {
    const target = join(folder, "export");
    const summary = await carryOut({ ...job, target }, context);
    for await (const part of createReadStream(target)) await context.io.write(part as Buffer);
    reportMissing(summary, job.format, context);
    if (summary.failed > 0) throw new PartialError(lostFiles(summary));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @returns with `label`, for people */
async function scopeOf(options: ExportOptions, context: Context) {
  const deck = await deckFrom(options, context);
  if (deck === undefined) return { label: "everything", deck: undefined, decks: undefined };
  // A backup must not lack what another program moved there.
  const now = { now: true };
  return { label: deck.label, deck: deck.id, decks: await decksUnder(deck.id, context, now) };
}

type Job = Pick<ExportJob, "target" | "format" | "deck" | "decks">;

async function carryOut(job: Job, context: Context): Promise<ExportSummary> {
  await context.print.checkFilter();
  const { exportCollection } = await import("../transfer/export/export.ts");
  const tasks = { decks: "Fetching decks", cards: "Fetching cards", attachments: "Fetching attachments" };
  const [client, status] = [await context.client(), await context.io.status()];
  let part: keyof typeof tasks = "decks";
  let task = status.begin({ label: tasks.decks, unit: "items" });
  try {
    return await exportCollection({
      ...job,
      client,
      account: accountName(context),
      attachmentList: await client.service.has("attachment-list"),
      attachmentDownload: await client.service.has("attachment-download"),
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
  } finally {
    task.end();
  }
}

/** Not created: its name may be mistyped. What else is wrong with the path is reported where it is written. */
function assertFolder(name: string): void {
  const folder = dirname(name);
  try {
    statSync(folder);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") return;
    throw new UsageError(`${name}: there is no folder ${folder}`, {
      hint: "Create it first, or correct the path.",
    });
  }
}

/**
 * The path that an export or a report replaces or creates. For a symbolic link it is the target, so that the link remains.
 *
 * @throws UsageError if the path is neither a file nor a folder, or if the folder that it is in does not exist
 */
export function replaceable(name: string): string {
  if (!existsSync(name)) {
    assertFolder(name);
    return name;
  }
  const found = statSync(name);
  if (!found.isFile() && !found.isDirectory())
    throw new UsageError(`${name} is neither a file nor a folder: nothing can take its place`);
  return realpathSync(name) === resolve(name) ? name : realpathSync(name);
}

async function report(summary: ExportSummary, target: string, format: ExportFormat, context: Context) {
  reportMissing(summary, format, context);
  if (summary.kept)
    throw new PartialError(
      `${lostFiles(summary)}: ${target} was left as it is, since it may be the last that has them`,
      { hint: "For an export without them give another name, or move that file away." },
    );
  if (summary.setAside.length > 0)
    context.io.note(
      `${count(summary.setAside.length, "file")} edited since the last export: moved to ${join(target, ".deckhand", "trash")}`,
    );
  const { decks, templates, cards, trashed, attachments, missing } = summary;
  if (context.print.json)
    await context.print.value({
      ...{ file: target, format, decks, templates, cards, trashed, attachments, missing },
      "in-another-form": [...summary.adapted].map(([each, count]) => ({ ...each, count })),
      "left-out": [...summary.leftOut].map(([what, count]) => ({ what, count })),
    });
  const inTrash = trashed > 0 ? ` (${trashed} of them in the trash)` : "";
  const exported = [`${count(cards, "card")}${inTrash}`, count(decks, "deck")].join(", ");
  context.io.say(`Exported ${exported} and ${count(attachments, "attachment")} to ${target}`);
  if (summary.failed > 0) throw new PartialError(`${lostFiles(summary)}; all else is in ${target}`);
}

/** More is a matter for -o json. */
const missingShown = 20;

function reportMissing(summary: ExportSummary, format: ExportFormat, context: Context): void {
  for (const { card, fileName, why } of summary.missing.slice(0, missingShown))
    context.io.note(visible(`missing: attachment ${fileName} of card ${card}: ${why}`));
  if (summary.missing.length > missingShown)
    context.io.note(`missing: ${count(summary.missing.length - missingShown, "attachment")} more`);
  for (const [{ what, how }, number] of summary.adapted)
    context.io.note(`in another form: ${number} × ${what}: ${how}`);
  if (summary.leftOut.size === 0) return;
  const left = [...summary.leftOut].map(([what, number]) => `${what} (${number})`);
  context.io.note(
    `${format} has no room for ${left.join(", ")} and the settings of decks; ndjson and mochi keep all`,
  );
}

const lostFiles = ({ failed }: ExportSummary) => `${count(failed, "attachment")} could not be fetched`;
