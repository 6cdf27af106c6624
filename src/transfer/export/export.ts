import { existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { UsageError } from "../../errors.ts";
import { fileProblem, isFileError } from "../../files/errors.ts";
import { type Held, LockBusy, LockUnusable, takeLock } from "../../files/lock.ts";
import type { Form, FormSource } from "../formats/form.ts";
import { broken } from "../place.ts";
import { type CollectOptions, collectCards, collectDecks } from "./collect.ts";
import type { Exported, Loss } from "./lost-files.ts";
import { Spool } from "./spool.ts";

export const exportFormats = ["ndjson", "csv", "markdown", "mochi"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface ExportOptions extends Omit<CollectOptions, "spool" | "form"> {
  readonly target: string;
  readonly format: ExportFormat;
  /** What is exported, from where: an export of the same that was stopped goes on. */
  readonly scope: string;
  /** The id of the deck that was asked for: that above all `decks`. */
  readonly deck: string | undefined;
  /** Asked before a folder that was an export of something else loses files by this one; throws to leave it as it is. */
  confirm(loss: Loss): Promise<void>;
  /** Epoch milliseconds: what an export that was stopped had fetched too long ago is fetched anew. */
  readonly now: number;
}

export interface ExportSummary {
  readonly decks: number;
  readonly templates: number;
  readonly cards: number;
  readonly attachments: number;
  /** Files that the service would not give. */
  readonly missing: readonly { readonly card: string; readonly fileName: string; readonly why: string }[];
  /** How many of them the service failed to give. */
  readonly failed: number;
  /** Whether the file that was there is kept for them: it may be the last that has them. */
  readonly kept: boolean;
  /** Files that the format does not hold. */
  readonly leftOut: number;
  readonly resumed: boolean;
}

/** The format that the name of a target stands for; a name without a known ending is a folder of markdown. */
export function formatOf(target: string): ExportFormat {
  switch (extname(target).toLowerCase()) {
    case ".ndjson":
    case ".jsonl":
      return "ndjson";
    case ".csv":
      return "csv";
    case ".mochi":
    case ".zip":
      return "mochi";
    case "":
      return "markdown";
    default:
      if (existsSync(target) && statSync(target).isDirectory()) return "markdown";
      throw new UsageError(`${basename(target)}: which format? Its ending tells none`, {
        hint: `Name one with --format: ${exportFormats.join(", ")}.`,
      });
  }
}

/** Where what was fetched so far is kept. */
export const spoolFolder = (target: string): string =>
  join(dirname(resolve(target)), `.${basename(resolve(target))}.part`);

/** Counts the ways in which cards were ever spooled: what another program spooled is fetched again. */
const spoolVersion = 2;

/**
 * Fetches all, and only then writes the target, in one step: whoever looks at it sees the old one or the new one. A folder
 * that is there already is changed file by file, after everything is there.
 */
export async function exportCollection(options: ExportOptions): Promise<ExportSummary> {
  try {
    return await exportTo(options);
  } catch (error) {
    if (!isFileError(error)) throw error;
    throw broken(options.target, `it can't be written: ${fileProblem(error)}`, againHint(options), error);
  }
}

async function lockSpool(target: string): Promise<Held> {
  try {
    return await takeLock(spoolFolder(target), { ifFree: true });
  } catch (error) {
    if (error instanceof LockBusy)
      throw broken(target, `another process (${error.pid}) is using it for an export`, undefined, error);
    if (error instanceof LockUnusable) throw error.cause;
    throw error;
  }
}

const againHint = ({ target }: ExportOptions) =>
  isBegun(target) ? "Run it again: it goes on where it stopped." : undefined;

/** Whether an export to that target stopped with something fetched, and would go on from there. */
export const isBegun = (target: string): boolean => existsSync(spoolFolder(target));

async function exportTo(options: ExportOptions): Promise<ExportSummary> {
  const target = resolve(options.target);
  mkdirSync(dirname(target), { recursive: true });
  if (options.format === "markdown" && existsSync(target)) {
    if (!statSync(target).isDirectory())
      throw new UsageError(`${options.target} is a file; markdown is a folder`);
    const { assertOurs } = await import("./replace-folder.ts");
    await assertOurs(target);
  } else if (existsSync(target) && statSync(target).isDirectory())
    throw new UsageError(`${options.target} is a folder; ${options.format} is a file`);
  // The decks in their order: how far an export has come is a place in it.
  const decks = options.decks === undefined ? null : [...options.decks];
  const scope = JSON.stringify([spoolVersion, options.format, options.scope, decks]);
  const spool = new Spool(spoolFolder(target), scope, options.now, await lockSpool(target));
  const resumed = spool.isBegun;
  try {
    const fresh = join(spool.folder, "new");
    await collectDecks({ ...options, spool });
    const form = await openForm(options.format, { ...options, spool, path: fresh });
    await collectCards({ ...options, spool, form });
    const summary = await summaryOf(spool);
    const kept = summary.failed > 0 && isFilled(target);
    if (!kept) {
      await form.write(options.progress);
      await putInPlace(fresh, target, spool, options);
    }
    spool.remove();
    return { ...summary, resumed, kept };
  } catch (error) {
    if (spool.isBegun) spool.close();
    else spool.remove();
    throw error;
  }
}

/** Whether a file is there with something in it. Of a folder only what could not be fetched stays, file by file. */
function isFilled(target: string): boolean {
  const found = statSync(target, { throwIfNoEntry: false });
  return found !== undefined && !found.isDirectory() && found.size > 0;
}

async function putInPlace(
  fresh: string,
  target: string,
  spool: Spool,
  options: ExportOptions,
): Promise<void> {
  if (options.format !== "markdown") return renameSync(fresh, target);
  const { replaceFolder } = await import("./replace-folder.ts");
  await replaceFolder(fresh, target, () => exportedOf(spool), options.confirm);
}

async function openForm(format: ExportFormat, source: FormSource): Promise<Form> {
  switch (format) {
    case "ndjson":
      return (await import("../formats/ndjson/write.ts")).ndjson(source);
    case "csv":
      return (await import("../formats/csv/write.ts")).csv(source);
    case "mochi":
      return (await import("../formats/mochi/write.ts")).mochi(source);
    case "markdown":
      return (await import("../formats/markdown/write.ts")).markdown(source);
  }
}

function exportedOf(spool: Spool): Exported {
  const others = [...spool.decks(), ...spool.templates()].map(({ id }) => id);
  return { cards: spool.ids, others: new Set(others) };
}

async function summaryOf(spool: Spool): Promise<Omit<ExportSummary, "resumed" | "kept">> {
  const missing: { card: string; fileName: string; why: string }[] = [];
  let [attachments, failures] = [0, 0];
  for await (const { file, missing: why, failed, ...listed } of spool.attachments()) {
    if (why !== undefined) missing.push({ card: listed["card-id"], fileName: listed["file-name"], why });
    else if (file !== undefined) attachments++;
    if (failed) failures++;
  }
  return {
    decks: spool.progress("decks").count,
    templates: spool.progress("templates").count,
    cards: spool.progress("cards").count,
    attachments,
    missing,
    failed: failures,
    leftOut: spool.progress("attachments").count - attachments - missing.length,
  };
}
