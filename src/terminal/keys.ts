import { emitKeypressEvents, type Interface, type Key as Keypress } from "node:readline";
import type { Readable } from "node:stream";

/** A key by name (`enter`, `up`, `ctrl-c`, …) or by the character that it types; `paste` carries the pasted text. */
export interface Key {
  readonly name: string;
  readonly text?: string;
}

/** How long an escape may wait for the rest of its sequence, in milliseconds. */
const ESCAPE_MS = 30;

/** Keys that node:readline names as we do, and that type nothing. */
const named: ReadonlySet<string> = new Set([
  ...["up", "down", "left", "right", "home", "end", "pageup", "pagedown"],
  ...["delete", "backspace", "tab", "escape"],
]);

/**
 * The keys of a terminal in raw mode, as node:readline reads them. What is pasted, between the marks that a terminal sends
 * around it, is one key.
 */
export class Keys {
  readonly #stdin: Readable;
  readonly #pressed: (keys: readonly Key[]) => void;
  #together: Key[] = [];
  /** What was pasted so far, while a paste goes on. */
  #paste: string | undefined;

  /** @param pressed receives keys that came together */
  constructor(stdin: Readable, pressed: (keys: readonly Key[]) => void) {
    this.#stdin = stdin;
    this.#pressed = pressed;
    // Of the interface it only takes this one property.
    emitKeypressEvents(stdin, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface);
  }

  listen(): void {
    this.#stdin.on("keypress", this.#onKeypress);
    this.#stdin.resume();
  }

  stop(): void {
    this.#stdin.off("keypress", this.#onKeypress);
    this.#stdin.pause();
  }

  readonly #onKeypress = (text: string | undefined, pressed: Keypress) => {
    const key = this.#keyOf(text, pressed);
    if (key === undefined) return;
    // Those of one chunk come in one turn.
    if (this.#together.length === 0) queueMicrotask(() => this.#pressed(this.#together.splice(0)));
    this.#together.push(key);
  };

  #keyOf(text: string | undefined, pressed: Keypress): Key | undefined {
    const { name, sequence = "" } = pressed;
    if (name === "paste-start") this.#paste = "";
    else if (name === "paste-end") {
      const pasted = this.#paste ?? "";
      this.#paste = undefined;
      return { name: "paste", text: pasted };
    } else if (this.#paste !== undefined) this.#paste += sequence;
    else return keyOf(text, pressed);
    return undefined;
  }
}

/** Undefined for keys that are none of ours: alt, function keys. */
function keyOf(text: string | undefined, { name = "", ctrl, meta }: Keypress): Key | undefined {
  if (named.has(name) && (name === "escape" || !meta)) return { name };
  if (meta || text === undefined) return undefined;
  if (name === "return" || name === "enter") return { name: "enter" };
  if (ctrl) return { name: `ctrl-${name}` };
  if (/\p{Cc}/u.test(text)) return undefined;
  return { name: text === " " ? "space" : text, text };
}
