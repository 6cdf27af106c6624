import { readFileSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/**
 * Where tests make their folders: in memory where there is room, since a disk takes milliseconds for each commit of a
 * store. Nothing in `npm test` pulls a plug; the soak stays on the disk.
 */
export function temporaryRoot(): string {
  const memory = "/dev/shm";
  try {
    const [, , type, options = ""] =
      readFileSync("/proc/mounts", "utf8")
        .split("\n")
        .map((line) => line.split(" "))
        .find(([, folder]) => folder === memory) ?? [];
    const { bavail, bsize } = statfsSync(memory);
    const isRoomy = bavail * bsize > 4 * 2 ** 30;
    if (type === "tmpfs" && isRoomy && !/\b(?:noexec|ro)\b/.test(options)) return memory;
  } catch {
    // Not Linux.
  }
  return tmpdir();
}
