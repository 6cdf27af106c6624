import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { TreeDeck } from "../deck-tree.ts";
import type { Deck } from "../schema/index.ts";
import type { StudyService } from "./ports.ts";

/** The documents of an account, as one request of the page reads them: each once. */
export class AccountReader {
  readonly #service: Pick<StudyService, "send">;
  readonly account: string;
  readonly #known = new Map<string, Promise<unknown>>();

  constructor(service: Pick<StudyService, "send">, account: string) {
    this.#service = service;
    this.account = account;
  }

  /** A document that another one may name; undefined where there is none of that id (any more). */
  async one<T>(kind: "cards" | "decks" | "templates", id: string | null | undefined): Promise<T | undefined> {
    if (!id) return undefined;
    const path = `/${kind}/${encodeURIComponent(id)}`;
    const known = this.#known.get(path) ?? this.get<T>(path);
    this.#known.set(path, known);
    return known as Promise<T | undefined>;
  }

  async *all<T>(kind: "cards" | "decks"): AsyncGenerator<T, void> {
    for (let query = "limit=100"; ; ) {
      const page = await this.get<{ docs: T[]; bookmark?: string | null }>(`/${kind}`, query);
      yield* page?.docs ?? [];
      if (page?.bookmark == null || page.docs.length === 0) return;
      query = `limit=100&bookmark=${encodeURIComponent(page.bookmark)}`;
    }
  }

  /** All decks, in no order. */
  async decks(): Promise<readonly (TreeDeck & { readonly name: string })[]> {
    const decks: (TreeDeck & { readonly name: string })[] = [];
    for await (const { id, name, sort, "parent-id": parent, ...flags } of this.all<Deck>("decks")) {
      const [archived, trashed] = [flags["archived?"] === true, flags["trashed?"] != null];
      decks.push({ id, name: name ?? "", sort, parent, archived, trashed });
    }
    return decks;
  }

  /** The names of a deck and those above it. */
  async path(id: string | null | undefined, below = new Set<string>()): Promise<string> {
    const deck = await this.one<Deck>("decks", id);
    if (deck === undefined || below.has(deck.id)) return "";
    const above = await this.path(deck["parent-id"], below.add(deck.id));
    return above === "" ? (deck.name ?? "") : `${above}/${deck.name ?? ""}`;
  }

  /** @returns undefined where there is no such document. @throws what the service failed with */
  async get<T>(path: string, query = ""): Promise<T | undefined> {
    const request = { method: "GET", path, query, headers: { accept: "application/json" } };
    const { status, body } = await this.#service.send(this.account, request);
    const answer = body instanceof Readable ? await text(body) : String(body);
    if (status === 200) return JSON.parse(answer) as T;
    if (status === 404) return undefined;
    throw new Error(`${path} was answered with ${status}: ${answer.slice(0, 200)}`);
  }
}
