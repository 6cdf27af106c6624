import { DeckhandError, InterruptedError, SilentError, UsageError } from "../errors.ts";
import { jsonText, visible } from "./sanitize.ts";
import { ClosedOutputError } from "./stream.ts";
import { wrapWords } from "./words.ts";

interface ReportSettings {
  /** Errors are JSON with `json` and `ndjson`. */
  readonly format: string | undefined;
  /** Whether stack traces are wanted (`DECKHAND_DEBUG=1`). */
  readonly debug?: boolean;
  /** Columns of the terminal; undefined where lines are not wrapped. */
  readonly width?: number | undefined;
  /** Takes the lines; must not fail. */
  write(text: string): void;
}

/**
 * Reports an error on stderr (docs/design/cli.md, Exit codes): a line that says what failed and why, and a second that
 * says what to do, if that helps; or one JSON object on one line.
 *
 * @returns its exit code
 */
export function reportError(error: unknown, settings: ReportSettings): number {
  if (error instanceof ClosedOutputError) return 0;
  if (error instanceof InterruptedError || error instanceof SilentError) return error.exitCode;
  const failed = error instanceof DeckhandError ? error : unforeseen(error);
  const reported = isDiskFull(error) ? withFreeSpace(failed) : failed;
  const json = settings.format === "json" || settings.format === "ndjson";
  const lines = json ? [errorJson(reported)] : errorLines(reported, settings.width);
  if (settings.debug) lines.push(...stackLines(error));
  settings.write(lines.map((line) => `${line}\n`).join(""));
  return failed.exitCode;
}

/** The error as lines for people. */
function errorLines(error: DeckhandError, width: number | undefined): string[] {
  const lines = [`deckhand: ${oneLine(error.message)}`];
  if (error.hint !== undefined) lines.push(oneLine(error.hint));
  return width === undefined ? lines : lines.map((line) => wrapWords(line, width));
}

/** The error as one JSON object on one line. */
function errorJson(error: DeckhandError): string {
  const { code, status, message, hint, fields, request, id } = error;
  const asked = request && { method: request.method, path: request.path };
  return jsonText({ error: { code, status, message, hint, fields, request: asked, id } });
}

function unforeseen(error: unknown): DeckhandError {
  const message = error instanceof Error ? error.message : String(error);
  // Relative paths start there.
  if ((error as { syscall?: unknown } | null)?.syscall === "uv_cwd")
    return new UsageError("the current folder was deleted", {
      hint: "Change to another folder.",
      cause: error,
    });
  if (isDiskFull(error)) return new DeckhandError("internal", message, { cause: error });
  return new DeckhandError("internal", `a fault in deckhand: ${message}`, {
    hint: "Please report it with the output of DECKHAND_DEBUG=1.",
    cause: error,
  });
}

/** SQLITE_FULL, and SQLITE_IOERR_SHMSIZE: there is no space for the memory that its processes share. */
const fullStore: readonly unknown[] = [13, 4874];

/** Whether the cause is a full disk, as the system or SQLite says. */
function isDiskFull(error: unknown): boolean {
  return causes(error).some((each) => {
    const { code, errcode } = each as { code?: unknown; errcode?: unknown };
    return code === "ENOSPC" || code === "EDQUOT" || fullStore.includes(errcode);
  });
}

/** The error and what it was caused by, five in all at most. */
function causes(error: unknown): Error[] {
  const all: Error[] = [];
  for (let each = error; each instanceof Error && all.length < 5; each = each.cause) all.push(each);
  return all;
}

function withFreeSpace(error: DeckhandError): DeckhandError {
  const hint = `Free space on the disk.${error.hint === undefined ? "" : ` ${error.hint}`}`;
  return error.with({ hint });
}

const stackLines = (error: unknown): string[] =>
  causes(error).flatMap((each) => visible(each.stack ?? String(each)).split("\n"));

const oneLine = (text: string) =>
  visible(
    text
      .split(/[\r\n\u2028\u2029]/)
      .map((line) => line.trim())
      .filter((line) => line !== "")
      .join(" "),
  );
