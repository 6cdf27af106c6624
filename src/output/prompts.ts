import { createInterface, type Interface } from "node:readline";
import { type Readable, Writable } from "node:stream";
import { InterruptedError } from "../errors.ts";
import { oneLine } from "./table.ts";

/** Where questions are asked: on stderr, since stdout is for data. */
interface PromptSettings {
  readonly stdin: Readable;
  readonly stderr: Writable;
  readonly signal: AbortSignal;
}

/**
 * Asks a yes-or-no question, answered by one key; Enter alone means no.
 * @throws InterruptedError on Ctrl-C and Ctrl-D, or when the program is told to stop
 */
export async function askYesNo(question: string, settings: PromptSettings): Promise<boolean> {
  return /^y(es)?$/i.test(await answer(`${oneLine(question)} (y/N) `, settings, { key: /^[yn]$/i }));
}

/** Asks for a line of text. @throws like `askYesNo` */
export async function askText(question: string, settings: PromptSettings, example = ""): Promise<string> {
  return await answer(`${oneLine(question)}${example === "" ? "" : ` (${example})`}: `, settings);
}

/** Asks for a secret, which is not echoed. @throws like `askYesNo` */
export async function askSecret(question: string, settings: PromptSettings): Promise<string> {
  return await answer(`${oneLine(question)}: `, settings, { hidden: true });
}

/** One of several things to choose from. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  /** What it is chosen by, if not by its place. */
  readonly number?: string;
}

/** Asks to choose one of a few, by its number or a part of its name. @throws like `askYesNo` */
export async function askChoice(
  question: string,
  choices: readonly Choice[],
  settings: PromptSettings,
): Promise<string> {
  const numbers = choices.map(({ number }, index) => number ?? `${index + 1}`);
  settings.stderr.write(choices.map(({ label }, at) => `${numbers[at]}  ${oneLine(label)}\n`).join(""));
  for (;;) {
    const typed = await answer(`${oneLine(question)} (number, name or part of it): `, settings);
    const named = choices.filter(({ label }) => label.toLowerCase().includes(typed.toLowerCase()));
    const chosen = choices[numbers.indexOf(typed)] ?? (named.length === 1 ? named[0] : undefined);
    if (chosen !== undefined) return chosen.value;
  }
}

interface AnswerOptions {
  /** Keys that are an answer by themselves. */
  readonly key?: RegExp;
  /** What is typed is not echoed. */
  readonly hidden?: boolean;
  /** What is typed already. */
  readonly given?: string | undefined;
}

/** A line that answers a question. @throws like `askYesNo` */
export function answer(
  question: string,
  { stdin, stderr, signal }: PromptSettings,
  { key, hidden = false, given }: AnswerOptions = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    // A terminal that was closed answers nothing.
    if (stdin.readableEnded) return reject(new InterruptedError("SIGINT"));
    const output = hidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : stderr;
    const lines: Interface = createInterface({ input: stdin, output, terminal: true, historySize: 0 });
    let ended = false;
    const end = (settle: () => void) => {
      if (ended) return;
      ended = true;
      signal.removeEventListener("abort", stopped);
      stdin.off("keypress", pressed);
      lines.close();
      settle();
    };
    const interrupted = (reason: unknown = new InterruptedError("SIGINT")) => {
      if (!ended) stderr.write("\n");
      end(() => reject(reason));
    };
    const stopped = () => interrupted(signal.reason);
    const pressed = (text: unknown) => {
      if (key === undefined || typeof text !== "string" || !key.test(text)) return;
      stderr.write("\n");
      end(() => resolve(text));
    };
    lines.on("SIGINT", () => interrupted()).on("close", () => interrupted());
    // After Ctrl-Z it goes on paused, with nothing left to wait for.
    lines.on("SIGCONT", () => lines.resume());
    signal.addEventListener("abort", stopped, { once: true });
    stdin.on("keypress", pressed);
    if (hidden) stderr.write(question);
    lines.question(question, (text) => {
      if (hidden) stderr.write("\n");
      end(() => resolve(text.trim()));
    });
    if (given !== undefined) lines.write(given);
  });
}
