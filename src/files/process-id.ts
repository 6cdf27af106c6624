import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { systemCode } from "./errors.ts";

/**
 * Names processes in the names of locks and temporary files (docs/design/files.md): `<place>-<pid>-<start>`. The place
 * is the host, its boot and the pid namespace, since a process id means something only there; the start time tells a
 * process from an earlier one with the same id.
 */
export const processName = /[a-z0-9]{10}-\d+-\d+/;

/** What is known of a process: "unknown" for one of another host, boot or pid namespace. */
type ProcessState = "alive" | "dead" | "unknown";

let own: { readonly place: string; readonly name: string } | undefined;

/** The name of this process. */
export const ownProcess = (): string => identity().name;

/** The state of the process with that name. */
export function processState(name: string): ProcessState {
  const [place, pid = "", start] = name.split("-");
  if (place !== identity().place) return "unknown";
  const there = startOf(Number(pid));
  if (there === undefined) return "dead";
  return there === start || there === noStart || start === noStart ? "alive" : "dead";
}

/** The process id in such a name. */
export const pidOf = (name: string): number => Number(name.split("-")[1]);

/** The start time where the system does not give it. */
const noStart = "0";

function identity(): { readonly place: string; readonly name: string } {
  if (own === undefined) {
    const hash = createHash("sha256").update(placeOf()).digest();
    const place = BigInt(`0x${hash.toString("hex", 0, 8)}`)
      .toString(36)
      .slice(0, 10)
      .padStart(10, "0");
    own = { place, name: `${place}-${process.pid}-${startOf(process.pid) ?? noStart}` };
  }
  return own;
}

function placeOf(): string {
  if (process.platform !== "linux") return hostname();
  try {
    // With the /proc of another pid namespace nothing can be said about any process, not even this one.
    if (readlinkSync("/proc/self") !== String(process.pid)) return `${Date.now()} ${process.hrtime.bigint()}`;
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    return `${hostname()} ${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

/** When a process started, in the system's own unit; undefined if there is no such process or it has ended. */
function startOf(pid: number): string | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: a process of another user.
    if (systemCode(error) !== "EPERM") return undefined;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The program's name, in parentheses, may contain anything. After it: the state, and 19 fields on the start time.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : (fields[19] ?? noStart);
  } catch {
    return noStart;
  }
}
