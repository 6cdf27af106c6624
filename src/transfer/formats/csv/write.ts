import { manualTagsOf } from "../../../cards/document.ts";
import { joinSides, splitSides } from "../../../cards/index.ts";
import type { Card, Template } from "../../../schema/index.ts";
import type { Collection } from "../../collection.ts";
import type { Sink } from "../../model.ts";
import { templateNames } from "../markdown/write.ts";
import { fieldHeader, firstColumns, foldedColumn, joinTags, lastColumns } from "./sheet.ts";

/** The cards as rows, RFC 4180: a column for each side and each field, so that a spreadsheet can be imported again. */
export async function writeCsv(collection: Collection, sink: Sink): Promise<void> {
  const decks = await collection.deckPaths();
  const templateName = templateNames(collection.allTemplates);
  const fields = new FieldColumns(collection.isWhole ? collection.templates : collection.allTemplates);
  const header = [...firstColumns, ...fields.headers, ...lastColumns];
  const line = (cells: readonly string[]) => `${cells.map(cell).join(",")}\r\n`;
  await sink.write(line(header));
  for await (const page of collection.cards()) {
    let text = "";
    for (const { card, files } of page) {
      const columns = new Map<string, string>([
        ["id", card.id],
        ["deck", decks.get(card["deck-id"] ?? "") ?? ""],
        ["template", card["template-id"] ? templateName(card["template-id"]) : ""],
        ["tags", joinTags(await manualTagsOf(card))],
        ["due", card.reviews?.at(-1)?.due ?? ""],
        ["pos", card.pos ?? ""],
        ["archived?", card["archived?"] ? "true" : ""],
        ["review-reverse?", card["review-reverse?"] ? "true" : ""],
        ["trashed?", card["trashed?"] ?? ""],
        ["updated-at", card["updated-at"] ?? ""],
        ...sideColumns(card.content ?? ""),
        ...fields.of(card),
      ]);
      text += line(header.map((name) => columns.get(name) ?? ""));
      collection.leaveOut("attachments", files.length);
      collection.leaveOut("reviews", card.reviews?.length ?? 0);
    }
    await sink.write(text);
  }
  collection.leaveOut(
    "layouts of templates",
    collection.usedTemplates.filter(({ content }) => content).length,
  );
}

/** Front and back, where they say all of the content; where they do not, the content as it is, too. */
function sideColumns(content: string): [string, string][] {
  const [front = "", ...rest] = splitSides(content);
  const back = joinSides(rest);
  const whole = rest.length === 0 ? front : joinSides([front, back]);
  const exact = whole === content && (rest.length === 0 || back !== "") && content.trim() !== "";
  return [
    ["front", front],
    ["back", back],
    ["content", exact ? "" : content],
  ];
}

/** Which column each field of each template has: fields of one name share one. */
class FieldColumns {
  readonly headers: string[] = [];
  readonly #columns = new Map<string, ReadonlyMap<string, string>>();

  constructor(templates: readonly Template[]) {
    const known = new Map<string, string>();
    for (const { id, fields } of templates) {
      const columns = new Map<string, string>();
      const used = new Set<string>();
      for (const [fieldId, field] of Object.entries(fields ?? {})) {
        const name = fieldHeader(field?.name || fieldId);
        const folded = foldedColumn(name);
        // A second field of that name goes where fields without a column go.
        if (used.has(folded)) continue;
        used.add(folded);
        if (!known.has(folded)) {
          known.set(folded, name);
          this.headers.push(name);
        }
        columns.set(fieldId, known.get(folded) ?? name);
      }
      this.#columns.set(id, columns);
    }
  }

  *of(card: Card): Generator<[string, string]> {
    const columns = this.#columns.get(card["template-id"] ?? "");
    const rest: Record<string, string> = {};
    for (const [id, field] of Object.entries(card.fields ?? {})) {
      const value = field?.value ?? "";
      const column = columns?.get(id);
      if (column === undefined) rest[id] = value;
      else yield [column, value];
    }
    for (const _ in rest) {
      yield ["fields", JSON.stringify(rest)];
      return;
    }
  }
}

/** RFC 4180; csv-stringify sets itself up anew for each row, which takes longer than fetching the card. */
const cell = (text: string) =>
  special.test(text) || isBlank(text.charCodeAt(0)) || isBlank(text.charCodeAt(text.length - 1))
    ? `"${text.replaceAll('"', '""')}"`
    : text;

const special = /[",\r\n]/;

/** A blank at an end, which many programs would take away. */
const isBlank = (code: number) => code <= 32 || (code >= 0x80 && /\s/.test(String.fromCharCode(code)));
