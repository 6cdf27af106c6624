/** Turns what a terminal sends into keys. */

/** A key by name (`enter`, `up`, `ctrl-c`, …) or by the character that it types; `paste` carries the pasted text. */
export interface Key {
  readonly name: string;
  /** What it types, for keys that type something. */
  readonly text?: string;
}

interface KeyDecoder {
  /** The keys of a chunk. The beginning of a sequence that is not whole yet is kept for the next. */
  push(chunk: string): Key[];
  /** Whether the escape key may have been pressed, or a sequence was broken off. */
  pending(): boolean;
  /** Takes what is kept for what it is: called when nothing came after it for a moment. */
  flush(): Key[];
}

const ESC = "\u001b";
/** No key's sequence is longer; what goes on beyond it is no key. */
const MAX_SEQUENCE = 32;
const PASTE_START = "[200~";
const PASTE_END = "\u001b[201~";

const finals: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  F: "end",
  H: "home",
  M: "enter",
};
const numbered: Readonly<Record<string, string>> = {
  "1": "home",
  "3": "delete",
  "4": "end",
  "5": "pageup",
  "6": "pagedown",
  "7": "home",
  "8": "end",
};
const controls: Readonly<Record<string, string>> = {
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  "\u007f": "backspace",
  "\b": "backspace",
};

export function createKeyDecoder(): KeyDecoder {
  let kept = "";
  /** What was pasted so far, while a paste goes on. */
  let paste: string | undefined;

  const decode = (input: string, atEnd: boolean): Key[] => {
    const keys: Key[] = [];
    let rest = input;
    while (rest !== "") {
      if (paste !== undefined) {
        const end = rest.indexOf(PASTE_END);
        if (end < 0) {
          // The end mark may be cut in two.
          const safe = atEnd ? rest.length : Math.max(0, rest.length - PASTE_END.length);
          paste += rest.slice(0, safe);
          kept = rest.slice(safe);
          return keys;
        }
        keys.push({ name: "paste", text: paste + rest.slice(0, end) });
        paste = undefined;
        rest = rest.slice(end + PASTE_END.length);
      } else if (rest.startsWith(ESC)) {
        const length = sequenceLength(rest);
        if (length === undefined && !atEnd && rest.length < MAX_SEQUENCE) {
          kept = rest;
          return keys;
        }
        // Broken off or far too long: what can belong to a sequence is dropped with it.
        const sequence = rest.slice(1, length ?? /^.[[O]?[\x20-\x3f]*/s.exec(rest)?.[0].length);
        if (sequence === PASTE_START) paste = "";
        else keys.push(...named(sequence));
        rest = rest.slice(sequence.length + 1);
      } else {
        const character = String.fromCodePoint(rest.codePointAt(0) ?? 0);
        keys.push(typed(character));
        rest = rest.slice(character.length);
      }
    }
    return keys;
  };

  return {
    push(chunk) {
      const input = kept + chunk;
      kept = "";
      return decode(input, false);
    },
    pending: () => kept !== "" && paste === undefined,
    flush() {
      const input = kept;
      kept = "";
      return decode(input, true);
    },
  };
}

/** The length of the sequence that a text begins with, the escape included; undefined if it is not whole. */
function sequenceLength(text: string): number | undefined {
  const kind = text[1];
  if (kind === undefined) return undefined;
  if (kind === "O") return text.length > 2 ? 3 : undefined;
  if (kind !== "[") return kind === ESC ? 1 : 1 + String.fromCodePoint(text.codePointAt(1) ?? 0).length;
  for (let i = 2; i < Math.min(text.length, MAX_SEQUENCE); i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x40 && code <= 0x7e) return text[i] === "[" && i === 2 ? Math.min(text.length, 4) : i + 1;
    if (code < 0x20 || code > 0x7e) return i;
  }
  return undefined;
}

/** The key of a sequence, without its escape; sequences that are no key of ours (mouse, focus, alt) are left out. */
function named(sequence: string): Key[] {
  if (sequence === "") return [{ name: "escape" }];
  const final = /^(?:O|\[(?:\d+(?:;\d+)*)?)([A-Z])$/.exec(sequence)?.[1];
  const number = /^\[(\d+)(?:;\d+)*~$/.exec(sequence)?.[1];
  const name = final !== undefined ? finals[final] : number !== undefined ? numbered[number] : undefined;
  return name === undefined ? [] : [{ name }];
}

function typed(character: string): Key {
  const control = controls[character];
  if (control !== undefined) return { name: control };
  const code = character.codePointAt(0) ?? 0;
  if (code === 0x20) return { name: "space", text: " " };
  if (code < 0x20) return { name: `ctrl-${String.fromCharCode(code + 0x60)}` };
  return { name: character, text: character };
}
