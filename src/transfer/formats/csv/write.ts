import type { Card } from "../../../schema/index.ts";
import type { Collection } from "../../export/collection.ts";
import type { Sink } from "../../model.ts";
import { deckPaths } from "../deck-paths.ts";

/** In this order; new ones are only ever added at the end. */
const columns = [
  "id",
  "deck",
  "template",
  "content",
  "tags",
  "fields",
  "name",
  "pos",
  "archived?",
  "review-reverse?",
  "trashed?",
  "new?",
  "created-at",
  "updated-at",
  "reviews",
  "references",
  "deck-id",
  "template-id",
] as const;

/** The cards as rows, RFC 4180: decks and templates by name, what is nested as JSON. */
export async function writeCsv(collection: Collection, sink: Sink): Promise<void> {
  const decks = deckPaths(collection.decks);
  const templates = new Map(collection.allTemplates.map(({ id, name }) => [id, name ?? id]));
  await sink.write(`${columns.join(",")}\r\n`);
  for await (const page of collection.cards()) {
    let text = "";
    for (const { card, files } of page) {
      text += rowOf(card, decks, templates);
      collection.leaveOut(files);
    }
    await sink.write(text);
  }
}

function rowOf(
  card: Card,
  decks: ReadonlyMap<string, string>,
  templates: ReadonlyMap<string, string>,
): string {
  let row = "";
  for (let index = 0; index < columns.length; index++) {
    if (index > 0) row += ",";
    const column = columns[index] as (typeof columns)[number];
    if (column === "deck") row += cell(decks.get(card["deck-id"] ?? "") ?? "");
    else if (column === "template") row += cell(templates.get(card["template-id"] ?? "") ?? "");
    else row += valueCell(column, card[column]);
  }
  return `${row}\r\n`;
}

function valueCell(column: string, value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return cell(value);
  if (typeof value !== "object") return String(value);
  if (column === "tags") return cell((value as string[]).join(", "));
  for (const _ in value) return cell(JSON.stringify(value));
  return "";
}

/** RFC 4180; csv-stringify sets itself up anew for each row, which takes longer than fetching the card. */
const cell = (text: string) =>
  special.test(text) || isBlank(text.charCodeAt(0)) || isBlank(text.charCodeAt(text.length - 1))
    ? `"${text.replaceAll('"', '""')}"`
    : text;

const special = /[",\r\n]/;

/** A blank at an end, which many programs would take away. */
const isBlank = (code: number) => code <= 32 || (code >= 0x80 && /\s/.test(String.fromCharCode(code)));
