import { cellText, type Document, valueAt } from "./columns.ts";
import { columnGap } from "./layout.ts";
import { plain } from "./markdown/runs.ts";
import { wrapRuns } from "./markdown/wrap.ts";
import { dateWords } from "./relative.ts";
import { visible } from "./sanitize.ts";
import { isDate, kindAt, oneLine, type TableSettings } from "./table.ts";
import { cut, displayWidth, expandTabs, pad } from "./width.ts";

/** Values get at least this much room, if need be below their name. */
const least = 16;

/** One document as lines of name and value, for `get` on a terminal. Long values are wrapped, nothing is left out. */
export function fieldLines(document: Document, settings: TableSettings): string[] {
  const { width, style } = settings;
  const shown = settings.columns
    .map((column) => ({ name: oneLine(column), text: fieldText(document, column, settings) }))
    .filter(({ text }) => text !== undefined);
  const widest = Math.max(0, ...shown.map(({ name }) => displayWidth(name)));
  const beside = width - widest - columnGap.length >= least;
  const indent = beside ? widest + columnGap.length : Math.min(2, width - 1);
  return shown.flatMap(({ name, text = "" }) => {
    const values = wrap(text, Math.max(1, width - indent));
    const label = style.dim(beside ? pad(name, widest) : cut(name, width));
    const [first = "", ...rest] = values.map((line) => " ".repeat(indent) + line);
    const lines = beside ? [label + first.slice(widest), ...rest] : [label, first, ...rest];
    return lines.map((line) => line.trimEnd());
  });
}

/** The lines of a text, those that are too long wrapped. What is set in stays so: it may be code, or a list. */
function wrap(text: string, width: number): string[] {
  if (!Number.isFinite(width)) return text.split("\n");
  return expandTabs(text)
    .split("\n")
    .flatMap((line) => {
      if (displayWidth(line) <= width) return [line];
      const [lead = ""] = /^ */.exec(line) ?? [];
      // Two columns at least are left: a wide character takes as many.
      const indent = lead.length <= Math.min(width / 2, width - 2) ? lead : "";
      const lines = wrapRuns([{ text: line.trimStart(), style: plain }], width - indent.length);
      return lines.map((runs) => indent + runs.map((run) => run.text).join(""));
    });
}

/** A value for people, safe for a terminal; undefined where the document has none. */
function fieldText(document: Document, column: string, settings: TableSettings): string | undefined {
  const value = valueAt(document, column);
  if (value === undefined || value === null) return undefined;
  const kind = kindAt(settings.kind, column);
  if (isDate(kind) && typeof value === "string")
    return oneLine(`${value} (${dateWords(value, kind, settings)})`);
  if (typeof value === "boolean") return value ? "yes" : "no";
  return visible(cellText(value, ", "));
}
