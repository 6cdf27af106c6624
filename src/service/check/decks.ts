import { sql } from "kysely";
import { checksumOf } from "../store/checksums.ts";
import type { Store } from "../store/index.ts";
import type { Db, DeckRow, TemplateRow } from "../store/tables.ts";
import type { Finding } from "./finding.ts";
import { accountsOf } from "./rows.ts";

type StoredDeck = DeckRow & { readonly checksum: number | null };
type StoredTemplate = TemplateRow & { readonly checksum: number | null };

/** Compares decks and templates with their checksums, and what follows from the tree of decks. */
export async function* deckFindings(store: Store): AsyncGenerator<Finding> {
  for (const account of await accountsOf(store)) {
    const rows = await store.read((db) => deckRows(db, account));
    const decks = new Map(rows.map((deck) => [deck.id, deck]));
    for (const deck of rows)
      yield* finding("deck", deck, deckProblem(deck, decks), () =>
        store.write(account, (db) => repairDeck(db, deck, decks)),
      );
    for (const template of await store.read((db) => templateRows(db, account)))
      yield* finding("template", template, templateProblem(template), () =>
        store.write(account, (db) => repairTemplate(db, template)),
      );
  }
}

function* finding(
  noun: "deck" | "template",
  row: StoredDeck | StoredTemplate,
  problem: string | undefined,
  mend: () => Promise<string>,
): Generator<Finding> {
  if (problem === undefined) return;
  const name = parsed(row.document)?.name;
  yield {
    part: `${noun}s`,
    item: `${noun} ${row.id}${name === undefined ? "" : ` (${name})`}`,
    problem,
    cards: [],
    repair(aside) {
      aside.note({ [noun]: row });
      return mend();
    },
  };
}

const deckRows = (db: Db, account: string): Promise<StoredDeck[]> =>
  db.selectFrom("deck").selectAll().where("account", "=", account).orderBy("id").execute();

const templateRows = (db: Db, account: string): Promise<StoredTemplate[]> =>
  db.selectFrom("template").selectAll().where("account", "=", account).orderBy("id").execute();

const wrongChecksum = "its document or a column has another checksum";

const templateProblem = (template: StoredTemplate) =>
  parsed(template.document) === undefined || template.checksum !== checksumOf("template", template)
    ? wrongChecksum
    : undefined;

function deckProblem(deck: StoredDeck, decks: ReadonlyMap<string, StoredDeck>): string | undefined {
  if (parsed(deck.document) === undefined) return "its document is damaged";
  if (deck.checksum !== checksumOf("deck", deck)) return wrongChecksum;
  const live = isLive(deck, decks);
  if (live === undefined) return "it is under itself";
  return deck.live === live ? undefined : "it is due, or not, other than the decks above it say";
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

async function repairDeck(db: Db, deck: StoredDeck, decks: ReadonlyMap<string, StoredDeck>): Promise<string> {
  const cycle = isLive(deck, decks) === undefined;
  const read = parsed(deck.document);
  const mended = {
    ...deck,
    parent_id: cycle ? null : deck.parent_id,
    document: read === undefined ? JSON.stringify({ name: `Damaged deck ${deck.id}` }) : deck.document,
  };
  const live = isLive(mended, decks) ?? 0;
  await db
    .updateTable("deck")
    .set({ ...mended, live, checksum: checksumOf("deck", mended) })
    .where("account", "=", deck.account)
    .where("id", "=", deck.id)
    .execute();
  if (read === undefined) return "it has a new name, and its settings are lost";
  return cycle ? "it was moved to the top" : "it was kept as it can be read";
}

async function repairTemplate(db: Db, template: StoredTemplate): Promise<string> {
  const read = parsed(template.document);
  const name = `Damaged template ${template.id}`;
  const document = read === undefined ? JSON.stringify({ name, content: "" }) : template.document;
  const mended = { ...template, document };
  await sql`
    update template set document = ${document}, pos = ${template.pos}, checksum = ${checksumOf("template", mended)}
    where account = ${template.account} and id = ${template.id}`.execute(db);
  return read === undefined ? "it has a new name, and its content is lost" : "it was kept as it can be read";
}

function parsed(document: string): { readonly name: string } | undefined {
  try {
    const value = JSON.parse(document) as { readonly name: string } | null;
    return typeof value?.name === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
