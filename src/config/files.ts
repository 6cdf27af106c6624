import { readFileSync } from "node:fs";

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder",
  ENOTDIR: "a part of the path is not a folder",
  EISDIR: "it is a folder",
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left on the device",
  EDQUOT: "the disk quota is exceeded",
  EMFILE: "too many open files",
  ELOOP: "too many symbolic links",
  ENAMETOOLONG: "the name is too long",
};

/** The system's code of an error (`ENOENT`), undefined if it has none. */
export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** Why the system refused something, in words. */
export function reasonOf(error: unknown): string {
  const code = systemCode(error);
  return (code && reasons[code]) ?? (error instanceof Error ? error.message : String(error));
}

/** The text of a file, undefined if there is none. Other failures are thrown as the system gives them. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
