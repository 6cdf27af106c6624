import { readFileSync } from "node:fs";
import { systemCode } from "./errors.ts";

/** Whether there is a process with that number on this machine that has not ended. */
export function processLives(pid: number): boolean {
  return pid > 0 && isThere(pid) && !hasEnded(pid);
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Someone else's process is there, too.
    return systemCode(error) === "EPERM";
  }
}

/** Whether it has ended though its number stands: in a container there may be nobody who takes note of its end. */
function hasEnded(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // Its name, in parentheses, may hold anything.
    return /^\) [ZX]/.test(stat.slice(stat.lastIndexOf(")")));
  } catch {
    return false;
  }
}
