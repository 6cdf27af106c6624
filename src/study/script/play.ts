import { CardChanges, doneText } from "../../review/session/changes.ts";
import { earlierAnswers } from "../../review/session/earlier.ts";
import type { LogHistory } from "../../review/session/history.ts";
import { Outbox, openTasks } from "../../review/session/outbox.ts";
import { fromService, type Schedule } from "../../review/session/queue.ts";
import { Recording } from "../../review/session/recording.ts";
import { isTooSoon, reduce, startSession, tooSoon } from "../../review/session/reducer.ts";
import {
  type Action,
  currentCard,
  type Effect,
  isOver,
  type SessionState,
} from "../../review/session/state.ts";
import type { StudyCard, StudySession } from "../shapes.ts";
import type { BrowserLog } from "./log.ts";
import { askAgain, change, get, recorder } from "./server.ts";

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** How many cards are fetched ahead, so that a session goes on without a connection. */
const ahead = 200;
/** The first at once, then with a pause (in milliseconds): many people may begin together. */
const near = 10;
const pause = 100;

/** Where the page came without TLS, browsers have no `randomUUID`. */
const newId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** The recording of an account's answers: in the browser first, then on their way to the service. */
export function recordingOf(log: BrowserLog, history: LogHistory, changed: () => void = () => {}): Recording {
  // After the outbox has noted it.
  const noted = <T>(outcome: Promise<T>): Promise<T> => outcome.finally(() => setTimeout(changed));
  const outbox = new Outbox(openTasks(history), {
    recorder: {
      send: (cardId, review) => noted(recorder.send(cardId, review)),
      withdraw: (cardId, date) => noted(recorder.withdraw(cardId, date)),
    },
    note: (line) => log.note(line),
    now: Date.now,
    random: Math.random,
  });
  return new Recording({ recorded: "service", log, follower: log, outbox, askAgain, now: Date.now });
}

/**
 * When a card is due by what only this browser knows: after today, whatever the interval. Undefined where the service knew
 * all of its reviews when it said that the card is asked.
 */
function unknownTo({ at }: StudySession, history: LogHistory): Schedule {
  const pending = history.answers.filter(({ status }) => status === "pending");
  const dates = new Set(pending.map((answer) => answer.read()?.review?.date));
  return (reviews) =>
    reviews.some(({ date }) => dates.has(date ?? "") || Date.parse(date ?? "") > at)
      ? "9999-12-31T00:00:00Z"
      : undefined;
}

/** Runs a session on the page: what the terminal's `Session` is there. */
export class StudyPlay {
  readonly recording: Recording;
  readonly session: StudySession;
  readonly #cards = new Map<string, StudyCard>();
  readonly #changes = new CardChanges(change);
  readonly #changed: () => void;
  readonly #failed = new Set<string>();
  readonly #fetched = new Set<string>();
  readonly #earlier: ReturnType<typeof earlierAnswers>;
  #loading = false;
  #state: SessionState;
  message = "";

  constructor(session: StudySession, log: BrowserLog, changed: () => void) {
    const history = log.read();
    const [startOfToday, endOfDay] = session.day;
    const cards = session.queue.map((id, index) => ({
      id,
      asked: index < session.again ? "again" : "review",
    }));
    const schedule = unknownTo(session, history);
    const asked = fromService(cards, { history, now: Date.now(), startOfToday, endOfDay, schedule });
    this.#earlier = earlierAnswers({ history, now: Date.now(), startOfToday });
    this.session = session;
    this.recording = recordingOf(log, history, changed);
    this.#changed = changed;
    const ids = asked.cards.map(({ id }) => id);
    this.#state = startSession(ids, performance.now(), asked.resumed);
    for (const card of session.cards) this.#show(card);
    for (const id of asked.settled) void askAgain(id, false);
    void this.recording.flush();
    this.#fetchAhead();
  }

  get state(): SessionState {
    return this.#state;
  }

  get card(): StudyCard | undefined {
    return this.#cards.get(currentCard(this.#state) ?? "");
  }

