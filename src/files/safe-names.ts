import { createHash } from "node:crypto";

/** Names of devices on Windows, whatever comes after a dot. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:\.|$)/i;

/**
 * A name as a file or folder on any file system, inside its folder: no separators, control or bidirectional characters,
 * nothing that Windows refuses, at most `bytes` long. It begins with neither `.` nor `_`, which mark our own files and
 * those of others. Not unique; "" where nothing is left.
 */
export function safeName(name: string, bytes = 80): string {
  const plain = name
    .normalize("NFC")
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/[/\\:*?"<>|]+/g, "-")
    .replace(/\s+/g, " ");
  const short = cut(plain.replace(/^[\s._-]+/, ""), bytes).replace(/[\s.-]+$/, "");
  return reserved.test(short) ? `${short.slice(0, bytes - 1)}_` : short;
}

/** An id as part of a file name: as it is where that is safe, else made safe and unique by a hash. */
export function safeId(id: string): string {
  if (/^[\w-]{1,64}$/.test(id) && !reserved.test(id)) return id;
  const hash = createHash("sha256").update(id).digest("hex").slice(0, 8);
  return `${safeName(id, 40)}~${hash}`;
}

/** A safe name for a file that somebody else named; its extension remains. */
export function safeFileName(name: string): string {
  const ending = /\.[A-Za-z\d]{1,10}$/.exec(name)?.[0] ?? "";
  const stem = safeName(name.slice(0, name.length - ending.length), 150);
  return `${stem || "file"}${ending}`;
}

/** How file systems that ignore case compare names. */
export const foldedName = (name: string): string => name.normalize("NFC").toLowerCase();

/** A name, or the first numbered form of it that is free. @param numbered gives the form with a number from 2 */
export function freeName(
  name: string,
  isTaken: (name: string) => boolean,
  numbered: (number: number) => string = (number) => `${name}-${number}`,
): string {
  let free = name;
  for (let number = 2; isTaken(free); number++) free = numbered(number);
  return free;
}

/** A form of a file's name, with its ending. */
export const beforeEnding = (name: string, text: string): string =>
  name.replace(/(?=\.[A-Za-z\d]{1,10}$|$)/, text);

function cut(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  let length = 0;
  let end = 0;
  for (const character of text) {
    length += Buffer.byteLength(character);
    if (length > bytes) break;
    end += character.length;
  }
  return text.slice(0, end);
}
