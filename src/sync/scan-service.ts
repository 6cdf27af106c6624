import { documentWithTags } from "../cards/document.ts";
import type { Client } from "../client/index.ts";
import { type Deck, isMap, type Template } from "../schema/index.ts";
import { settingsOf } from "../schema/today.ts";
import { docOfCard, refOf, withPlainEnds } from "./doc.ts";
import type { NamedFiles } from "./scan-service-files.ts";
import type { State } from "./state.ts";
import type { DeckDoc, ServiceCard } from "./types.ts";

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
