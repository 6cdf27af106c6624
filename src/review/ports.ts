import type { CardLink } from "../cards/links.ts";
import type { Side } from "../cards/passes.ts";
import type { Card, Deck, Template } from "../schema/index.ts";
import type { Change } from "./session/state.ts";

/** What a session asks of the world. All of it arrives as functions: the session knows no service and no file. */

export type Loaded =
  | {
      readonly kind: "card";
      readonly card: Card;
      readonly template?: Template | undefined;
      readonly deck?: Deck | undefined;
    }
  /** The card is no more. */
  | { readonly kind: "gone" }
  /** The service does not answer, or not now. */
  | { readonly kind: "later"; readonly reason: string };

export type Changed = { readonly ok: true } | { readonly ok: false; readonly reason: string };

export interface World {
  /** Fetches a card whole, with its template and deck. Does not throw. */
  load(cardId: string): Promise<Loaded>;
  /** Archives, trashes, takes back or tags a card. Does not throw. */
  change(cardId: string, change: Change): Promise<Changed>;
  /** Lets the user edit the card; the terminal is theirs meanwhile. Resolves with what to say about it. */
  edit(cardId: string): Promise<string>;
  /** Opens a link or an attachment. Resolves with what to say about it. */
  open(cardId: string, link: CardLink): Promise<string>;
  /** Keeps what the user chose for a service that cannot record reviews. */
  choose(record: "log" | "none"): Promise<void>;
  /** The deck's path for people, not yet safe to print. */
  deckPath(deckId: string): string;
  /** The lines of a side, wrapped to the width, styled and safe to print. */
  render(side: Side, options: RenderOptions): readonly string[];
}

export interface RenderOptions {
  readonly width: number;
  /** What is done with the deletions of a cloze group. */
  readonly cloze?: { readonly group: number | null; readonly hidden: boolean } | undefined;
}

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds that never go back. */
  ticks(): number;
}
