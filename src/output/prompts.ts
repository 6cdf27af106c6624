import type { Readable, Writable } from "node:stream";
import { InterruptedError } from "../errors.ts";
import { oneLine } from "./table.ts";

/** Where questions are asked: never on stdout, which is for data. Only where a person is there to answer. */
export interface PromptSettings {
  readonly stdin: Readable;
  readonly stderr: Writable;
  readonly signal: AbortSignal;
}

/**
 * Asks a question that has yes or no for an answer; no if only Enter is pressed.
 * @throws InterruptedError on Ctrl-C, or when the program is told to stop
 */
export async function askYesNo(question: string, settings: PromptSettings): Promise<boolean> {
  const { confirm } = await import("@clack/prompts");
  const given = await confirm({ message: oneLine(question), initialValue: false, ...streams(settings) });
  return answered(given, settings);
}

/** Asks for a line of text. @throws like `askYesNo` */
export async function askText(question: string, settings: PromptSettings, placeholder = ""): Promise<string> {
  const { text } = await import("@clack/prompts");
  const given = answered(
    await text({ message: oneLine(question), placeholder, ...streams(settings) }),
    settings,
  );
  return (given ?? "").trim();
}

/** Asks for a secret: what is typed is not shown. @throws like `askYesNo` */
export async function askSecret(question: string, settings: PromptSettings): Promise<string> {
  const { password } = await import("@clack/prompts");
  const given = answered(
    await password({ message: oneLine(question), mask: "*", ...streams(settings) }),
    settings,
  );
  return (given ?? "").trim();
}

const streams = ({ stdin, stderr, signal }: PromptSettings) => ({ input: stdin, output: stderr, signal });

function answered<T>(answer: T, { signal }: PromptSettings): Exclude<T, symbol> {
  if (signal.aborted && signal.reason instanceof InterruptedError) throw signal.reason;
  if (typeof answer === "symbol") throw new InterruptedError("SIGINT");
  return answer as Exclude<T, symbol>;
}
