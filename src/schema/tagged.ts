/**
 * A value that only transit can tell from text or a list: a keyword, a set, an instant. The local service reads bodies
 * with these left in them, so that a keyword is not taken for the text that was due, and what the schema says nothing
 * about comes back as it came. Everywhere else values are plain (schema/kinds.ts).
 */
export class Tagged {
  /** `:` for a keyword, `set`, `dt`, … */
  readonly tag: string;
  /** What stands behind the tag on the wire; lists and maps in it may hold more of these. */
  readonly rep: unknown;
  /** What it is as plain data, but for what stands in it. */
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

/** Whether plain data holds a value that is Tagged. */
export function holdsTagged(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return value instanceof Tagged || Object.values(value).some(holdsTagged);
}
