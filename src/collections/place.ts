import { UsageError } from "../errors.ts";

/** The error for something broken in a source: it names the place. */
export function broken(place: string, problem: string, hint?: string, cause?: unknown): UsageError {
  return new UsageError(`${place}: ${problem}`, { hint, cause });
}

export const at = (file: string, line: number): string => `${file}, line ${line}`;

/** A text as it is quoted in messages. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);

/** What an error of Node's file system says about a path, in words. */
export function fileProblem(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (code === "ENOENT") return "there is no such file or folder";
  if (code === "EACCES" || code === "EPERM") return "it may not be read";
  if (code === "EISDIR") return "it is a folder";
  if (code === "ENOTDIR") return "part of its path is a file";
  return error instanceof Error ? error.message : String(error);
}
