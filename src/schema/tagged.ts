/**
 * A value that only transit distinguishes from text or a list: a keyword, a set, an instant. The local service reads
 * bodies with these in them, so that a keyword does not pass as text, and unknown fields are returned as they came.
 * Everywhere else values are plain (schema/kinds.ts).
 */
export class Tagged {
  /** `:` for a keyword, `set`, `dt`, … */
  readonly tag: string;
  /** The content of the tag on the wire; lists and maps in it may have more of these. */
  readonly rep: unknown;
  /** Its value as plain data, except for values inside it. */
  readonly plain: unknown;

  constructor(tag: string, rep: unknown, plain: unknown) {
    this.tag = tag;
    this.rep = rep;
    this.plain = plain;
  }

  /** For the store, and for JSON: the plain value. */
  toJSON(): unknown {
    return this.plain;
  }
}

/** Whether data contains a value that is Tagged. */
export function holdsTagged(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return value instanceof Tagged || Object.values(value).some(holdsTagged);
}
