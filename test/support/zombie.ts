import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { waitFor } from "./wait-for.ts";

export interface Zombie {
  /** The number of a process that has ended. */
  readonly pid: number;
  /** Its parent, which lives and takes no note of that. */
  readonly parent: number;
  release(): void;
}

/** A process that has ended but whose number stands, as in containers without an init. Linux only. */
export async function startZombie(): Promise<Zombie> {
  // Whoever takes the place of the shell does not know of its child; the shell would take note of one that ends before.
  const untilReplaced = "while read -r name < /proc/$$/comm && [ $name != sleep ]; do :; done";
  const parent = spawn("sh", ["-c", `{ ${untilReplaced}; } & echo $!; exec sleep 60`], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const release = () => void parent.kill("SIGKILL");
  try {
    const [chunk] = (await once(parent.stdout, "data")) as [Buffer];
    const pid = Number(chunk.toString());
    await waitFor(() => / Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1")), "the process has ended");
    return { pid, parent: parent.pid ?? 0, release };
  } catch (error) {
    release();
    throw error;
  }
}
