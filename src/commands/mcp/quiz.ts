import { setTimeout } from "node:timers/promises";
import { sidesAt } from "../../cards/passes.ts";
import { shownCard } from "../../review/session/card.ts";
import { Play } from "../../review/session/play.ts";
import { GUARD_MS } from "../../review/session/reducer.ts";
import { currentCard, isOver, placeText, toReveal } from "../../review/session/state.ts";
import { answerToType } from "../../review/session/typing.ts";
import { plainSettings } from "../due/session.ts";
import { type Place, refusal } from "./cards.ts";
import type { Output } from "./schemas.ts";

/** Asks the cards of a review one after the other, each answer only after its question. */
export class Quiz {
  readonly #place: Place;
  #play: Promise<Play> | undefined;
  /** The card whose question was given, and is not answered yet. */
  #asks: string | undefined;

  constructor(place: Place) {
    this.#place = place;
  }

  async next(): Promise<Output<"review_next">> {
    if ((await this.#play)?.session.isPast) await this.close();
    const { context, home } = this.#place;
    this.#play ??= plainSettings({ deck: home, recursive: true }, context).then((given) => new Play(given));
    const play = await this.#play.catch((error) => {
      this.#play = undefined;
      throw error;
    });
    const { session, settings } = play;
    session.dropAnswered();
    const isReady = () => shownCard(session) !== undefined || isOver(session.state);
    await play.until(() => isReady() || session.trouble !== undefined, context.signal);
    if (!isReady()) throw refusal(session.trouble ?? "stopped", "Call review_next again.");
    const shown = shownCard(session);
    if (shown === undefined) {
      await this.close();
      return { done: true };
    }
    const card = shown.card.card.id;
    this.#asks = card;
    const deck = settings.world.deckPath(session.due.get(card)?.["deck-id"] ?? "");
    const type = answerToType(shown.card, shown.pass, 0) !== undefined;
    return { done: false, card, deck, question: textOf(play, 0), place: placeText(session.state), type };
  }

  async reveal(card: string): Promise<Output<"review_reveal">> {
    const play = await this.#asked(card);
    const { session } = play;
    while (toReveal(session.state) > 0) session.act({ type: "reveal", key: "" });
    return { card, answer: textOf(play, session.state.position.step) };
  }

  async answer(card: string, remembered: boolean): Promise<Output<"review_answer">> {
    // The session takes no grade sooner after it has shown an answer, lest a held key gives it.
    await setTimeout(GUARD_MS + 10);
    const play = await this.#asked(card);
    const { session, recording } = play;
    if (toReveal(session.state) > 0)
      throw refusal(`the answer of ${card} was not revealed`, "Call review_reveal first.");
    const before = session.state.position;
    session.act({ type: "grade", remembered, key: "" });
    if (session.state.position === before)
      throw refusal(session.message ?? "the answer was not taken", "Call review_answer again.");
    this.#asks = undefined;
    await recording.flush(this.#place.context.signal);
    const { waiting = 0, refused = [] } = recording.status ?? {};
    const problem = refused.find(({ line }) => line["card-id"] === card);
    if (problem !== undefined) throw refusal(`not recorded: ${problem.reason}`, "Call review_next.");
    const again = session.state.position.queue.includes(card);
    return { card, due: again ? null : (play.memoryOf(card).at(-1)?.due ?? null), again, waiting };
  }

  /** Lets go of the session; an answer that could not be sent is in the log. */
  async close(): Promise<void> {
    const closed = this.#play;
    this.#play = undefined;
    const play = await closed;
    play?.close();
    play?.recording.close();
  }

  /** @throws UsageError if another card, or none, is asked */
  async #asked(card: string): Promise<Play> {
    const play = await this.#play;
    play?.session.dropAnswered();
    if (this.#asks === card && play !== undefined && currentCard(play.session.state) === card) return play;
    throw refusal(`the card ${card} is not asked now`, "Call review_next first.");
  }
}

/** The sides that are shown at a step, as text. */
function textOf({ session, settings }: Play, step: number): string {
  const { card, pass } = shownCard(session) ?? {};
  if (card === undefined || pass === undefined) return "";
  const sides = sidesAt(card.presentation, pass, { step }).map(({ side, cloze }) =>
    settings.world.render(side, { width: 1000, card: card.card, cloze }).join("\n"),
  );
  return sides.join("\n\n---\n\n").trim();
}
