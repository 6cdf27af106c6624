import type { Readable, Writable } from "node:stream";
import { InterruptedError } from "../errors.ts";
import { type Keyboard, withTabs } from "./keyboard.ts";
import { oneLine } from "./table.ts";

/** Where questions are asked: on stderr, since stdout is for data. */
interface PromptSettings {
  /** One for all questions of a command, since it keeps what is typed ahead. */
  readonly keyboard: Keyboard;
  readonly stderr: Writable;
  readonly signal: AbortSignal;
}

/**
 * Asks a yes-or-no question; Enter alone means no.
 * @throws InterruptedError on Ctrl-C and Ctrl-D, or when the program is told to stop
 */
export async function askYesNo(question: string, settings: PromptSettings): Promise<boolean> {
  const { confirm } = await import("@clack/prompts");
  return await answered(settings, (streams) =>
    confirm({ message: oneLine(question), initialValue: false, ...streams }),
  );
}

/** Asks for a line of text; pasted tabs are in it. @throws like `askYesNo` */
export async function askText(question: string, settings: PromptSettings, placeholder = ""): Promise<string> {
  const { text } = await import("@clack/prompts");
  const given = await answered(settings, (streams) =>
    text({ message: oneLine(question), placeholder, ...streams }),
  );
  return withTabs((given ?? "").trim());
}

/** Asks for a secret, which is not echoed. @throws like `askYesNo` */
export async function askSecret(question: string, settings: PromptSettings): Promise<string> {
  const { password } = await import("@clack/prompts");
  const given = await answered(settings, (streams) =>
    password({ message: oneLine(question), mask: "*", ...streams }),
  );
  return withTabs(given ?? "").trim();
}

/** One of several things to choose from; typing filters them. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

/**
 * Asks to choose one, until one is chosen.
 *
 * @param other gives the label of an additional last choice, which returns the typed text; undefined for no such choice
 * @throws like `askYesNo`
 */
export async function askChoice(
  question: string,
  choices: readonly Choice[],
  settings: PromptSettings,
  other: (typed: string) => string | undefined = () => undefined,
): Promise<string> {
  const { autocomplete } = await import("@clack/prompts");
  const listed = choices.map(({ value, label }) => ({ value, label: oneLine(label) }));
  const searched = new Map(listed.map(({ value, label }) => [value, label.toLowerCase()]));
  return await answered(settings, (streams) =>
    autocomplete({
      message: oneLine(question),
      options() {
        const value = withTabs(this.userInput).trim();
        const label = value === "" ? undefined : other(value);
        return label === undefined ? listed : [...listed, { value, label: oneLine(label) }];
      },
      filter: (typed, { value }) => searched.get(value)?.includes(typed.trim().toLowerCase()) ?? true,
      validate: (value) => (value === undefined ? "Delete some of it to see more" : undefined),
      maxItems: 10,
      ...streams,
    }),
  );
}

/** A cancelled question would show its default, struck through, which reads like an answer. */
function withoutStruckAnswers(stderr: Writable): Writable {
  const write = (text: string | Uint8Array, ...rest: never[]) =>
    stderr.write(typeof text === "string" ? text.replace(/\u001b\[9m.*?\u001b\[29m/gs, "") : text, ...rest);
  return Object.create(stderr, { write: { value: write } }) as Writable;
}

interface Streams {
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
}

/**
 * The answer, if one is given. node:readline stops reading at Ctrl-D, and when the program continues after Ctrl-Z; clack
 * notices neither and would wait forever.
 */
async function answered<T>(
  { keyboard, stderr, signal }: PromptSettings,
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
      if (goOn) keyboard.resume();
      else end.abort();
    });
  };
  // A terminal that was closed answers nothing.
  if (keyboard.readableEnded) throw new InterruptedError("SIGINT");
  process.on("SIGCONT", onContinue);
  keyboard.on("pause", onPause);
  const stop = keyboard.listen();
  try {
    const answer = await ask({
      input: keyboard,
      output: withoutStruckAnswers(stderr),
      signal: AbortSignal.any([signal, end.signal]),
    });
    if (signal.aborted && signal.reason instanceof InterruptedError) throw signal.reason;
    if (typeof answer === "symbol") throw new InterruptedError("SIGINT");
    return answer as Exclude<T, symbol>;
  } finally {
    open = false;
    stop();
    process.off("SIGCONT", onContinue);
    keyboard.off("pause", onPause);
  }
}
