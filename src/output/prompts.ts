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
 * @throws InterruptedError on Ctrl-C and Ctrl-D, or when the program is told to stop
 */
export async function askYesNo(question: string, settings: PromptSettings): Promise<boolean> {
  const { confirm } = await import("@clack/prompts");
  return await answered(settings, (streams) =>
    confirm({ message: oneLine(question), initialValue: false, ...streams }),
  );
}

/** Asks for a line of text. @throws like `askYesNo` */
export async function askText(question: string, settings: PromptSettings, placeholder = ""): Promise<string> {
  const { text } = await import("@clack/prompts");
  const given = await answered(settings, (streams) =>
    text({ message: oneLine(question), placeholder, ...streams }),
  );
  return (given ?? "").trim();
}

/** Asks for a secret: what is typed is not shown. @throws like `askYesNo` */
export async function askSecret(question: string, settings: PromptSettings): Promise<string> {
  const { password } = await import("@clack/prompts");
  const given = await answered(settings, (streams) =>
    password({ message: oneLine(question), mask: "*", ...streams }),
  );
  return (given ?? "").trim();
}

interface Streams {
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
}

/**
 * The answer, if one is given. node:readline stops reading at Ctrl-D, and when the program goes on after Ctrl-Z; clack
 * hears of neither and would wait for ever.
 */
async function answered<T>(
  { stdin, stderr, signal }: PromptSettings,
  ask: (streams: Streams) => Promise<T>,
): Promise<Exclude<T, symbol>> {
  const end = new AbortController();
  let open = true;
  let continuing = false;
  const onContinue = () => {
    continuing = true;
    setImmediate(() => {
      continuing = false;
    });
  };
  const onPause = () => {
    const goOn = continuing;
    // Reading also stops with the answer: clack, told to end then, would end the next question's hiding of what is typed.
    setImmediate(() => {
      if (!open) return;
      if (goOn) stdin.resume();
      else end.abort();
    });
  };
  process.on("SIGCONT", onContinue);
  stdin.on("pause", onPause);
  try {
    const answer = await ask({ input: stdin, output: stderr, signal: AbortSignal.any([signal, end.signal]) });
    if (signal.aborted && signal.reason instanceof InterruptedError) throw signal.reason;
    if (typeof answer === "symbol") throw new InterruptedError("SIGINT");
    return answer as Exclude<T, symbol>;
  } finally {
    open = false;
    process.off("SIGCONT", onContinue);
    stdin.off("pause", onPause);
  }
}
