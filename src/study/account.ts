import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { TreeDeck } from "../deck-tree.ts";
import type { Card, Deck, Template, TodayFigures } from "../schema/index.ts";
import type { StudyService } from "./ports.ts";

interface StudyDeck extends TreeDeck {
  readonly name: string;
  readonly archived: boolean;
  readonly trashed: boolean;
}

/** The documents of an account, as one request of the page reads them: decks and templates once. */
export class AccountReader {
  readonly #service: StudyService;
  readonly account: string;
  readonly #known = new Map<string, Promise<unknown>>();

  constructor(service: StudyService, account: string) {
    this.#service = service;
    this.account = account;
  }

  card(id: string): Promise<Card | undefined> {
    return this.#get<Card>(`/cards/${encodeURIComponent(id)}`);
  }

  deck(id: string | null | undefined): Promise<Deck | undefined> {
    return this.#once<Deck>("decks", id);
  }

  template(id: string | null | undefined): Promise<Template | undefined> {
    return this.#once<Template>("templates", id);
  }

  today(): Promise<TodayFigures | undefined> {
    return this.#get("/today");
  }

  /** All decks, in no order. */
  async decks(): Promise<readonly StudyDeck[]> {
    const decks: StudyDeck[] = [];
    for await (const deck of this.#pages<Deck>("/decks"))
      decks.push({
        ...{ id: deck.id, name: deck.name ?? "", sort: deck.sort, parent: deck["parent-id"] },
        archived: deck["archived?"] === true,
        trashed: deck["trashed?"] != null,
      });
    return decks;
  }

  cards(): AsyncGenerator<Card, void> {
    return this.#pages<Card>("/cards");
  }

  /** The names of a deck and those above it. */
  async path(id: string | null | undefined): Promise<string> {
    const names: string[] = [];
    const seen = new Set<string>();
    for (let at = await this.deck(id); at !== undefined && !seen.has(at.id); ) {
      seen.add(at.id);
      names.unshift(at.name ?? "");
      at = await this.deck(at["parent-id"]);
    }
    return names.join("/");
  }

  async *#pages<T>(path: string): AsyncGenerator<T, void> {
    for (let query = "limit=100"; ; ) {
      const page = await this.#get<{ docs: readonly T[]; bookmark?: string | null }>(path, query);
      yield* page?.docs ?? [];
      if (page?.bookmark == null || page.docs.length === 0) return;
      query = `limit=100&bookmark=${encodeURIComponent(page.bookmark)}`;
    }
  }

  #once<T>(kind: string, id: string | null | undefined): Promise<T | undefined> {
    if (id == null || id === "") return Promise.resolve(undefined);
    const path = `/${kind}/${encodeURIComponent(id)}`;
    const known = this.#known.get(path) ?? this.#get<T>(path);
    this.#known.set(path, known);
    return known as Promise<T | undefined>;
  }

  /** @returns undefined where there is no such document. @throws what the service failed with */
  async #get<T>(path: string, query = ""): Promise<T | undefined> {
    const request = { method: "GET", path, query, headers: { accept: "application/json" } };
    const { status, body } = await this.#service.send(this.account, request);
    const answer = body instanceof Readable ? await text(body) : String(body);
    if (status === 200) return JSON.parse(answer) as T;
    if (status === 404) return undefined;
    throw new Error(`${path} was answered with ${status}: ${answer.slice(0, 200)}`);
  }
}