  get isOver(): boolean {
    return isOver(this.#state);
  }

  act(partial: DistributiveOmit<Action, "at" | "id">): void {
    const action = { ...partial, at: performance.now(), id: newId() } as Action;
    this.message = "";
    if (action.type === "undo" && this.#state.history.length === 0) return void this.#undoEarlier();
    const isLeftOut = action.type === "grade" && this.dropAnswered();
    if (!isLeftOut) this.#perform(action);
    this.#changed();
  }

  #perform(action: Action): void {
    const before = this.#state;
    const step = reduce(before, action);
    if (isTooSoon(before, action)) this.message = tooSoon;
    else if (step.state !== before)
      this.message = doneText(action) ?? (action.type === "undo" ? "Taken back." : "");
    for (const effect of step.effects) {
      const problem = this.#carryOut(effect);
      if (problem === undefined) continue;
      // An answer that is not in the log was not given.
      this.message = problem;
      return;
    }
    this.#state = step.state;
    this.dropAnswered();
    this.#fetchAhead();
  }

  /** Nothing was done yet: the last answer of the session before is taken back, and its card asked now. */
  async #undoEarlier(): Promise<void> {
    const earlier = this.#earlier();
    this.message = earlier === undefined ? "There is no answer of today to take back." : "Taken back.";
    if (earlier !== undefined) {
      const { line, resumed, logged } = earlier;
      this.recording.takeBackLine(line);
      await this.recording.flush();
      const cardId = line["card-id"];
      const card = await get<StudyCard>(`card/${encodeURIComponent(cardId)}`).catch(() => undefined);
      if (card !== undefined) {
        this.#reduce({ type: "back", cardId, resumed, at: performance.now() });
        this.#show({ ...card, reviews: [...card.reviews, ...logged] });
      }
    }
    this.#changed();
  }

  /** Leaves out the cards that other tabs answered. @returns whether the one on the page was one */
  dropAnswered(): boolean {
    const current = currentCard(this.#state);
    const others = this.recording
      .answeredElsewhere()
      .filter((id) => this.#state.position.queue.includes(id) && this.recording.reviewsOf(id).length === 0);
    for (const cardId of others) this.#reduce({ type: "gone", cardId, at: performance.now() });
    if (others.length > 0) this.message = "A card was answered elsewhere meanwhile, and is left out.";
    return current !== undefined && others.includes(current);
  }

  /** Tries again to fetch and to send what failed. */
  async retry(): Promise<void> {
    if (this.#failed.size === 0 && this.recording.status?.waiting === 0) return;
    this.#failed.clear();
    this.#fetchAhead();
    await this.recording.flush();
    this.#changed();
  }

  #reduce(action: Action): void {
    this.#state = reduce(this.#state, action).state;
  }

  #carryOut(effect: Effect): string | undefined {
    if (effect.type === "change") {
      this.#change(effect);
      return undefined;
    }
    const card = this.#cards.get(effect.answer.cardId);
    const reviews = card?.reviews ?? [];
    try {
      if (effect.type === "taken-back") this.recording.takeBack(effect.answer);
      else
        this.recording.record(effect.answer, {
          deckId: card?.["deck-id"] ?? "",
          isNew: reviews.length === 0,
          reviews,
        });
      return undefined;
    } catch {
      return "The answer was not taken: this browser keeps nothing (private window, or its space is used up).";
    }
  }

  #change({ cardId, change, id }: Extract<Effect, { type: "change" }>): void {
    this.#changes.make(cardId, change, id === undefined, (sentence) => {
      if (id !== undefined) this.#reduce({ type: "change-failed", id, at: performance.now() });
      this.message = sentence;
      this.#changed();
    });
  }

  #show(card: StudyCard): void {
    this.#cards.set(card.id, card);
    this.#reduce({ type: "loaded", cardId: card.id, passes: card.passes, at: performance.now() });
    this.#fetchFiles(card);
  }

  #fetchAhead(): void {
    const isWanted = (id: string) => !this.#cards.has(id) && !this.#failed.has(id);
    const id = this.#loading ? undefined : this.#state.position.queue.take(ahead).find(isWanted);
    if (id === undefined) return;
    this.#loading = true;
    void this.#load(id).then(() => {
      const rest = this.#cards.size < near ? 0 : pause;
      setTimeout(() => {
        this.#loading = false;
        this.#fetchAhead();
      }, rest);
    });
  }

  async #load(id: string): Promise<void> {
    try {
      const card = await get<StudyCard>(`card/${encodeURIComponent(id)}`);
      if (card === undefined) this.#reduce({ type: "gone", cardId: id, at: performance.now() });
      else this.#show(card);
    } catch (error) {
      this.#failed.add(id);
      this.#reduce({ type: "unavailable", cardId: id, at: performance.now() });
      if (!(error instanceof TypeError)) this.message = (error as Error).message;
    }
    if (this.#state.position.queue.take(2).includes(id)) this.#changed();
  }

  /** The worker of the page keeps them. */
  #fetchFiles({ html }: StudyCard): void {
    for (const [, url = ""] of html.join("").matchAll(/<(?:img|audio)[^>]* src="(files\/[^"]+)"/g)) {
      if (this.#fetched.has(url)) continue;
      this.#fetched.add(url);
      void fetch(url)
        .then((file) => file.blob())
        .catch(() => this.#fetched.delete(url));
    }
  }
}
