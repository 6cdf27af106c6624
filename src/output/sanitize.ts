/**
 * Text from a service is untrusted: a card must not control the terminal. Everything written to a terminal goes
 * through `visible`; JSON goes through `jsonText` (docs/design/cli.md, Output).
 */

/** C0 apart from tab and newline, DEL, C1, and the characters of the Unicode property Bidi_Control. */
const unsafe = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const unsafeAll = /\r\n|[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/**
 * Letters written from right to left. Marks beside them only place punctuation and digits, as their authors meant.
 * Not a literal: V8 would look the scripts up whenever it reads this file.
 */
const rightToLeft = () =>
  /(?=\p{L})[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const marks = /[\u061c\u200e\u200f]/;
/** The characters of the same set that JSON.stringify does not escape. */
const rawInJson = /[\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * The text with control characters made visible: C0 and DEL as their control pictures (`␛`), C1 and bidirectional
 * controls as `<U+202E>`, but for direction marks in Hebrew, Arabic and the like. Newlines and tabs stay; CRLF becomes a newline. Safe text is returned unchanged.
 */
export function visible(text: string): string {
  if (!unsafe.test(text)) return text;
  const keepsMarks = rightToLeft().test(text);
  return text.replace(unsafeAll, (found) => (keepsMarks && marks.test(found) ? found : show(found)));
}

function show(found: string): string {
  if (found === "\r\n") return "\n";
  const code = found.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `<U+${hex(code)}>`;
}

const hex = (code: number) => code.toString(16).toUpperCase().padStart(4, "0");

/**
 * The text of `JSON.stringify` with DEL, C1 and bidirectional controls escaped (`\uXXXX`), which are unsafe on a
 * terminal. A value without a JSON form (undefined, a function) gives `null`.
 */
export function jsonText(value: unknown, indent = 0): string {
  const text: string | undefined = JSON.stringify(value, null, indent);
  if (text === undefined) return "null";
  return safeJson(text);
}

/** A JSON text in which the characters of `jsonText` are escaped. Nothing else changes, numbers included. */
export function safeJson(text: string): string {
  return text.replace(rawInJson, (found) => `\\u${hex(found.charCodeAt(0)).toLowerCase()}`);
}
