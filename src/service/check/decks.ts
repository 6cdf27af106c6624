import { sql } from "kysely";
import type { Aside } from "../../files/aside.ts";
import { deckChecksum, deckParts, templateChecksum, templateParts } from "../store/checksums.ts";
import type { Store } from "../store/index.ts";
import type { Db, DeckRow, TemplateRow } from "../store/tables.ts";
import { type Finding, lookingAgain } from "./finding.ts";
import { accountsOf, rightPartsOf } from "./rows.ts";

type StoredDeck = DeckRow & { readonly checksum: number | null };
type StoredTemplate = TemplateRow & { readonly checksum: number | null };

/** Compares decks and templates with their checksums, and what follows from the tree of decks. */
export async function* deckFindings(store: Store): AsyncGenerator<Finding> {
  for (const account of await accountsOf(store)) {
    const decksNow = async () =>
      new Map((await store.read((db) => deckRows(db, account))).map((deck) => [deck.id, deck]));
    const decks = await decksNow();
    for (const deck of decks.values())
      yield* finding("deck", deck, deckProblem(deck, decks), {
        mend: async () => {
          const right = await rightPartsOf(store, "deck", deck, deckParts(deck));
          return store.write(account, (db) => repairDeck(db, rightDeck(deck, right), decks));
        },
        again: async () => {
          const now = await decksNow();
          const row = now.get(deck.id);
          return row && deckProblem(row, now);
        },
      });
    const templatesNow = () => store.read((db) => templateRows(db, account));
    for (const template of await templatesNow())
      yield* finding("template", template, templateProblem(template), {
        mend: async () => {
          const right = await rightPartsOf(store, "template", template, templateParts(template));
          return store.write(account, (db) => repairTemplate(db, rightTemplate(template, right)));
        },
        again: async () =>
          (await templatesNow()).filter(({ id }) => id === template.id).map(templateProblem)[0],
      });
  }
}

function* finding(
  noun: "deck" | "template",
  row: StoredDeck | StoredTemplate,
  problem: string | undefined,
  { mend, again }: { mend(): Promise<string>; again(): Promise<string | undefined> },
): Generator<Finding> {
  if (problem === undefined) return;
  const name = parsed(row.document)?.name;
  const repair = (aside: Aside) => {
    aside.note({ [noun]: row });
    return mend();
  };
  yield {
    part: `${noun}s`,
    item: `${noun} ${row.id}${name === undefined ? "" : ` (${name})`}`,
    problem,
    cards: [],
    repair: lookingAgain(repair, again),
  };
}

const deckRows = (db: Db, account: string): Promise<StoredDeck[]> =>
  db.selectFrom("deck").selectAll().where("account", "=", account).orderBy("id").execute();

const templateRows = (db: Db, account: string): Promise<StoredTemplate[]> =>
  db.selectFrom("template").selectAll().where("account", "=", account).orderBy("id").execute();

/** With the parts that its checksum is of, where those are known. */
function rightDeck(deck: StoredDeck, parts: readonly string[] | undefined): StoredDeck {
  if (parts === undefined) return deck;
  const [, , parent_id, sort, ready] = JSON.parse(parts[0] ?? "") as [
    string,
    string,
    string | null,
    number,
    number,
  ];
  return { ...deck, parent_id, sort, ready, document: parts[1] ?? "" };
}

function rightTemplate(template: StoredTemplate, parts: readonly string[] | undefined): StoredTemplate {
  if (parts === undefined) return template;
  const [, , pos] = JSON.parse(parts[0] ?? "") as [string, string, string];
  return { ...template, pos: Buffer.from(pos, "hex"), document: parts[1] ?? "" };
}

const wrongChecksum = "its document or a column has another checksum";

const templateProblem = (template: StoredTemplate) =>
  parsed(template.document) === undefined || template.checksum !== templateChecksum(template)
    ? wrongChecksum
    : undefined;

function deckProblem(deck: StoredDeck, decks: ReadonlyMap<string, StoredDeck>): string | undefined {
  if (parsed(deck.document) === undefined) return "its document is damaged";
  if (deck.checksum !== deckChecksum(deck)) return wrongChecksum;
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
    .set({ ...mended, live, checksum: deckChecksum(mended) })
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
    update template set document = ${document}, pos = ${template.pos}, checksum = ${templateChecksum(mended)}
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
