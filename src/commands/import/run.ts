import { createWriteStream, realpathSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ReadStream } from "node:tty";
import type { Command } from "commander";
import type { Context, StartContext } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import { makeTemporaryFolder } from "../../files/temporary.ts";
import { visible } from "../../output/index.ts";
import { count } from "../../output/words.ts";
import type { Template } from "../../schema/index.ts";
import type { CsvTemplate } from "../../transfer/formats/csv/columns.ts";
import type { ImportPlan } from "../../transfer/import/plan.ts";
import type { ImportRecords } from "../../transfer/import/undo-record.ts";
import { cardsWithoutDeck } from "../../transfer/model.ts";
import { openRecord } from "../shared/account.ts";
import { templateFrom } from "../shared/names.ts";
import { declaredImport, type ImportOptions, refuseIdleOptions } from "./options.ts";
import type { ImportInput, Prepared } from "./prepare.ts";
import { openImports } from "./undo.ts";
import { completeSentence, planLines, questionOf, sampleLine, unreadFileLines } from "./words.ts";

export const runCommand = (start: StartContext): Command => {
  const command = declaredImport() as unknown as Command;
  return command.action(async (path: string, options: ImportOptions) => {
    if (options.follow !== true && options.maxArchive === undefined)
      return importCollection(path, options, command, start(command));
    const { importFollowed } = await import("../notes/follow.ts");
    await importFollowed(path, options, start(command));
  });
};

async function importCollection(name: string, options: ImportOptions, command: Command, context: Context) {
  const [{ openSource }, { Stage }] = await Promise.all([
    import("../../transfer/formats/open.ts"),
    import("../../transfer/import/stage.ts"),
  ]);
  const template = (await templateFrom(options, context))?.template;
  const opened: (() => unknown)[] = [];
  const closing = <T>(thing: T, close: (thing: T) => unknown): T => {
    opened.unshift(() => close(thing));
    return thing;
  };
  try {
    const input = name === "-" ? closing(await inputFile(context), ({ remove }) => remove()) : { path: name };
    const found = await openSource(input.path, {
      ...options,
      template: template && csvTemplateOf(template),
      templates: async () => (await (await context.client()).templates.all()).map(csvTemplateOf),
    });
    const source = closing(found, (each) => each.close());
    refuseIdleOptions(command, statSync(input.path).isDirectory() ? "folder" : source.format);
    const task = (await context.io.status()).begin({ label: "Reading", unit: "items" });
    const read = Stage.read(source, {
      progress: (cards) => task.set(cards),
      recordsReviews: async () => (await context.client()).service.has("reviews"),
    });
    const stage = closing(await read.finally(() => task.end()), (each) => each.close());
    const record = closing(await openRecord(context), (each) => each.close());
    const records = closing(await openImports(context), (each) => each.close());
    const origin = name === "-" ? "" : realpathSync(name);
    await importStage({ stage, record, name, origin }, records, options, context);
  } finally {
    for (const close of opened) await close();
  }
}

async function importStage(
  input: Omit<ImportInput, "resumed">,
  records: ImportRecords,
  options: ImportOptions,
  context: Context,
): Promise<void> {
  const [{ prepare }, { carryOut, reportIdle }] = await Promise.all([
    import("./prepare.ts"),
    import("./carry-out.ts"),
  ]);
  const { stage, name, origin } = input;
  const before = records.stopped(origin);
  if (options.duplicate && before !== undefined)
    throw new UsageError(
      `the last import of ${basename(name)} was stopped: what it imported would be doubled`,
      {
        hint: `Run it again without --duplicate to continue, or take it back: deckhand import undo ${before.id}`,
      },
    );
  const prepared = await prepare({ ...input, resumed: before !== undefined }, options, context);
  const { plan } = prepared;
  const cards = stage.value<number>("select count(*) from source");
  const isEmpty = cards + stage.source.decks.length + plan.templates === 0;
  const idle = !isEmpty && isIdle(prepared);
  const lines = linesOf(prepared, cards, idle, before !== undefined);
  if (context.options.dryRun) return await showPlan(plan, lines, context);
  for (const line of lines) context.io.note(visible(line));
  if (isEmpty) throw new UsageError(`${basename(name)}: there is nothing to import`);
  const undo = records.writer({ name, origin, at: context.clock.now() });
  if (idle) {
    undo.finish();
    return await reportIdle(prepared, context);
  }
  const asks = context.io.interactive && context.options.yes !== true && plan.updates > 0;
  if (options.ask || asks) await context.io.confirm(questionOf(plan), "nothing was imported");
  if (plan.updates > 0 && context.account().kind === "local") await backUpFirst(context);
  await carryOut(prepared, undo, context);
}

