import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { loadCodec } from "../codecs/index.ts";
import type { TreeDeck } from "../deck-tree.ts";
import { type Deck, type ObjectKind, operations, type TodayFigures } from "../schema/index.ts";
import type { StudyService } from "./ports.ts";

/** The documents of an account. */
export class AccountReader {
  readonly #service: Pick<StudyService, "send">;
  readonly account: string;

  constructor(service: Pick<StudyService, "send">, account: string) {
    this.#service = service;
    this.account = account;
  }

  /** A document that another one may name; undefined where there is none of that id (any more). */
  async one<T>(kind: "cards" | "decks" | "templates", id: string | null | undefined): Promise<T | undefined> {
    return id
      ? this.#get<T>(operations[`${kind}.get`].answer, `/${kind}/${encodeURIComponent(id)}`)
      : undefined;
  }

  async *all<T>(kind: "cards" | "decks"): AsyncGenerator<T, void> {
    for (let query = "limit=100"; ; ) {
      const { answer } = operations[`${kind}.list`];
      const page = await this.#get<{ docs: T[]; bookmark?: string | null }>(answer, `/${kind}`, query);
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

  /** A deck and those above it, the highest first. */
  async line(id: string | null | undefined, below: readonly Deck[] = []): Promise<readonly Deck[]> {
    const deck = below.some((each) => each.id === id) ? undefined : await this.one<Deck>("decks", id);
    return deck === undefined ? below : this.line(deck["parent-id"], [deck, ...below]);
  }

  today(): Promise<TodayFigures | undefined> {
    return this.#get(operations["today.get"].answer, "/today");
  }

  /** @returns undefined where there is no such document. @throws what the service failed with */
  async #get<T>(kind: ObjectKind, path: string, query = ""): Promise<T | undefined> {
    const request = { method: "GET", path, query, headers: { accept: "application/json" } };
    const { status, body } = await this.#service.send(this.account, request);
    const answer = body instanceof Readable ? await text(body) : String(body);
    if (status === 200) return (await loadCodec("json")).decode(kind, answer) as T;
    if (status === 404) return undefined;
    throw new Error(`${path} was answered with ${status}: ${answer.slice(0, 200)}`);
  }
}
