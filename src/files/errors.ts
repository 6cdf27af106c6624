/** Messages for errors of the file system. */

const problems: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  ENOTDIR: "part of its path is a file",
  EEXIST: "part of its path is a file",
  EISDIR: "it is a folder",
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left on the device",
  EDQUOT: "the disk quota is used up",
  EMFILE: "too many files are open",
  ELOOP: "its links form a circle",
  ENAMETOOLONG: "the name is too long",
};

/** The system's code of an error (`ENOENT`), undefined if it has none. */
export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** Whether an error is one of Node's file system. */
export const isFileError = (error: unknown): boolean =>
  error instanceof Error && "syscall" in error && "errno" in error;

/** What an error of Node's file system says about a path; of any other error its own message. */
export function fileProblem(error: unknown): string {
  const code = systemCode(error) ?? "";
  if (Object.hasOwn(problems, code)) return problems[code] as string;
  return error instanceof Error ? error.message : String(error);
}
