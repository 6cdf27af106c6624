import type { Kind, ObjectKind } from "../schema/kinds.ts";
import { cellText, type Document, valueAt } from "./columns.ts";
import { type ColumnWish, columnGap, layOut, readable } from "./layout.ts";
import { type Calendar, dateWords } from "./relative.ts";
import { visible } from "./sanitize.ts";
import type { Style } from "./style.ts";
import { cut, displayWidth, pad } from "./width.ts";

export interface TableSettings extends Calendar {
  readonly columns: readonly string[];
  readonly kind: ObjectKind;
  /** Columns of the terminal; Infinity where nothing is cut. */
  readonly width: number;
  readonly style: Style;
}

/**
 * A table of documents (docs/design/cli.md, Output): aligned, cut to the terminal, dates relative to now.
 *
 * @param sample the documents that decide how wide the columns are
 * @param isWhole whether there are no others
 */
export function createTable(settings: TableSettings, sample: readonly Document[], isWhole: boolean) {
  const { columns, style } = settings;
  const kinds = columns.map((column) => kindAt(settings.kind, column));
  const cells = (document: Document) =>
    columns.map((column, index) => tableCell(valueAt(document, column), kinds[index], settings));
  const headers = columns.map((column) => visible(column).replace(/\?$/, "").toUpperCase());
  const widths = layOut(wishes(headers, sample.map(cells), kinds, isWhole), settings.width);
  const line = (texts: readonly string[], paint: (text: string, column: number) => string) =>
    tableLine(texts, widths, kinds, settings.width, paint);
  return {
    header: line(headers, (text) => style.dim(text)),
    row: (document: Document) =>
      line(cells(document), (text, index) =>
        index === 0 ? style.id(text) : isDate(kinds[index]) ? style.dim(text) : text,
      ),
  };
}

function wishes(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
  kinds: readonly (Kind | undefined)[],
  isWhole: boolean,
): ColumnWish[] {
  return headers.map((header, index) => {
    const values = rows.map((row) => row[index] ?? "");
    const isState = isEssential(kinds[index]);
    if (isWhole && isState && isUsual(values)) return { natural: 0, flexible: false };
    const flexible = isText(kinds[index]);
    const essential = isState && values.some((value) => value !== "");
    // Longer texts and dates than these may follow.
    const least = !isWhole && (flexible || isDate(kinds[index])) ? readable : 0;
    const start = Math.max(least, displayWidth(header));
    const natural = values.reduce((most, value) => Math.max(most, displayWidth(value)), start);
    return { natural, flexible, essential };
  });
}

/** Whether a state is worth no column: all rows have the same, and it keeps no card from being asked. */
const isUsual = (states: readonly string[]) =>
  states.every((state) => state === states[0] && (state === "" || state === "new"));

function tableLine(
  cells: readonly string[],
  widths: readonly number[],
  kinds: readonly (Kind | undefined)[],
  available: number,
  paint: (text: string, column: number) => string,
): string {
  const shown = cells.map((_, index) => index).filter((index) => (widths[index] ?? 0) > 0);
  const parts = shown.map((index, place) => {
    const width = widths[index] ?? 0;
    const cell = cells[index] ?? "";
    const text = available === Number.POSITIVE_INFINITY ? cell : cut(cell, width);
    if (isNumber(kinds[index])) return paint(pad(text, width, "right"), index);
    const painted = text === "" ? "" : paint(text, index);
    const last = place === shown.length - 1;
    return last ? painted : painted + " ".repeat(Math.max(0, width - displayWidth(text)));
  });
  return parts.join(columnGap).trimEnd();
}

/** A value as a table shows it: on one line, without control characters. */
function tableCell(value: unknown, kind: Kind | undefined, calendar: Calendar): string {
  if (isDate(kind) && typeof value === "string") return oneLine(dateWords(value, kind, calendar));
  if (typeof value === "boolean") return value ? "yes" : "no";
  return oneLine(cellText(value, ", "));
}

/** Text on one line: whitespace of any kind becomes one space, control characters visible. */
export function oneLine(text: string): string {
  return visible(text.replace(/[\s\u2028\u2029]+/g, " "));
}

/** The kind of what stands at a column; undefined if the schema does not say. */
export function kindAt(kind: Kind | undefined, path: string): Kind | undefined {
  if (kind === undefined || path === "") return kind;
  const dot = path.indexOf(".");
  const head = dot < 0 ? path : path.slice(0, dot);
  const rest = dot < 0 ? "" : path.slice(dot + 1);
  if (kind.kind === "object")
    return kindAt(Object.hasOwn(kind.fields, head) ? kind.fields[head] : undefined, rest);
  if (kind.kind === "array" || kind.kind === "set" || kind.kind === "record") return kindAt(kind.of, rest);
  return undefined;
}

export const isDate = (kind: Kind | undefined) => kind?.kind === "instant" || kind?.kind === "timestamp";
const isEssential = (kind: Kind | undefined) => kind?.essential === true;
const isNumber = (kind: Kind | undefined) => kind?.kind === "integer" || kind?.kind === "number";
const isText = (kind: Kind | undefined) =>
  kind === undefined ||
  !(isDate(kind) || isNumber(kind) || kind.kind === "boolean" || kind.kind === "keyword");
