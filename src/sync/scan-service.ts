import { documentWithTags } from "../cards/document.ts";
import type { Client } from "../client/index.ts";
import { type Deck, isMap, type Template } from "../schema/index.ts";
import { settingsOf } from "../schema/today.ts";
import { docOfCard, refOf, withPlainEnds } from "./doc.ts";
import type { State } from "./state.ts";
import type { DeckDoc, ServiceCard, ServiceFile } from "./types.ts";

export interface ServiceDeck {
  readonly id: string;
  readonly doc: DeckDoc;
  /** Whether it or a deck above it is in the trash. */
  readonly trashed: boolean;
}

/** The cards of the service as they were listed. */
export interface ScannedCards {
  /** Those that are new, changed or in the trash. */
  readonly others: ReadonlyMap<string, ServiceCard>;
  /** The ids of those that are as at the last sync: what they are, the state has. */
  readonly unchanged: ReadonlySet<string>;
}

/** Whether a card is listed and not in the trash. */
export const isLive = ({ others, unchanged }: ScannedCards, id: string): boolean =>
  unchanged.has(id) || others.get(id)?.trashed === false;

export interface ServiceState {
  readonly decks: ReadonlyMap<string, ServiceDeck>;
  readonly cards: ScannedCards;
  readonly templates: readonly Template[];
  readonly attachments: NamedFiles;
  /** Whether a deck is in the trash, so that its cards count as removed. */
  inTrash(deck: string | null): boolean;
}

/** What is synced of a deck of the service. */
export const docOfDeck = (deck: Deck): DeckDoc => ({
  ...settingsOf(deck),
  name: deck.name ?? "",
  parent: deck["parent-id"] ?? null,
});

interface ServiceScanOptions {
  readonly client: Client;
  readonly state: State;
  /** All decks, with their parents. */
  decks(): Promise<readonly Deck[]>;
  /** The deck that is synced with those under it; everything if undefined. */
  readonly scope: string | undefined;
  progress(cards: number): void;
}

/** Reads decks, templates and cards whole: the service has no list of what changed. */
export async function scanService(options: ServiceScanOptions): Promise<ServiceState> {
  const { client, state, scope, progress } = options;
  const decks = inScope(scope, await options.decks());
  const inTrash = (deck: string | null) => deck !== null && decks.get(deck)?.trashed === true;
  const templates = await client.templates.all();
  const [others, unchanged] = [new Map<string, ServiceCard>(), new Set<string>()];
  const names = new Map<string, readonly string[]>();
  let known = true;
  for (const deckId of scope === undefined ? [undefined] : decks.keys())
    for await (const { docs } of client.cards.pages({ deckId })) {
      for (const card of docs) {
        if (others.has(card.id) || unchanged.has(card.id)) continue;
        const tags = card["manual-tags"];
        // Waiting for each of many cards takes longer than reading them.
        const doc = tags ? withPlainEnds(documentWithTags(card, tags)) : await docOfCard(card);
        const trashed = card["trashed?"] != null || inTrash(doc.deck);
        known &&= isMap(card.attachments);
        const files = isMap(card.attachments) ? Object.keys(card.attachments) : [];
        if (files.length > 0) names.set(card.id, files);
        const found = { id: card.id, name: card.name ?? "", doc: refOf(doc), trashed };
        if (!trashed && state.isAgreed(found.id, found.doc.hash)) unchanged.add(found.id);
        else others.set(found.id, found);
      }
      progress(others.size + unchanged.size);
    }
  const cards = { others, unchanged };
  return { decks, cards, templates, attachments: { known, names }, inTrash };
}

/** The decks of the scope, each with whether it is in the trash by itself or with one above it. */
function inScope(scope: string | undefined, known: readonly Deck[]): Map<string, ServiceDeck> {
  const byId = new Map(known.map((deck) => [deck.id, deck]));
  const decks = new Map<string, ServiceDeck>();
  for (const deck of known) {
    let [inside, trashed] = [scope === undefined, false];
    const line = new Set<string>();
    for (let each: Deck | undefined = deck; each !== undefined && !line.has(each.id); ) {
      line.add(each.id);
      inside ||= each.id === scope;
      trashed ||= each["trashed?"] != null;
      each = byId.get(each["parent-id"] ?? "");
    }
    if (inside) decks.set(deck.id, { id: deck.id, doc: docOfDeck(deck), trashed });
  }
  return decks;
}

/** The attachments of the service, and what it lets a sync do with them. */
export interface ServiceFiles {
  /** Whether it lists attachments with their hashes, and lets them be downloaded; else at most their names are known. */
  readonly lists: boolean;
  /** Whether its cards say which attachments they have. */
  readonly names: boolean;
  /** By the ids of cards; only cards that have attachments. */
  readonly byCard: ReadonlyMap<string, readonly ServiceFile[]>;
}

/** What the cards of the service say about their attachments. */
interface NamedFiles {
  /** Whether each card says it. */
  readonly known: boolean;
  /** The names, by the ids of cards; only of cards that have attachments. */
  readonly names: ReadonlyMap<string, readonly string[]>;
}

/**
 * Lists the attachments of cards.
 *
 * @param ids the cards that are synced
 * @param needed whether either side has attachments, or had some at the last sync
 */
export async function scanServiceFiles(
  client: Client,
  ids: { has(id: string): boolean },
  { known, names }: NamedFiles,
  needed: boolean,
): Promise<ServiceFiles> {
  const byCard = new Map<string, readonly ServiceFile[]>();
  if (!needed) return { lists: true, names: true, byCard };
  const { service } = client;
  const lists = (await service.has("attachment-list")) && (await service.has("attachment-download"));
  const add = (id: string, file: ServiceFile) => byCard.set(id, [...(byCard.get(id) ?? []), file]);
  if (!lists) for (const [id, each] of names) for (const name of each) add(id, { name, hash: undefined });
  else if (!known || names.size > 0)
    for await (const page of client.attachments.all())
      for (const { "card-id": id, "file-name": name, sha256 } of page)
        if (ids.has(id)) add(id, { name, hash: sha256?.toLowerCase() });
  return { lists, names: known, byCard };
}
