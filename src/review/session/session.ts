import type { PastReview } from "../../schedule/index.ts";
import type { DueCard } from "../../schema/card.ts";
import type { Fetched } from "../ports.ts";
import { CardChanges, doneText, undoneAnswer, undoneText } from "./changes.ts";
import { Loader } from "./loader.ts";
import { type Earlier, resumedBy } from "./progress.ts";
import type { Recording } from "./recording.ts";
import { isTooSoon, reduce, startSession, tooSoon } from "./reducer.ts";
import { type AskedCard, SessionCards, type SessionSettings } from "./session-cards.ts";
import { type Action, currentCard, currentPass, type Effect, isOver, type SessionState } from "./state.ts";

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

const MESSAGE_MS = 5000;

/** The actions after which another pass or card comes up. */
const moves: ReadonlySet<Action["type"]> = new Set(["grade", "skip", "remove", "undo"]);

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const answeredElsewhere = "A card was answered elsewhere meanwhile, and is left out.";
const newDay = "A new day has begun: review again for its cards.";

/** Runs a session: carries out what the reducer asks for, and fetches cards ahead. */
export class Session<C extends AskedCard> {
  readonly changes: CardChanges;
  readonly recording: Recording;
  readonly #settings: SessionSettings<C>;
  readonly #loader: Loader<C>;
  readonly #cards: SessionCards<C>;
  readonly #elsewhere = new Set<string>();
  #state: SessionState;
  #complete: Promise<void> | undefined;
  /** Whether an answer of an earlier session is being taken back: its card must not be answered meanwhile. */
  #isBringing = false;
  /** When the guard began that was drawn last. */
  #guardSeen = Number.NaN;
  /** Why the card that was asked for last could not be fetched. */
  #away: string | undefined;
  #message: { readonly text: string; readonly at: number } | undefined;

