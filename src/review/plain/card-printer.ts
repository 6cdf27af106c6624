import { type Pass, type Reached, type ShownSide, type Side, sideAt, stepAt } from "../../cards/passes.ts";
import { LEECH_LAPSES } from "../../schedule/lapses.ts";
import { oneLine } from "../panels.ts";
import { revealedSounds, type SessionCard } from "../session/card.ts";
import type { Play } from "../session/play.ts";
import { againText, placeText } from "../session/state.ts";
import type { Talk } from "./talk.ts";

interface CardPrinterSettings {
  readonly play: Play;
  readonly talk: Talk;
  /** Columns of the terminal, now. */
  width(): number;
}

export interface CurrentCard {
  readonly cardId: string;
  readonly card: SessionCard;
  readonly pass: Pass;
}

/** Prints the sides of the card that is asked, each once. */
export class CardPrinter {
  readonly #settings: CardPrinterSettings;
  /** What was printed last, so that nothing is printed twice. */
  #printed: (Required<Reached> & { readonly asked: string }) | undefined;

  constructor(settings: CardPrinterSettings) {
    this.#settings = settings;
  }

  /** The card is printed whole the next time. */
  forget(): void {
    this.#printed = undefined;
  }

  /** Prints what is new since the last time. */
  print(now: CurrentCard): void {
    const { talk, play, width } = this.#settings;
    const { session } = play;
    const { state } = session;
    const { step, opened } = state.position;
    // Another answer, skip or undo lies between two times that the same pass is printed.
    const moves = state.history.filter(({ position }) => position !== undefined).length;
    const asked = `${moves} ${now.cardId} ${now.pass.kind} ${now.pass.group}`;
    const last = this.#printed?.asked === asked && this.#printed.step >= step - 1 ? this.#printed : undefined;
    if (last?.step === step && last.opened === opened) return;
    const shown = stepAt(now.pass, step);
    if (last === undefined) {
      const deckId = session.due.get(now.cardId)?.["deck-id"] ?? "";
      const place = placeText(state) + againText(state);
      talk.print("", `Card ${place}. ${oneLine(play.settings.world.deckPath(deckId))} (${play.kind()})`);
      const lapses = play.lapses(now.cardId);
      if (lapses >= LEECH_LAPSES)
        talk.print(`A leech: forgotten ${lapses} times. a archives it, e edits it.`);
    }
    const options = { width: Math.max(20, width() - 1), card: now.card.card };
    const sideOf = ({ index }: ShownSide, reached: Reached): Side | undefined => {
      const side = now.card.presentation.sides[index];
      return side && sideAt(side, now.pass, reached);
    };
    const revealed = last?.step !== step;
    for (const each of shown) {
      const side = sideOf(each, state.position);
      const isNew = last === undefined || (revealed && each === shown.at(-1)) || side !== sideOf(each, last);
      if (side !== undefined && isNew)
        talk.print("", ...play.settings.world.render(side, { ...options, cloze: each.cloze }), "");
    }
    this.#printed = { asked, step, opened };
    const plays = play.settings.autoplay && revealed;
    const sounds = plays ? revealedSounds(now.card, now.pass, state.position) : [];
    if (sounds.length > 0) void play.settings.world.play(now.cardId, sounds);
  }
}
