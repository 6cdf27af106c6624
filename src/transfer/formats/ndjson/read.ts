import { Readable } from "node:stream";
import { CodecError, decodeUtf8 } from "../../../codecs/index.ts";
import { fileProblem, isFileError } from "../../../files/errors.ts";
import { type Line, type LineOptions, LineTooLong, readLines } from "../../../files/lines.ts";
import { isMap } from "../../../schema/index.ts";
import { limits } from "../../limits.ts";
import type { Skip, Source, SourceAttachment, SourceCard } from "../../model.ts";
import { at, broken, quoted } from "../../place.ts";
import { cardOf, deckOf, templateOf } from "../documents.ts";
import { Gathered } from "../gathered.ts";

/**
 * The collection as `export` writes it (docs/import-export.md): on each line a map with one key, `deck`, `template`,
 * `card` or `attachment`, and the document; the bytes of an attachment follow it on lines of their own.
 */
export function openNdjson(path: string, name: string): Source {
  const gathered = new Gathered();
  return {
    format: "ndjson",
    decks: gathered.decks,
    templates: gathered.templates,
    cards: (skip) => cardsIn(path, name, gathered, skip),
    close: async () => {},
  };
}

/** Reads twice: what cards need may come after them. */
async function* cardsIn(
  path: string,
  name: string,
  gathered: Gathered,
  skip: Skip,
): AsyncGenerator<SourceCard> {
  const attachments = await gather(path, name, gathered, skip);
  const keys = new Set<string>();
  for await (const line of byteLines(path, name)) {
    if (!line.bytes.subarray(0, 32).includes('"card"')) continue;
    const place = at(name, line.line);
    const [kind, document] = readLine(line, place);
    if (kind !== "card") continue;
    const key = idOf(document, place, kind);
    const card = await cardOf(document, key, {
      place,
      skip,
      deck: deckId(document),
      template: gathered.templateKey(document["template-id"], place, skip),
      attachments: attachments.get(key) ?? [],
    });
    if (keys.has(key)) throw broken(place, `the id ${quoted(key)} is also used by another card`);
    keys.add(key);
    yield card;
  }
  for (const [key, files] of attachments)
    if (!keys.has(key))
      for (const { place } of files)
        skip({ place, what: "attachments", why: "their card is not in the collection" });
}

/** Finds all but the cards. @returns the attachments by the ids of their cards */
async function gather(path: string, name: string, gathered: Gathered, skip: Skip) {
  const attachments = new Map<string, SourceAttachment[]>();
  for await (const line of byteLines(path, name)) {
    if (isBytes(line)) continue;
    const place = at(name, line.line);
    const [kind, document] = readLine(line, place);
    // Exports of earlier versions have the parameters of the account.
    if (kind === "schedule") continue;
    const id = idOf(document, place, kind);
    if (kind === "deck") gathered.deck(deckOf(document, id, place, skip));
    else if (kind === "template") gathered.template(templateOf(document, id, place, skip));
    else if (kind === "card") {
      const deck = deckId(document);
      if (deck !== undefined) gathered.card(deck, place);
    } else if (kind === "attachment") noteAttachment(document, id, line, path, name, attachments, skip);
  }
  gathered.finish(skip);
  return attachments;
}

type Document = Readonly<Record<string, unknown>>;
const kinds = ["schedule", "deck", "template", "card", "attachment"];

function readLine(line: Line, place: string): [kind: string, document: Document] {
  let value: unknown;
  try {
    value = JSON.parse(decodeUtf8(line.bytes));
  } catch (error) {
    if (error instanceof CodecError) throw broken(place, "the text is not UTF-8");
    throw broken(place, `not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const entries = isMap(value) ? Object.entries(value) : [];
  const [kind = "", document] = entries[0] ?? [];
  if (entries.length === 1 && kinds.includes(kind) && isMap(document)) return [kind, document];
  if (isMap(value) && "content" in value)
    throw broken(
      place,
      "this is a card alone, not part of an exported collection",
      "Use `deckhand cards create --from`.",
    );
  throw broken(
    place,
    "not a line of an exported collection: a map with the key deck, template, card or attachment",
  );
}

function idOf(document: Document, place: string, kind: string): string {
  const id = kind === "attachment" ? document["card-id"] : document["id"];
  if (typeof id === "string" && id !== "") return id;
  throw broken(place, `the ${kind} has no id`);
}

/** Undefined for a card that a service gave without one: it goes to the deck that the user names. */
function deckId(document: Document): string | undefined {
  const id = document["deck-id"];
  return typeof id === "string" && id !== "" ? id : undefined;
}

function noteAttachment(
  document: Document,
  cardId: string,
  line: Line,
  path: string,
  name: string,
  attachments: Map<string, SourceAttachment[]>,
  skip: Skip,
): void {
  const place = at(name, line.line);
  const fileName = document["file-name"];
  if (typeof fileName !== "string") throw broken(place, "the attachment has no file-name");
  if (document["missing"] !== undefined) {
    skip({ place, what: "attachments", why: "the export could not read them" });
    return;
  }
  const { size, type } = document;
  // Not the line itself: its bytes are a part of the piece that was read, which would be held for each attachment.
  const after: LineOptions = { offset: line.next, line: line.line + 1 };
  async function* bytesOf(): AsyncGenerator<Buffer> {
    let read = 0;
    for await (const each of byteLines(path, name, after)) {
      if (!isBytes(each)) break;
      const text = /^\{"bytes":"([A-Za-z0-9+/]*={0,2})"\}\s*$/.exec(each.bytes.toString("latin1"))?.[1];
      if (text === undefined) throw broken(at(name, each.line), "the bytes of the attachment are not base64");
      const bytes = Buffer.from(text, "base64");
      read += bytes.length;
      yield bytes;
    }
    if (typeof size === "number" && read !== size)
      throw broken(place, `the attachment ${quoted(String(fileName))} has ${read} bytes instead of ${size}`);
  }
  const known = attachments.get(cardId) ?? [];
  if (known.some((each) => each.fileName === fileName))
    throw broken(place, `the card has an attachment ${quoted(fileName)} already`);
  known.push({
    fileName,
    ...(typeof size === "number" ? { size } : {}),
    ...(typeof type === "string" ? { type } : {}),
    path,
    open: async () => Readable.from(bytesOf(), { objectMode: false }),
    place,
  });
  attachments.set(cardId, known);
}

const isBytes = ({ bytes }: Line) => bytes.subarray(0, 9).equals(bytesKey);
const bytesKey = Buffer.from('{"bytes":');

/**
 * The lines of a source, of at most twice what an item may have.
 *
 * @param name of the file, as it is named in errors
 * @throws UsageError for a file that cannot be read, and for a line over the limit
 */
async function* byteLines(path: string, name: string, options: LineOptions = {}): AsyncGenerator<Line> {
  try {
    yield* readLines(path, { longest: 2 * limits.itemLength, ...options });
  } catch (error) {
    if (error instanceof LineTooLong) throw broken(at(name, error.line), "the line is too long");
    throw isFileError(error) ? broken(name, fileProblem(error), undefined, error) : error;
  }
}
