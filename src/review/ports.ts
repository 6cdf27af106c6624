import type { CardLink } from "../cards/links.ts";
import type { ClozeView, Side } from "../cards/passes.ts";
import type { Card, Deck, Template } from "../schema/index.ts";
import type { Change } from "./session/state.ts";

/** What a session needs from outside. All of it arrives as functions: the session knows no service and no file. */

export type Fetched<C> =
  | { readonly kind: "card"; readonly card: C }
  | { readonly kind: "gone" }
  /** The service does not answer, or not now. */
  | { readonly kind: "later"; readonly reason: string };

export type Loaded = Fetched<Card> & {
  readonly template?: Template | undefined;
  readonly deck?: Deck | undefined;
};

export type Changed = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** What is still to come, in all decks. */
export interface Forecast {
  /** Cards that a review without options would ask now, new ones included. */
  readonly left: number;
  /** Null where the service does not say what is due on other days. */
  readonly tomorrow: number | null;
  /** Days in a row with a review, until today or yesterday. */
  readonly streak: number | undefined;
}

export interface World {
  /** Fetches a card whole, with its template and deck. Does not throw. */
  load(cardId: string): Promise<Loaded>;
  /** Archives, trashes, restores or tags a card. Does not throw. */
  change(cardId: string, change: Change): Promise<Changed>;
  /** Lets the user edit the card; the editor has the terminal meanwhile. Resolves with a message about it. */
  edit(cardId: string): Promise<string>;
  /** Opens a link or an attachment. Resolves with a message about it. */
  open(cardId: string, link: CardLink): Promise<string>;
  /** Plays sounds of a card one after the other, instead of what is playing. Resolves with a message if there is one. */
  play(cardId: string, files: readonly string[]): Promise<string | undefined>;
  silence(): void;
  /** Undefined if that cannot be found out now. Does not throw. */
  forecast(): Promise<Forecast | undefined>;
  /** The deck's path for people, not yet safe to print. */
  deckPath(deckId: string): string;
  /** Registers what is called when pictures have come that were not there when a card was rendered. */
  onPictures(listener: () => void): void;
  /** The lines of a side, wrapped to the width, styled and safe to print. */
  render(side: Side, options: RenderOptions): readonly string[];
}

interface RenderOptions {
  readonly width: number;
  /** Tables may be so much wider than text. */
  readonly tableWidth?: number;
  /** Whether an answer is shown below it: its pictures are drawn smaller, so that both fit. */
  readonly shrunk?: boolean;
  readonly card: Pick<Card, "id" | "attachments">;
  /** What is done with the deletions of a cloze group. */
  readonly cloze?: ClozeView | undefined;
}

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds that never go back. */
  ticks(): number;
}
