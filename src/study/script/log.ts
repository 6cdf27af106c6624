import { type LogHistory, readHistory } from "../../review/session/history.ts";
import type { AnswerLine, LogFile, LogLine } from "../../review/session/log.ts";

/** A line of the log that says nothing more after so long, in milliseconds, is deleted: the day is over anywhere. */
const kept = 3 * 24 * 60 * 60 * 1000;

/**
 * The review log of an account in this browser: the lines of the terminal's log, each an item of its own, so that tabs
 * never write over each other's. The name of an item has its place in the order, what it says, and of which answer.
 */
export class BrowserLog implements LogFile {
  readonly #prefix: string;
  readonly #arrived: AnswerLine[] = [];

  constructor(account: string) {
    this.#prefix = `deckhand ${encodeURIComponent(account)} `;
    window.addEventListener("storage", ({ key, newValue }) => {
      if (!key?.startsWith(this.#prefix) || newValue === null) return;
      const line = JSON.parse(newValue) as LogLine;
      if (line.type === "answer") this.#arrived.push(line);
    });
  }

  /** What the log adds up to. Lines of answers that are sent and of another day are deleted. */
  read(): LogHistory {
    const names = this.#names();
    const history = readHistory(names.map((name) => localStorage.getItem(name)).join("\n"));
    const open = history.answers.filter(({ status, withdraw }) => status === "pending" || withdraw);
    const ids = new Set(open.map(({ id }) => id));
    for (const name of names)
      if (this.#instantOf(name) < Date.now() - kept && !ids.has(name.split(" ").at(-1) ?? ""))
        localStorage.removeItem(name);
    return history;
  }

  /** @throws where the browser keeps nothing (more) */
  append(line: LogLine): undefined {
    // After all that is there, also where the clock was set back.
    const instant = Math.max(Date.now(), this.#instantOf(this.#names().at(-1) ?? "") + 1);
    const name = `${String(instant).padStart(15, "0")} ${line.type} ${"id" in line ? line.id : ""}`;
    try {
      localStorage.setItem(this.#prefix + name, JSON.stringify(line));
    } catch {
      throw new Error("this browser keeps nothing (private window, or its space is used up).");
    }
  }

  note = (line: LogLine): void => this.append(line);

  close(): void {}

  /** The answers that other tabs have given since this was last asked. */
  poll(): AnswerLine[] {
    return this.#arrived.splice(0);
  }

  #instantOf(name: string): number {
    return Number(name.slice(this.#prefix.length).split(" ")[0]);
  }

  /** None where the browser keeps nothing: it says so with the first answer. */
  #names(): string[] {
    try {
      return Object.keys(localStorage)
        .filter((name) => name.startsWith(this.#prefix))
        .sort();
    } catch {
      return [];
    }
  }
}
