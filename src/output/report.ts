import { DeckhandError, InterruptedError, UsageError } from "../errors.ts";
import { jsonText, visible } from "./sanitize.ts";
import { ClosedOutputError } from "./stream.ts";

export interface ReportSettings {
  /** Errors are JSON with `json` and `ndjson`. */
  readonly format: string | undefined;
  /** Whether stack traces are wanted (`DECKHAND_DEBUG=1`). */
  readonly debug?: boolean;
  /** Takes the lines; must not fail. */
  write(text: string): void;
}

/**
 * Tells an error on stderr (docs/design/cli.md, Exit codes): one line of what failed and why, where it helps a second of what to do
 * next; or one JSON object on one line.
 *
 * @returns the exit code that belongs to it
 */
export function reportError(error: unknown, settings: ReportSettings): number {
  if (error instanceof ClosedOutputError) return 0;
  if (error instanceof InterruptedError) return error.exitCode;
  const told = error instanceof DeckhandError ? error : unforeseen(error);
  const lines =
    settings.format === "json" || settings.format === "ndjson" ? [errorJson(told)] : errorLines(told);
  if (settings.debug) lines.push(...stackLines(error));
  settings.write(lines.map((line) => `${line}\n`).join(""));
  return told.exitCode;
}

/** The error as lines for people. */
function errorLines(error: DeckhandError): string[] {
  const lines = [`deckhand: ${oneLine(withStatus(error))}`];
  if (error.hint !== undefined) lines.push(oneLine(error.hint));
  return lines;
}

/** The error as one JSON object on one line. */
function errorJson(error: DeckhandError): string {
  const { code, status, message, fields, request, id } = error;
  return jsonText({
    error: {
      code,
      ...(status === undefined ? {} : { status }),
      message,
      ...(fields === undefined ? {} : { fields }),
      ...(request === undefined ? {} : { request: { method: request.method, path: request.path } }),
      ...(id === undefined ? {} : { id }),
    },
  });
}

function withStatus({ message, status }: DeckhandError): string {
  return status === undefined || message.includes(`(${status})`) ? message : `${message} (${status})`;
}

function unforeseen(error: unknown): DeckhandError {
  const message = error instanceof Error ? error.message : String(error);
  // Any path that is not absolute is taken from there.
  if ((error as { syscall?: unknown } | null)?.syscall === "uv_cwd")
    return new UsageError("the current folder is gone", { hint: "Go to another one with cd.", cause: error });
  return new DeckhandError("internal", `a fault in deckhand: ${message}`, {
    hint: "Please report it, with what DECKHAND_DEBUG=1 adds.",
    cause: error,
  });
}

function stackLines(error: unknown): string[] {
  const lines: string[] = [];
  for (let each = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth++)
    lines.push(...visible(each.stack ?? String(each)).split("\n"));
  return lines;
}

const oneLine = (text: string) =>
  visible(
    text
      .split(/[\r\n\u2028\u2029]/)
      .map((line) => line.trim())
      .filter((line) => line !== "")
      .join(" "),
  );
