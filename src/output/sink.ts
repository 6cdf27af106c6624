import type { Format } from "../config/settings.ts";
import type { ObjectKind } from "../schema/kinds.ts";
import { cellText, type Document, pick, valueAt } from "./columns.ts";
import type { Calendar } from "./relative.ts";
import { jsonText, visible } from "./sanitize.ts";
import type { Output } from "./stream.ts";
import { loadStyle } from "./style.ts";

/** Where documents are printed. */
export interface Place extends Calendar {
  readonly stdout: Output;
  readonly isTerminal: boolean;
  /** Columns of the terminal. */
  readonly width: number;
  readonly colour: boolean;
}

interface SinkSettings extends Place {
  readonly format: Format;
  /** Whether it is a list: one document is an object in json, its fields one below the other in a table. */
  readonly several: boolean;
  readonly columns: readonly string[];
  /** Whether the columns were asked for: only then they decide what json and ndjson hold. */
  readonly columnsAsked: boolean;
  readonly kind: ObjectKind;
}

/** Takes documents one way and text out the other, in constant memory. */
export interface Sink {
  write(documents: readonly Document[]): Promise<void>;
  /** Writes what stands after the last document. */
  end(): Promise<void>;
}

/** How many documents decide how wide the columns of a table are. */
const sample = 200;

/** A list, or one document, in the format asked for. */
export async function openSink(settings: SinkSettings): Promise<Sink> {
  const { stdout, columns, several } = settings;
  const row = (document: Document) => columns.map((column) => cellText(valueAt(document, column)));
  switch (settings.format) {
    case "json":
      if (!several) return linesSink(stdout, (document) => `${jsonText(chosen(document, settings), 2)}\n`);
      return linesSink(
        stdout,
        (document, index) =>
          `${index === 0 ? "[" : ","}\n  ${jsonText(chosen(document, settings), 2).replaceAll("\n", "\n  ")}`,
        (count) => (count === 0 ? "[]\n" : "\n]\n"),
      );
    case "ndjson":
      return linesSink(stdout, (document) => `${jsonText(chosen(document, settings))}\n`);
    case "yaml": {
      const { yamlText } = await import("./yaml.ts");
      if (!several) return linesSink(stdout, (document) => yamlText(chosen(document, settings)));
      return linesSink(
        stdout,
        (document) => yamlText([chosen(document, settings)]),
        (count) => (count === 0 ? "[]\n" : ""),
      );
    }
    case "tsv":
      return linesSink(stdout, (document) => `${row(document).map(escapeTsv).join("\t")}\n`);
    case "id":
      // What became of a document that was refused has none, and an empty line would be read as one.
      return linesSink(stdout, (document) => {
        const id = idOf(document, settings.kind);
        return id == null ? "" : `${escapeTsv(cellText(id))}\n`;
      });
    case "csv": {
      const { csvLines } = await import("./csv.ts");
      // A file or a pipe gets the values as they are, in quotes. Value by value: the lines end in CRLF on a terminal, too.
      const safeRow = (document: Document) =>
        settings.isTerminal ? row(document).map(visible) : row(document);
      // Nothing is written before there is an answer: what fails at once leaves standard output alone.
      return linesSink(
        stdout,
        (document, index) => csvLines(index === 0 ? [columns, safeRow(document)] : [safeRow(document)]),
        (count) => (count === 0 ? csvLines([columns]) : ""),
      );
    }
    case "table":
      return several ? tableSink(settings) : fieldsSink(settings);
  }
}

/** The document, or only the columns asked for. */
const chosen = (document: Document, settings: SinkSettings): Document =>
  settings.columnsAsked ? pick(document, settings.columns) : document;

/** What names a document: its id, or where its kind has none the first field (`file-name`). */
function idOf(document: Document, kind: ObjectKind): unknown {
  const [first = "id"] = Object.keys(kind.fields);
  return document["id"] ?? (kind.fields["id"] ? undefined : document[first]);
}

/** Each document as text of its own. @param end what stands after so many */
function linesSink(
  stdout: Output,
  line: (document: Document, index: number) => string,
  end: (count: number) => string = () => "",
): Sink {
  let count = 0;
  return {
    async write(documents) {
      let text = "";
      for (const document of documents) {
        text += line(document, count++);
        if (text.length < 65_536) continue;
        await stdout.write(text);
        text = "";
      }
      await stdout.write(text);
    },
    end: () => stdout.write(end(count)),
  };
}

/** How lines are laid out: in a pipe nothing is cut. */
const layoutOf = async (settings: SinkSettings) => ({
  ...settings,
  width: settings.isTerminal ? settings.width : Number.POSITIVE_INFINITY,
  style: await loadStyle(settings.colour),
});

async function fieldsSink(settings: SinkSettings): Promise<Sink> {
  const { fieldLines } = await import("./fields.ts");
  const layout = await layoutOf(settings);
  return linesSink(settings.stdout, (document) => {
    const columns = settings.columnsAsked ? settings.columns : fieldsOf(document, settings.kind);
    return fieldLines(document, { ...layout, columns })
      .map((line) => `${line}\n`)
      .join("");
  });
}

/** The fields a document has: those of the schema in its order, then the others. */
function fieldsOf(document: Document, kind: ObjectKind): string[] {
  const known = Object.keys(kind.fields).filter((field) => Object.hasOwn(document, field));
  return [...known, ...Object.keys(document).filter((field) => !Object.hasOwn(kind.fields, field))];
}

async function tableSink(settings: SinkSettings): Promise<Sink> {
  const { createTable } = await import("./table.ts");
  const layout = await layoutOf(settings);
  // A page may have more documents than a call may have arguments.
  let held: readonly Document[] = [];
  let table: ReturnType<typeof createTable> | undefined;
  const print = (lines: readonly string[]) =>
    settings.stdout.write(lines.map((each) => `${each}\n`).join(""));
  const release = async (isWhole: boolean) => {
    const { header, row } = createTable(layout, held, isWhole);
    table = { header, row };
    if (held.length > 0) await print([header, ...held.map(row)]);
    held = [];
  };
  return {
    async write(documents) {
      if (table === undefined && held.length >= sample) await release(false);
      if (table === undefined) held = held.concat(documents);
      else await print(documents.map(table.row));
    },
    async end() {
      if (table === undefined) await release(true);
    },
  };
}

/** A value of tsv: what would end a value or a line is escaped, and the backslash with it. */
const escapeTsv = (text: string): string =>
  visible(text.replace(/[\\\t\n\r]/g, (character) => JSON.stringify(character).slice(1, -1)));
