import type { Card } from "../../schema/index.ts";
import type { Spool } from "../export/spool.ts";
import { deckPaths } from "./deck-paths.ts";
import type { FileSink } from "./sink.ts";

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
export async function writeCsv(spool: Spool, sink: FileSink): Promise<void> {
  const decks = deckPaths(await spool.decks());
  const templates = new Map((await spool.templates()).map(({ id, name }) => [id, name ?? id]));
  await sink.write(line(columns));
  for await (const card of spool.cards()) await sink.write(line(rowOf(card, decks, templates)));
}

function rowOf(
  card: Card,
  decks: ReadonlyMap<string, string>,
  templates: ReadonlyMap<string, string>,
): string[] {
  return columns.map((column) => {
    if (column === "deck") return decks.get(card["deck-id"] ?? "") ?? "";
    if (column === "template") return templates.get(card["template-id"] ?? "") ?? "";
    const value = card[column];
    if (value === undefined || value === null) return "";
    if (column === "tags") return (value as string[]).join(", ");
    if (typeof value !== "object") return String(value);
    return Object.keys(value).length === 0 ? "" : JSON.stringify(value);
  });
}

/** RFC 4180; csv-stringify sets itself up anew for each row, which takes longer than fetching the card. */
const line = (cells: readonly string[]) =>
  `${cells.map((cell) => (/[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",")}\r\n`;
