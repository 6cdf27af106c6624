import { emptyHistory, type LogHistory, readHistory } from "../../review/session/history.ts";
import type { AnswerLine, LogFile, LogLine } from "../../review/session/log.ts";

/** A line of the log that says nothing more after so long, in milliseconds, is deleted: the day is over anywhere. */
const kept = 3 * 24 * 60 * 60 * 1000;

/**
 * The review log of an account in this browser: the lines of the terminal's log, each an item of its own, so that tabs
 * never write over each other's. The name of an item has its place in the order.
 */
export class BrowserLog implements LogFile {
  readonly #prefix: string;
  #last = 0;
  readonly #arrived: AnswerLine[] = [];

  constructor(account: string) {
    this.#prefix = `deckhand ${account} `;
    addEventListener("storage", ({ key, newValue }) => {
      if (!key?.startsWith(this.#prefix) || newValue === null) return;
      const line = JSON.parse(newValue) as LogLine;
      if (line.type === "answer") this.#arrived.push(line);
    });
  }

  /** What the log adds up to. Lines of answers that are sent and of another day are deleted. */
  read(): LogHistory {
    let keys: string[];
    try {
      keys = this.#keys();
    } catch {
      // The browser keeps nothing, and says so with the first answer.
      return emptyHistory;
    }
    const history = readHistory(keys.map((key) => localStorage.getItem(key) ?? "").join("\n"));
    const open = new Set(
      history.answers.flatMap(({ id, status, withdraw }) => (status === "pending" || withdraw ? [id] : [])),
    );
    for (const key of keys) {
      const { id } = JSON.parse(localStorage.getItem(key) ?? "{}") as { id?: string };
      if (this.#instantOf(key) < Date.now() - kept && !(id !== undefined && open.has(id)))
        localStorage.removeItem(key);
    }
    return history;
  }

  /** @throws where the browser keeps nothing (more) */
  append(line: LogLine): undefined {
    try {
      // After all that is there, also where the clock was set back.
      const newest = this.#instantOf(this.#keys().at(-1) ?? "");
      this.#last = Math.max(Date.now(), this.#last + 1, newest + 1);
      const name = `${String(this.#last).padStart(15, "0")} ${Math.random().toString(36).slice(2)}`;
      localStorage.setItem(this.#prefix + name, JSON.stringify(line));
    } catch {
      throw new Error("this browser keeps nothing (private window, or its space is used up).");
    }
    return undefined;
  }

  note(line: LogLine): void {
    this.append(line);
  }

  close(): void {}

  /** The answers that other tabs have given since this was last asked. */
  poll(): AnswerLine[] {
    return this.#arrived.splice(0);
  }

  #instantOf(key: string): number {
    return Number(key.slice(this.#prefix.length, this.#prefix.length + 15));
  }

  #keys(): string[] {
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(this.#prefix))
      .sort();
  }
}
