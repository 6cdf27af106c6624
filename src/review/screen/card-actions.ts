import type { CardLink } from "../../cards/links.ts";
import type { World } from "../ports.ts";
import { revealedSounds } from "../session/card.ts";
import type { Session } from "../session/session.ts";
import type { CardOnScreen } from "./card-pane.ts";

/** What takes a while to do with the card on the screen; a message says what came of it. */
export class CardActions {
  readonly #session: Session;
  readonly #world: Pick<World, "edit" | "open" | "play">;
  #editing = false;

  constructor(session: Session, world: Pick<World, "edit" | "open" | "play">) {
    this.#session = session;
    this.#world = world;
  }

  /** Whether the editor is open, or the card is fetched again after it. */
  get editing(): boolean {
    return this.#editing;
  }

  edit({ cardId }: CardOnScreen): void {
    this.#editing = true;
    const work = async () => {
      try {
        const message = await this.#world.edit(cardId);
        await this.#session.refresh(cardId);
        return message;
      } finally {
        this.#editing = false;
      }
    };
    this.#sayLater(work());
  }

  open({ cardId }: CardOnScreen, link: CardLink): void {
    // It may name a file, which takes time to copy.
    this.#sayLater(this.#world.open(cardId, link), true);
  }

  /** @returns false if there is no sound on what is revealed */
  play(shown: CardOnScreen): boolean {
    const { cardId, card, pass } = shown;
    const sounds = revealedSounds(card, pass, shown);
    if (sounds.length > 0) this.#sayLater(this.#world.play(cardId, sounds));
    return sounds.length > 0;
  }

  #sayLater(work: Promise<string | undefined>, stays = false): void {
    void work
      .catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
      .then((message) => {
        if (message !== undefined) this.#session.say(message, stays);
      });
  }
}
