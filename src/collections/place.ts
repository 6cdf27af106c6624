import { UsageError } from "../errors.ts";

/** The error for something broken in a source: it names the place. */
export function broken(place: string, problem: string, hint?: string, cause?: unknown): UsageError {
  return new UsageError(`${place}: ${problem}`, { hint, cause });
}

export const at = (file: string, line: number): string => `${file}, line ${line}`;

/** A text as it is quoted in messages. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);

const problems: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EACCES: "permission was denied",
  EPERM: "permission was denied",
  EISDIR: "it is a folder",
  ENOTDIR: "part of its path is a file",
  EEXIST: "part of its path is a file",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left on the device",
  EDQUOT: "the disk quota is used up",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "its links lead round in a circle",
};

/** What an error of Node's file system says about a path, in words. */
export function fileProblem(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === "string" && Object.hasOwn(problems, code)) return problems[code] as string;
  return error instanceof Error ? error.message : String(error);
}

/** Whether an error is one of Node's file system. */
export const isFileError = (error: unknown): boolean =>
  error instanceof Error && "syscall" in error && "errno" in error;
