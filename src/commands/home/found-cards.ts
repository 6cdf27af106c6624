import type { Context } from "../../context/context.ts";
import type { Found, HomeDeck, ListedCard } from "../../home/ports.ts";
import { relativeDay } from "../../output/relative.ts";
import { oneLine } from "../../review/panels.ts";
import { dueAt, isNewCard } from "../../review/session/queue.ts";
import type { Card } from "../../schema/index.ts";
import { conditionsOf } from "../../search/query.ts";
import { queryOf, selection } from "../cards/search.ts";
import { userDays } from "../shared/time.ts";

/** The most cards of a list that is drawn. */
const most = 500;

/** All cards of the account, read once while cards are searched: each letter finds among them. */
export class FoundCards {
  readonly #context: Context;
  #cards = new Map<string, Card>();
  /** How many are read so far, while they are read anew. */
  #reading: number | undefined;
  /** Decks by id, for the paths; those that are archived or in the trash are not among them. */
  #decks: ReadonlyMap<string, HomeDeck> = new Map();

  constructor(context: Context) {
    this.#context = context;
  }

  set decks(decks: readonly HomeDeck[]) {
    this.#decks = new Map(decks.map((deck) => [deck.id, deck]));
  }

  get(id: string): Card | undefined {
    return this.#cards.get(id);
  }

  put(card: Card): void {
    this.#cards.set(card.id, card);
  }

  async read(decks: readonly HomeDeck[]): Promise<void> {
    this.decks = decks;
    if (this.#reading !== undefined) return;
    this.#reading = 0;
    const fresh = new Map<string, Card>();
    // What was read before stays until all is read again.
    if (this.#cards.size === 0) this.#cards = fresh;
    try {
      for await (const { docs } of (await this.#context.client()).cards.pages({})) {
        for (const card of docs) fresh.set(card.id, card);
        this.#reading = fresh.size;
      }
      this.#cards = fresh;
    } finally {
      this.#reading = undefined;
    }
  }

  async find(text: string): Promise<Found> {
    const found = await this.#matching(text.trim());
    return {
      cards: found.slice(0, most).map((card) => this.listed(card)),
      total: found.length,
      reading: this.#reading,
    };
  }

  listed(card: Card & { readonly asked?: string | null | undefined }): ListedCard {
    return {
      id: card.id,
      name: oneLine(card.name ?? card.content ?? card.id),
      deck: oneLine(this.#decks.get(card["deck-id"] ?? "")?.path ?? ""),
      tags: card.tags ?? [],
      state: card["trashed?"] != null ? "trashed" : card["archived?"] ? "archived" : this.#dueText(card),
    };
  }

  #dueText(card: Card): string {
    if (isNewCard(card)) return "new";
    const [due, now] = [dueAt(card as Parameters<typeof dueAt>[0]), this.#context.clock.now()];
    if (!Number.isFinite(due)) return "";
    return relativeDay(new Date(due).toISOString(), { now, dayOf: userDays(this.#context).dayOf });
  }

  async #matching(text: string): Promise<readonly Card[]> {
    const all = [...this.#cards.values()];
    if (text === "") return all.filter((card) => card["trashed?"] == null);
    const query = await queryOf(text, this.#context);
    const select = await selection(query, this.#context, { looks: false });
    const found = await select(all);
    const namesTrash = conditionsOf(query).some((term) => term.kind === "is" && term.state === "trashed");
    if (namesTrash || this.#decks.size === 0) return found;
    const trashed = await this.#trashedDecks();
    return trashed.size === 0 ? found : found.filter((card) => !trashed.has(card["deck-id"] ?? ""));
  }

  /** The decks that are in the trash, themselves or with one above them. */
  async #trashedDecks(): Promise<ReadonlySet<string>> {
    const { idsUnder } = await import("../../decks/lines.ts");
    const decks = await (await this.#context.names()).decks();
    const trashed = decks.flatMap(({ id, trashed: is }) => (is ? [id] : []));
    return trashed.length === 0 ? new Set() : idsUnder(trashed, decks);
  }
}
