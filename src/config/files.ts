import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

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

/**
 * Writes a file that can be made again, in one step: readers see the old text or the new. Not synced to the disk, so
 * after a power cut it may be empty; what must not be lost goes through write-file-atomic.
 */
export function replaceFile(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.${process.hrtime.bigint().toString(36)}`;
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: "wx" });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
