import { isDeepStrictEqual } from "node:util";
import { checksumOf } from "../store/checksums.ts";
import { updateRow } from "../store/documents.ts";
import type { Store } from "../store/index.ts";
import { type DeckRow, type Stored, same, type TemplateRow } from "../store/tables.ts";
import { accountsOf, type Finding } from "./finding.ts";

type Table = "deck" | "template";
type StoredDeck = Stored<DeckRow>;

/** Compares decks and templates with what a repair would make of them. */
export async function* deckFindings(store: Store): AsyncGenerator<Finding> {
  for (const account of await accountsOf(store)) {
    const rowsOf = <Row>(table: Table): Promise<Row[]> =>
      store.read(async (db) => {
        const query = db
          .selectFrom(table as "deck")
          .selectAll()
          .where(same({ account }));
        return (await query.orderBy("id").execute()) as Row[];
      });
    const rows = await rowsOf<StoredDeck>("deck");
    const decks = new Map(rows.map((deck) => [deck.id, deck]));
    for (const deck of rows) yield* finding(store, "deck", deck, mendedDeck(deck, decks));
    for (const template of await rowsOf<Stored<TemplateRow>>("template"))
      yield* finding(store, "template", template, mended("template", template, { content: "" }));
  }
}

function* finding(
  store: Store,
  table: Table,
  row: Stored<DeckRow | TemplateRow>,
  whole: Stored<DeckRow | TemplateRow>,
): Generator<Finding> {
  // Rows have no prototype.
  if (isDeepStrictEqual({ ...row }, whole)) return;
  const name = nameIn(row.document);
  yield {
    part: `${table}s`,
    item: `${table} ${row.id}${name === undefined ? "" : ` (${name})`}`,
    problem:
      row.checksum === checksumOf(table, row)
        ? "it contradicts the decks above it, or its document is damaged"
        : "its document or a column has another checksum",
    cards: [],
    async repair(aside) {
      aside.note({ [table]: row });
      await store.write(whole.account, (db) => updateRow(db, table, whole));
      return name === undefined
        ? "it has a new name, and the rest of it is lost"
        : "it was kept as it can be read";
    },
  };
}

/** A row with a document that can be read, and its checksum. @param rest what a document has besides a name */
function mended(
  table: Table,
  row: Stored<DeckRow | TemplateRow>,
  rest: object,
): Stored<DeckRow | TemplateRow> {
  const lost = nameIn(row.document) === undefined;
  const document = lost ? JSON.stringify({ name: `Damaged ${table} ${row.id}`, ...rest }) : row.document;
  return { ...row, document, checksum: checksumOf(table, { ...row, document }) };
}

/** One that is its own ancestor is moved to the top. */
function mendedDeck(deck: StoredDeck, decks: ReadonlyMap<string, StoredDeck>) {
  const live = isLive(deck, decks);
  const placed = live === undefined ? { ...deck, parent_id: null, live: deck.ready } : { ...deck, live };
  return mended("deck", placed, {});
}

/** Whether a deck and all above it are ready; undefined if it is its own ancestor. */
function isLive(deck: StoredDeck, decks: ReadonlyMap<string, StoredDeck>): 0 | 1 | undefined {
  const seen = new Set<string>();
  let live: 0 | 1 = 1;
  for (let at: StoredDeck | undefined = deck; ; ) {
    if (at === undefined || at.ready !== 1) live = 0;
    if (at === undefined || at.parent_id === null) return live;
    if (seen.has(at.id)) return undefined;
    seen.add(at.id);
    at = decks.get(at.parent_id);
  }
}

function nameIn(document: string): string | undefined {
  try {
    const { name } = JSON.parse(document) as { readonly name?: unknown };
    return typeof name === "string" ? name : undefined;
  } catch {
    return undefined;
  }
}
