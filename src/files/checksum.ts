/**
 * Checksums of lines and rows (docs/design/reliability.md): a CRC-32, which finds every error of a single bit. A line of
 * an append-only log carries its own as its last key: `{"a":1}` is written as `{"a":1,"crc":"89abcdef"}`.
 */

let zlib: typeof import("node:zlib") | undefined;

/** The CRC-32 of a text (as UTF-8) or of bytes, continued from that of what is before them. */
export function crc32(data: string | Uint8Array, initial = 0): number {
  // Loaded on first use: reads of a collection need no checksum.
  zlib ??= process.getBuiltinModule("node:zlib");
  return zlib.crc32(data, initial);
}

// `,"crc":"89abcdef"}`
const length = 18;

/** Adds the checksum to an object as JSON, which has at least one key. */
export function withChecksum(json: string): string {
  const body = json.slice(0, -1);
  return `${body}${tail(hex(crc32(body)))}`;
}

/**
 * What the checksum of a line says of it. `none`: the line has none, as earlier versions wrote them; a reader accepts it
 * if it can be parsed. A line whose checksum itself has a wrong bit is damaged, too.
 */
export function checksumState(line: string | Buffer): "good" | "damaged" | "none" {
  const end = typeof line === "string" ? line.slice(-length) : line.toString("latin1", line.length - length);
  const template = tail(end.slice(8, 16));
  let alike = 0;
  for (let at = 0; at < length; at++) if ((at < 8 || at > 15) && end[at] === template[at]) alike++;
  // 10 characters around the digits are always the same.
  if (alike < 9) return "none";
  const body = typeof line === "string" ? line.slice(0, -length) : line.subarray(0, -length);
  return end === tail(hex(crc32(body))) ? "good" : "damaged";
}

/** Where the checksum of a line begins; without one, its last character. */
export const checksumStart = (line: string): number =>
  line.startsWith(',"crc":"', line.length - length) ? line.length - length : line.length - 1;

const tail = (sum: string) => `,"crc":"${sum}"}`;
const hex = (sum: number) => sum.toString(16).padStart(8, "0");
