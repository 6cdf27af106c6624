import { Buffer } from "node:buffer";

/**
 * Positions: any non-empty string may be one, and they sort by UTF-16 code unit (docs/design/service.md). The store keeps them as
 * big-endian UTF-16, whose bytes sort just so in every database; text columns sort by code point, or by language.
 */

/** The bytes of a position; every string has its own, halves of surrogate pairs included. */
export function positionBytes(pos: string): Uint8Array {
  return Buffer.from(pos, "utf16le").swap16();
}

/** The position of such bytes. */
export function positionText(bytes: Uint8Array): string {
  return Buffer.from(bytes).swap16().toString("utf16le");
}