/** What is said before anything is done. @param cards how many the source has @param resumed whether a run was stopped */
function linesOf(prepared: Prepared, cards: number, idle: boolean, resumed: boolean): string[] {
  const { stage, plan, deck, deckless, toTrash } = prepared;
  const { source } = stage;
  if (idle && plan.there.same === cards) return [completeSentence(cards), ...unreadFileLines(plan)];
  return [
    ...planLines({ ...prepared, source }, deck?.label),
    ...(plan.sample === undefined ? [] : [sampleLine(plan.sample)]),
    ...(deckless > 0 ? [`Into the deck ${cardsWithoutDeck}: ${count(deckless, "card")}`] : []),
    ...[...toTrash].map(
      ([path, cards]) => `Into the deck ${path}, which is in the trash: ${count(cards, "card")}`,
    ),
    ...(source.notes ?? []),
    ...(deck !== undefined && deck.id === undefined ? [`The deck ${deck.label} is new`] : []),
    ...(resumed ? ["The last import of it was stopped; this one continues it"] : []),
  ];
}

/** Whether nothing is to be created, and no card of the account to be updated. */
function isIdle({ plan }: Prepared): boolean {
  const { decks, templates, cards, updates, attachments, otherAttachments, reviews } = plan;
  return decks + templates + cards + updates + attachments + otherAttachments + reviews === 0;
}

async function backUpFirst(context: Context): Promise<void> {
  const { backUpBefore } = await import("../backup/create.ts");
  const { placesOf } = await import("../backup/places.ts");
  const path = await backUpBefore("import", placesOf(undefined, context), context);
  if (path !== undefined) context.io.note(`A backup of the collection before the import: ${path}`);
}

/** What a dry run prints: sentences, or one object where JSON is wanted. */
async function showPlan(plan: ImportPlan, lines: readonly string[], context: Context): Promise<void> {
  if (context.print.json) {
    const { decks, templates, cards, updates, attachments, otherAttachments, reviews, there } = plan;
    const skipped = plan.skipped.map(({ failed, ...group }) => ({ ...group, ...(failed && { failed }) }));
    return context.print.value({
      ...{ decks, templates, cards, updates, attachments, "attachment-bytes": plan.attachmentBytes },
      ...{ "other-attachments": otherAttachments, reviews, skipped, there },
    });
  }
  for (const line of lines) await context.io.print(line);
}

function csvTemplateOf({ id, name, fields }: Template): CsvTemplate {
  const list = Object.entries(fields ?? {}).map(([key, field]) => ({ id: key, name: field?.name ?? key }));
  return { id, name: name ?? id, fields: list };
}

/** What comes on standard input, as a file: what a source is, is found out before it is read. */
async function inputFile(context: Context) {
  const folder = await makeTemporaryFolder("deckhand-import-");
  const path = join(folder, "standard input");
  try {
    await pipeline(terminalInput(context), createWriteStream(path, { mode: 0o600 }), {
      signal: context.signal,
    });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw context.signal.aborted ? context.signal.reason : error;
  }
  return { path, remove: () => rm(folder, { recursive: true, force: true }) };
}

/**
 * Standard input; on a terminal a second stream of it. Ctrl-D ends that one, so that the answer to the question that
 * follows can still be read from the first.
 */
function terminalInput({ io, world }: Context): Readable {
  if (io.stdin.isTTY !== true) return io.stdin;
  const end = world.platform === "win32" ? "Ctrl-Z and Enter" : "Ctrl-D";
  io.note(`Paste or type what to import, and end it with ${end} on a line of its own.`);
  return io.stdin.fd === undefined ? io.stdin : new ReadStream(io.stdin.fd);
}
