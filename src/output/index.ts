// What every command needs, and loads quickly. The table, csv, progress, prompts and the deck tree are imported from
// their own files, where they are needed.
export type { Document } from "./columns.ts";
export { createPrinter, type Documents, type Printer, type PrinterSettings } from "./printer.ts";
export { reportError } from "./report.ts";
export { jsonText, safeJson, visible } from "./sanitize.ts";
export type { Sink } from "./sink.ts";
export { ClosedOutputError, createOutput, type Output } from "./stream.ts";
