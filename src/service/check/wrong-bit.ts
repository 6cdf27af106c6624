import { crc32 } from "../../files/checksum.ts";

/**
 * Puts a single wrong bit right: the difference of two checksums tells which bit it is, since CRC-32 gives each its own.
 *
 * @param parts what was summed up, or its checksum, has the wrong bit
 * @returns the parts as they were; undefined where more than one bit is wrong
 */
export function rightParts(parts: readonly Buffer[], checksum: number): Buffer[] | undefined {
  const bytes = Buffer.concat(parts);
  const difference = (crc32(bytes) ^ checksum) >>> 0;
  // No bit of what is summed up changes one bit of the sum alone: it is one of the checksum itself.
  const [isRight, ofChecksum] = [difference === 0, (difference & (difference - 1)) === 0];
  if (!isRight && !ofChecksum && !turnBit(bytes, difference)) return undefined;
  let end = 0;
  return parts.map(({ length }) => {
    end += length;
    return bytes.subarray(end - length, end);
  });
}

// Of a longer text only this much at its end is looked through, in bytes.
const longest = 1024 * 1024;

/** Turns the bit that makes this difference of the checksum. @returns whether there is one */
function turnBit(bytes: Buffer, difference: number): boolean {
  const zero = Buffer.alloc(1);
  const ofZero = crc32(zero);
  const differences = Array.from({ length: 8 }, (_, bit) => (crc32(Buffer.of(1 << bit)) ^ ofZero) >>> 0);
  for (let at = bytes.length - 1; at >= Math.max(0, bytes.length - longest); at--) {
    const bit = differences.indexOf(difference);
    if (bit !== -1) {
      bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
      return true;
    }
    for (const [index, each] of differences.entries())
      differences[index] = (crc32(zero, each) ^ ofZero) >>> 0;
  }
  return false;
}
