import { existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { UsageError } from "../../errors.ts";
import { FileSink } from "../write/sink.ts";
import { type CollectOptions, collect } from "./collect.ts";
import { Spool } from "./spool.ts";

export const exportFormats = ["ndjson", "csv", "markdown", "mochi"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface ExportOptions extends Omit<CollectOptions, "spool"> {
  readonly target: string;
  readonly format: ExportFormat;
  /** What is exported, from where: an export of the same that was stopped goes on. */
  readonly scope: string;
}

export interface ExportSummary {
  readonly decks: number;
  readonly templates: number;
  readonly cards: number;
  readonly attachments: number;
  /** Files that the service would not give. */
  readonly missing: readonly { readonly card: string; readonly fileName: string; readonly why: string }[];
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

/**
 * Fetches all, and only then writes the target, in one step: whoever looks at it sees the old one or the new one. A folder
 * that is there already is changed file by file, after everything is there.
 */
export async function exportCollection(options: ExportOptions): Promise<ExportSummary> {
  const target = resolve(options.target);
  mkdirSync(dirname(target), { recursive: true });
  if (options.format === "markdown" && existsSync(target)) {
    if (!statSync(target).isDirectory())
      throw new UsageError(`${options.target} is a file; markdown is a folder`);
    const { assertOurs } = await import("../write/markdown.ts");
    await assertOurs(target);
  } else if (existsSync(target) && statSync(target).isDirectory())
    throw new UsageError(`${options.target} is a folder; ${options.format} is a file`);
  const spool = new Spool(spoolFolder(target), options.scope);
  const resumed = spool.resumed;
  try {
    await collect({ ...options, spool });
    await write(options.format, spool, target);
    const summary = { ...(await summaryOf(spool)), resumed };
    spool.remove();
    return summary;
  } catch (error) {
    spool.close();
    throw error;
  }
}

async function write(format: ExportFormat, spool: Spool, target: string): Promise<void> {
  const fresh = join(spool.folder, "new");
  if (format === "markdown") {
    const { replaceFolder, writeMarkdown } = await import("../write/markdown.ts");
    const { rm } = await import("node:fs/promises");
    await rm(fresh, { recursive: true, force: true });
    mkdirSync(fresh);
    await writeMarkdown(spool, fresh);
    await replaceFolder(fresh, target);
    return;
  }
  const sink = await FileSink.create(fresh);
  try {
    if (format === "ndjson") await (await import("../write/ndjson.ts")).writeNdjson(spool, sink);
    else if (format === "csv") await (await import("../write/csv.ts")).writeCsv(spool, sink);
    else await (await import("../write/mochi.ts")).writeMochi(spool, sink);
  } catch (error) {
    await sink.abandon();
    throw error;
  }
  await sink.close();
  renameSync(fresh, target);
}

async function summaryOf(spool: Spool): Promise<Omit<ExportSummary, "resumed">> {
  const missing: { card: string; fileName: string; why: string }[] = [];
  for await (const file of spool.attachments())
    if (file.missing !== undefined)
      missing.push({ card: file["card-id"], fileName: file["file-name"], why: file.missing });
  return {
    decks: spool.progress("decks").count,
    templates: spool.progress("templates").count,
    cards: spool.progress("cards").count,
    attachments: spool.progress("attachments").count - missing.length,
    missing,
  };
}
