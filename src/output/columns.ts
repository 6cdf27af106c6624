import { UsageError } from "../errors.ts";
import { nearest } from "../nearest.ts";
import type { ObjectKind } from "../schema/kinds.ts";

/** A document as the codecs give it. */
export type Document = Readonly<Record<string, unknown>>;

/**
 * Reads `--columns`. A column is a field of the documents, or a path into one: `reviews.0.due`.
 * @throws UsageError that lists the fields there are
 */
export function parseColumns(text: string, kind: ObjectKind): string[] {
  const columns = text
    .split(",")
    .map((column) => column.trim())
    .filter((column) => column !== "");
  const fields = Object.keys(kind.fields);
  const allowed = `one of ${fields.join(", ")}`;
  if (columns.length === 0) throw new UsageError(`--columns must name at least ${allowed}`);
  for (const column of columns) {
    if (!fields.some((field) => column === field || column.startsWith(`${field}.`))) {
      const near = nearest(column, fields);
      throw new UsageError(`there is no column ${JSON.stringify(column)}; it must be ${allowed}`, {
        hint: near && `did you mean ${near}?`,
      });
    }
  }
  return columns;
}

/** What a document has at a column; undefined if nothing. */
export const valueAt = (value: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((at, key) => (isObject(at) && has(at, key) ? at[key] : undefined), value);

const isObject = (value: unknown): value is Document => typeof value === "object" && value !== null;

// Enumerable: the length of a list is no field.
const has = (value: object, key: string) => Object.prototype.propertyIsEnumerable.call(value, key);

/** A document with only these columns, in this order; null for what it has not, so that all have the same keys. */
export function pick(document: Document, columns: readonly string[]): Document {
  const picked: Record<string, unknown> = Object.create(null);
  for (const column of columns) picked[column] = valueAt(document, column) ?? null;
  return picked;
}

/** A value as one text, for tsv, csv and the table: lists of words joined, what is nested as JSON. */
export function cellText(value: unknown, separator = ","): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((item) => typeof item === "string" && !item.includes(",")))
    return value.join(separator);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
