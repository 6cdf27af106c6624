import { hasClosed } from "../../cards/passes.ts";
import { type SessionCard, type ShownCard, shownCard } from "../session/card.ts";
import type { Session } from "../session/session.ts";
import type { TypedPart } from "../session/typing.ts";
import type { CardComposer, CardLines } from "./body.ts";

export interface CardOnScreen extends CardLines, ShownCard {}

/** The card on the screen, whose answer is not shown yet, and the next two. */
const AHEAD = 3;

interface CardPaneSettings {
  readonly session: Session<SessionCard>;
  readonly composer: CardComposer;
  /** Columns of the screen, and how many rows the card has. */
  size(): { readonly columns: number; readonly rows: number };
  /** A side appeared. `revealed`: it was revealed; else another card or pass came up. */
  appeared(card: CardOnScreen, revealed: boolean): void;
}

/** The card on the screen: its rows, how far it is scrolled, and what of it was seen. */
export class CardPane {
  readonly #settings: CardPaneSettings;
  #shown: { readonly card: CardOnScreen; readonly columns: number } | undefined;
  #scroll = 0;
  /** The first row that was not on the screen yet. */
  #seenTo = 0;
  /** The pass that the last frame showed, and its step. */
  #drawn: Pick<CardOnScreen, "pass" | "step"> | undefined;
  /** What was typed for the side that was revealed last. */
  #typed: readonly TypedPart[] | undefined;

  constructor(settings: CardPaneSettings) {
    this.#settings = settings;
  }

  get scroll(): number {
    return this.#scroll;
  }

  /** Whether rows are below the screen that were never on it. */
  get unseen(): boolean {
    return (this.#shown?.card.lines.length ?? 0) > this.#seenTo;
  }

  /** Whether the card of the session has been on the screen: keys act on no other. */
  get isDrawn(): boolean {
    const card = this.current();
    return card !== undefined && card.pass === this.#drawn?.pass;
  }

  /**
   * Whether all that is revealed of it has been on the screen: nothing else is graded, so that keys that came together
   * with the one that revealed do not grade, however long it takes to draw.
   */
  get isSideDrawn(): boolean {
    return this.isDrawn && this.current()?.step === this.#drawn?.step;
  }

  get hasHint(): boolean {
    const card = this.current();
    return card !== undefined && hasClosed(card.card.presentation, card.pass, card);
  }

  /** A frame with the card is about to be on the screen. */
  drawn(): void {
    this.#drawn = this.current();
  }

  /** To be shown with the next side. */
  set typed(parts: readonly TypedPart[] | undefined) {
    this.#typed = parts;
  }

  scrollTo(row: number): void {
    const { rows } = this.#settings.size();
    this.#scroll = Math.max(0, Math.min(row, (this.#shown?.card.lines.length ?? 0) - rows));
    this.#seenTo = Math.max(this.#seenTo, this.#scroll + rows);
  }

  /** The card of the session as it is now; undefined while it is being fetched. */
  current(): CardOnScreen | undefined {
    const { session, composer, size, appeared } = this.#settings;
    const now = shownCard(session);
    if (now === undefined) return undefined;
    const { card, pass, step, opened } = now;
    const { columns, rows } = size();
    const before = this.#shown;
    const same = before?.card.card === card && before.card.pass === pass;
    const sameSides = same && before.columns === columns && before.card.step === step;
    if (sameSides && before.card.opened === opened) return before.card;
    if (!same || step < before.card.step) this.#typed = undefined;
    const lines = composer.compose(card, pass, { step, opened }, columns, this.#typed);
    const next: CardOnScreen = { ...lines, ...now };
    this.#shown = { card: next, columns };
    const revealed = same && step > before.card.step;
    if (!same || before.columns !== columns) this.#seenTo = 0;
    if (!sameSides) this.scrollTo(step > 0 ? placeAnswer(next, rows) : 0);
    if (!same || revealed) appeared(next, revealed);
    return next;
  }

  /**
   * Renders the cards that come next at the width of the screen, so that their pictures are fetched and drawn before
   * they are shown.
   */
  prepare(): void {
    const { session, composer, size } = this.#settings;
    for (const cardId of session.state.position.queue.take(AHEAD)) {
      const card = session.card(cardId);
      for (const pass of card?.presentation.passes ?? [])
        for (const step of new Set([0, pass.steps - 1]))
          if (card !== undefined) composer.compose(card, pass, { step }, size().columns);
    }
  }

  /** Renders the card again: something that it shows has come. */
  renew(): void {
    if (this.#shown === undefined) return;
    const { card, columns } = this.#shown;
    const { composer } = this.#settings;
    const lines = composer.compose(card.card, card.pass, card, columns, this.#typed);
    this.#shown = { columns, card: { ...card, ...lines } };
  }
}

/**
 * The row at the top after a reveal: the question stays above its answer where both fit, else as much of the question
 * as fits above the whole answer, else a third of the screen of it.
 */
function placeAnswer({ lines, latest }: CardLines, rows: number): number {
  const answer = lines.length - latest;
  const above = answer <= rows ? rows - answer : Math.min(latest, Math.floor(rows / 3));
  return Math.max(0, latest - above);
}
