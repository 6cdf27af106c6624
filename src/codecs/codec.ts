import type { CodecName, ObjectKind } from "../schema/index.ts";

/**
 * Wire text ⇄ domain values, for both ends. Domain values are plain data, the same whichever codec carried them (see
 * schema/kinds.ts). Encoding never changes its argument.
 */
export interface Codec {
  readonly name: CodecName;
  /**
   * The text of a domain value. Keys with the value undefined are left out; everything else is written as it is.
   *
   * @throws CodecError for what the wire cannot carry: broken instants, numbers that are not finite, undefined inside
   * a list, nesting over 200, anything that is not plain data; in transit also an empty keyword or one with a colon
   * in front.
   */
  encode(kind: ObjectKind, value: unknown): string;
  /**
   * The domain value of a text: instants become ISO 8601 in UTC with milliseconds, sets lose their duplicates, records and
   * unknown maps are null-prototype objects. Unknown fields are kept. A value of the wrong type stays as it is; check()
   * reports it.
   *
   * @throws CodecError for text that is malformed, broken instants and tags, and nesting over 200; nothing else.
   */
  decode(kind: ObjectKind, text: string): unknown;
}

/** A text that cannot be read, or a value that cannot be written. */
export class CodecError extends Error {
  override readonly name = "CodecError";
}

/** How deep lists and maps may be nested on the wire. */
export const deepestNesting = 200;

/** @throws CodecError for a depth over the limit. Call it before recursing. */
export function refuseBelow(depth: number): void {
  if (depth > deepestNesting) throw new CodecError(`nested more than ${deepestNesting} levels deep`);
}

/** Runs `act`, and converts whatever it throws to a CodecError. */
export function wrapped<T>(problem: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof CodecError) throw error;
    throw new CodecError(`${problem}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