  constructor(settings: SessionSettings<C>) {
    const { queue, world, clock, ahead = 3 } = settings;
    this.#settings = settings;
    this.#cards = new SessionCards(queue);
    this.changes = new CardChanges(world.change);
    this.recording = settings.recording;
    this.recording.settle(queue.settled);
    this.#state = startSession([...this.due.keys()], clock.ticks(), queue.resumed, queue.rest !== undefined);
    this.#loader = new Loader({
      load: world.load,
      wanted: () => this.#state.position.queue.take(ahead),
      loaded: (cardId, outcome) => {
        const answered = outcome.kind === "card" && this.#cards.isAnswered(outcome.card.card, clock.now());
        if (answered) this.#say(answeredElsewhere);
        this.#arrived(cardId, answered ? { kind: "gone" } : outcome);
      },
    });
    this.#loader.poke();
    void queue.opening?.then((text) => {
      if (text !== undefined && this.#message === undefined) this.say(text);
    });
  }

  get state(): SessionState {
    return this.#state;
  }

  /** The cards of the session as the due query has them. */
  get due(): ReadonlyMap<string, DueCard> {
    return this.#cards.due;
  }

  /** Resolves when no more cards are being read. */
  get complete(): Promise<void> {
    return this.#complete ?? Promise.resolve();
  }

  /** Whether another day has begun: a session may be left open overnight. */
  get isPast(): boolean {
    const { clock, endOfDay = Number.POSITIVE_INFINITY } = this.#settings;
    return clock.now() > endOfDay;
  }

  nameOf = (cardId: string): string | null | undefined => this.#cards.nameOf(cardId);

  card = (cardId: string): C | undefined => this.#cards.get(cardId);

  /** Why the current card is not there yet, if it could not be fetched. */
  get trouble(): string | undefined {
    return currentPass(this.#state) === undefined ? this.#away : undefined;
  }

  /** What there is to say, for a few seconds or until something else happens. */
  get message(): string | undefined {
    if (this.isPast && isOver(this.#state)) return newDay;
    const said = this.#message;
    return said !== undefined && this.#settings.clock.ticks() - said.at < MESSAGE_MS ? said.text : undefined;
  }

  /** @param stays whether it is shown until something else happens, however long that takes */
  say(message: string | undefined, stays = false): void {
    this.#say(message, stays);
    this.#settings.onChange();
  }

  act(partial: DistributiveOmit<Action, "at" | "id">) {
    const { clock, newId, onChange } = this.#settings;
    if (this.#isBringing) return this.say("The last answer is being taken back.");
    const action = { ...partial, at: clock.ticks(), id: newId() } as Action;
    if (action.type === "grade" && this.dropAnswered()) return onChange();
    if (action.type === "undo" && this.#state.history.length === 0) return void this.#undoEarlier();
    const before = this.#state;
    const step = reduce(before, action);
    if (step.state !== before) this.#say(doneText(action));
    else if (isTooSoon(before, action)) this.#say(tooSoon);
    for (const effect of step.effects) {
      const problem = this.#carryOut(effect);
      // An answer that is not in the log was not given.
      if (problem !== undefined) {
        this.#say(problem);
        return onChange();
      }
    }
    this.#state = step.state;
    const past = before.history.at(-1);
    if (action.type === "undo" && past !== undefined) this.#say(undoneText(past, this.nameOf));
    if (moves.has(action.type) && this.#state.position !== before.position) {
      this.dropAnswered();
      for (const [cardId, card] of this.#cards.waiting) this.#show(cardId, card, "loaded");
      this.#goOn();
    }
    this.#loader.poke();
    onChange();
  }

  /** A frame is drawn: the guard against a held key begins when a side can be seen, however long drawing took. */
  sideDrawn(): void {
    const { guard } = this.#state;
    if (guard.at === this.#guardSeen || guard.key === "") return;
    this.#reduce({ type: "page", key: guard.key });
    this.#guardSeen = this.#state.guard.at;
  }

  /** Fetches the card again and shows it from its first side. */
  async refresh(cardId: string): Promise<void> {
    const outcome = await this.#settings.world.load(cardId);
    if (outcome.kind !== "later") this.#arrived(cardId, outcome, true);
  }

  /** All known reviews of a card: the service's, the log's, and those of this session. */
  reviewsOf(cardId: string): PastReview[] {
    return [...this.#cards.reviewsOf(cardId), ...this.recording.reviewsOf(cardId)];
  }

  close(): void {
    this.#loader.close();
  }

  #say(text: string | undefined, stays = false): void {
    const at = stays ? Number.POSITIVE_INFINITY : this.#settings.clock.ticks();
    this.#message = text === undefined ? undefined : { text, at };
  }

  /** @returns what went wrong, in a sentence; the action has then not happened */
  #carryOut(effect: Effect): string | undefined {
    if (effect.type === "change") {
      this.#change(effect);
      return undefined;
    }
    try {
      const unsynced =
        effect.type === "answered"
          ? this.recording.record(effect.answer, this.#cards.answered(effect.answer.cardId))
          : this.recording.takeBack(this.recording.lines.get(effect.answer.id));
      if (unsynced !== undefined) this.#say(`The disk did not confirm the answer: ${unsynced.message}`);
    } catch (error) {
      return `The answer was not taken, the log cannot be written: ${reasonOf(error)}`;
    }
    return undefined;
  }

  /** Nothing was done yet: the last answer of the session before is taken back, and its card asked now. */
  async #undoEarlier(): Promise<void> {
    const earlier = this.#settings.earlier?.();
    if (earlier === undefined) return this.say("There is no answer of today to take back.");
    this.#isBringing = true;
    await this.#bringBack(earlier).catch((error: unknown) => this.say(reasonOf(error)));
    this.#isBringing = false;
  }

  async #bringBack(earlier: Earlier): Promise<void> {
    const { line, logged } = earlier;
    const { "card-id": cardId, "remembered?": remembered } = line;
    this.recording.takeBack(line);
    // The service must know before the card is fetched: it would say that it was answered.
    await this.recording.flush();
    const found = await this.#settings.world.load(cardId);
    if (found.kind === "card") {
      this.#cards.add({ cards: [found.card.card], logged: new Map([[cardId, logged]]) });
      const reviews = [...(found.card.card.reviews ?? []), ...logged, ...this.recording.reviewsOf(cardId)];
      // Today's review may be given, by another machine or meanwhile.
      this.#reduce({ type: "back", cardId, resumed: resumedBy(earlier, reviews) });
      this.#arrived(cardId, found, true);
    }
    this.say(undoneAnswer(remembered, this.nameOf(cardId)));
  }

  #change({ cardId, change, inverse }: Extract<Effect, { type: "change" }>): void {
    const before = this.#cards.get(cardId);
    const tagged = "tags" in change && before && this.#settings.world.withTags?.(before, change.tags);
    if (tagged) this.#cards.set(cardId, tagged);
    this.changes.make(cardId, change, inverse, (sentence) => {
      if (tagged) this.#cards.set(cardId, before);
      else if (!inverse) this.#reduce({ type: "kept", cardId });
      this.say(sentence);
    });
  }

  #arrived(cardId: string, outcome: Fetched<C>, anew = false): void {
    this.#away = outcome.kind === "later" ? outcome.reason : undefined;
    if (outcome.kind === "gone") this.#reduce({ type: "gone", cardId });
    else if (outcome.kind === "card") {
      if (anew || this.#cards.get(cardId) === undefined || currentCard(this.#state) !== cardId)
        this.#show(cardId, outcome.card, anew ? "edited" : "loaded");
      // A card that is being asked does not change while the user looks at it.
      else this.#cards.waiting.set(cardId, outcome.card);
    }
    this.#goOn();
    this.#loader.poke();
    this.#settings.onChange();
    this.#complete ??= this.#readRest();
  }

  /** Where the service does not answer, nothing waits for it: a card is asked by what the due query has of it, or later. */
  #goOn(): void {
    const { partial } = this.#settings.world;
    for (let id = currentCard(this.#state); id !== undefined; id = currentCard(this.#state)) {
      const { passes, unavailable, gone } = this.#state.cards[id] ?? {};
      if (this.#away === undefined || passes !== undefined || unavailable || gone) return;
      const known = partial?.(this.due.get(id));
      if (known === undefined) this.#reduce({ type: "unavailable", cardId: id });
      else this.#show(id, known, "loaded");
    }
  }

  /** Not before the first card is drawn: reading thousands would hold it up. */
  async #readRest(): Promise<void> {
    const found = await this.#settings.queue.rest?.().catch((error: unknown) => {
      this.#say(`The rest of what is due could not be read: ${reasonOf(error)}`);
    });
    if (!this.#state.incomplete) return;
    this.recording.settle(found?.settled);
    const cardIds = this.#cards.add(found ?? { cards: [], logged: new Map() });
    this.#reduce({ type: "more", cardIds });
    this.#loader.poke();
    this.#settings.onChange();
  }

  #show(cardId: string, card: C, type: "loaded" | "edited"): void {
    this.#cards.set(cardId, card);
    this.#reduce({ type, cardId, passes: card.shapes });
  }

  #reduce(action: DistributiveOmit<Action, "at">): void {
    this.#state = reduce(this.#state, { ...action, at: this.#settings.clock.ticks() } as Action).state;
  }

  /**
   * Leaves out the cards that other sessions answered, by the log, and on another day those that are not being answered.
   *
   * @returns whether the one on the screen was one
   */
  dropAnswered(): boolean {
    const current = currentCard(this.#state);
    if (this.isPast) this.#reduce({ type: "next-day" });
    for (const cardId of this.recording.answeredElsewhere()) this.#elsewhere.add(cardId);
    const queued = [...this.#elsewhere].filter(
      (id) => this.#state.position.queue.includes(id) && this.recording.reviewsOf(id).length === 0,
    );
    for (const cardId of queued) this.#reduce({ type: "gone", cardId });
    if (queued.length > 0) this.#say(answeredElsewhere);
    // Those that were fetched ahead may all be among them.
    this.#loader.poke();
    return current !== currentCard(this.#state);
  }
}
