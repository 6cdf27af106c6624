import { openSync } from "node:fs";
import { WriteStream } from "node:tty";

/** What a screen does to a terminal. */

export type EndSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

export const endSignals: readonly EndSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Discards what was typed before there was a screen: it was not meant for what the screen shows. The terminal stays in
 * raw mode, in which that can be read without a line end.
 */
export async function dropTypedAhead(stdin: NodeJS.ReadStream): Promise<void> {
  raw(stdin, true);
  stdin.resume();
  // Immediates run after input was polled; the first may belong to a poll that began before.
  for (let polls = 0; polls < 2; polls++) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** The types leave it out; every terminal stream has one. */
export const fdOf = (stream: object): number => Number(Reflect.get(stream, "fd"));

export function raw(stdin: NodeJS.ReadStream, on: boolean): void {
  try {
    // Off first: the stream remembers what it set, not what a program before us left.
    if (on) stdin.setRawMode(false);
    stdin.setRawMode(on);
  } catch {
    // The terminal is gone.
  }
}

/** Only the process's own streams follow the size of the window by themselves. */
export function refreshSize(stream: NodeJS.WriteStream): void {
  const refresh: unknown = Reflect.get(stream, "_refreshSize");
  if (typeof refresh === "function") refresh.call(stream);
}

export function openControllingTerminal(stdin: NodeJS.ReadStream): NodeJS.WriteStream {
  const path = process.platform === "win32" ? "CONOUT$" : "/dev/tty";
  try {
    return new WriteStream(openSync(path, "r+"));
  } catch {
    // No controlling terminal: the one on stdin can be written to as well.
    return new WriteStream(fdOf(stdin));
  }
}
