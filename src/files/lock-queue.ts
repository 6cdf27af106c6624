import {
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { systemCode } from "./errors.ts";
import { makeDurableFolder } from "./folders.ts";
import { ownProcess, processName } from "./process-id.ts";

const heartbeat = 1000;
const unnumbered = "new";
const ticketName = new RegExp(`^(?:\\d{10}|${unnumbered})\\.${processName.source}\\.[a-z0-9]+$`);

/** The name of the process that created a ticket. */
export const processOf = (ticket: string): string => ticket.split(".")[1] ?? "";

/** Whether a ticket has its number: until then its place in the queue is not known. */
export const isNumbered = (ticket: string): boolean => !ticket.startsWith(unnumbered);

/** The folder of a lock, with a file for each process that holds it or waits for it (see lock.ts). */
export class LockQueue {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  tickets(): string[] {
    try {
      return readdirSync(this.#folder).filter((name) => ticketName.test(name));
    } catch (error) {
      if (systemCode(error) === "ENOENT") return [];
      throw error;
    }
  }

  /** The tickets before that one: lower ones in their order, then those that may become lower. */
  ahead(ticket: string): string[] {
    const others = this.tickets().filter((name) => name !== ticket);
    return others.filter((name) => !isNumbered(name) || name < ticket).sort();
  }

  /** Creates a ticket with the next number, and touches it from then on. @returns its name and how to stop that */
  join(now: () => number): { readonly name: string; stop(): void } {
    const rest = `${ownProcess()}.${process.hrtime.bigint().toString(36)}`;
    const name = `${unnumbered}.${rest}`;
    this.#create(name);
    const last = Math.max(
      0,
      ...this.tickets()
        .filter(isNumbered)
        .map((each) => Number(each.slice(0, 10))),
    );
    const numbered = `${String(last + 1).padStart(10, "0")}.${rest}`;
    renameSync(this.#path(name), this.#path(numbered));
    const timer = setInterval(() => this.#touch(numbered, now() / 1000), heartbeat);
    timer.unref();
    return { name: numbered, stop: () => clearInterval(timer) };
  }

  /** Removes a ticket, and the folder if it was the last one. @throws what the system says where it cannot be removed */
  remove(ticket: string): void {
    try {
      unlinkSync(this.#path(ticket));
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw error;
    }
    try {
      rmdirSync(this.#folder);
    } catch {
      // Others are in it.
    }
  }

  /** When a ticket was last touched, undefined if it was removed. */
  touched(ticket: string): number | undefined {
    return statSync(this.#path(ticket), { throwIfNoEntry: false })?.mtimeMs;
  }

  #touch(ticket: string, seconds: number): void {
    try {
      utimesSync(this.#path(ticket), seconds, seconds);
    } catch {
      // It was removed; its owner finds that out when it looks.
    }
  }

  #create(name: string): void {
    for (let attempt = 1; ; attempt++)
      try {
        writeFileSync(this.#path(name), "", { flag: "wx", mode: 0o600 });
        return;
      } catch (error) {
        // There is no folder yet, or the last process to leave has just removed it.
        if (systemCode(error) !== "ENOENT" || attempt === 100) throw error;
        // What is created under the lock is to stay, the lock is not.
        makeDurableFolder(dirname(this.#folder));
        mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      }
  }

  #path(ticket: string): string {
    return join(this.#folder, ticket);
  }
}
