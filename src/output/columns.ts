import { UsageError } from "../errors.ts";
import { nearest } from "../nearest.ts";
import type { Kind, ObjectKind } from "../schema/kinds.ts";

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
    const field = fields.find((each) => column === each || column.startsWith(`${each}.`));
    if (field === undefined) {
      const near = nearest(column, fields);
      throw new UsageError(`there is no column ${JSON.stringify(column)}; it must be ${allowed}`, {
        hint: near && `did you mean ${near}?`,
      });
    }
    const rest = column.slice(field.length + 1);
    if (column !== field) assertBelow(kind.fields[field], field, rest);
  }
  return columns;
}

/** Refuses a path that leads nowhere in any document. What a service may have beside what is documented is let by. */
function assertBelow(kind: Kind | undefined, field: string, rest: string): void {
  const column = JSON.stringify(`${field}.${rest}`);
  if (kind?.kind === "array" || kind?.kind === "set") {
    if (/^\d+(\.|$)/.test(rest)) return;
    throw new UsageError(`there is no column ${column}: ${field} is a list`, {
      hint: `Of its first one: ${field}.0${kind.of.kind === "object" && rest !== "" ? `.${rest}` : ""}`,
    });
  }
  if (kind && !["object", "record", "unknown"].includes(kind.kind))
    throw new UsageError(`there is no column ${column}: nothing is below ${field}`);
}

/** What a document has at a column; undefined if nothing. A key may itself hold dots: the longest one counts. */
export function valueAt(value: unknown, path: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  if (has(value, path)) return (value as Document)[path];
  for (let dot = path.lastIndexOf("."); dot > 0; dot = path.lastIndexOf(".", dot - 1)) {
    const key = path.slice(0, dot);
    if (has(value, key)) return valueAt((value as Document)[key], path.slice(dot + 1));
  }
  return undefined;
}

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
