import { CardChanges, doneText } from "../../review/session/changes.ts";
import type { LogHistory } from "../../review/session/history.ts";
import { Outbox, openTasks } from "../../review/session/outbox.ts";
import { fromService, progressToday } from "../../review/session/queue.ts";
import { Recording } from "../../review/session/recording.ts";
import { isTooSoon, reduce, startSession, tooSoon } from "../../review/session/reducer.ts";
import {
  type Action,
  currentCard,
  type Effect,
  isOver,
  type SessionState,
} from "../../review/session/state.ts";
import type { StudyCard, StudyQueue, StudySession } from "../shapes.ts";
import { type BrowserLog, historyIn } from "./log.ts";
import { askAgain, change, get, recorder } from "./server.ts";

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** How many cards are fetched ahead, so that a session goes on without a connection. */
const ahead = 200;
/** The next ones at once, the others one after the other with a pause (in milliseconds): many people may begin together. */
const near = 10;
const atOnce = 4;
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

/** What an earlier session of today began, as this browser knows. */
export function begunIn(history: LogHistory): string[] {
  const now = Date.now();
  return [...progressToday({ history, now, startOfToday: now - 86_400_000 }).unfinished.keys()];
}

/** Runs a session on the page: what the terminal's `Session` is there. */
export class StudyPlay {
  readonly recording: Recording;
  readonly session: StudySession;
  readonly #cards = new Map<string, StudyCard>();
  readonly #changes = new CardChanges(change);
  readonly #query: string;
  readonly #changed: () => void;
  readonly #loading = new Set<string>();
  readonly #failed = new Map<string, number>();
  readonly #fetched = new Set<string>();
  #state: SessionState;
  message = "";

  constructor(session: StudySession, log: BrowserLog, query: string, changed: () => void) {
    const history = historyIn(log);
    const [startOfToday, endOfDay] = session.day;
    // Any interval is longer than the rest of the day: only what the service does not know yet is asked about.
    const schedule = () => "9999-12-31T00:00:00Z";
    const asked = fromService(session.cards, { history, now: Date.now(), startOfToday, endOfDay, schedule });
    this.session = session;
    this.recording = recordingOf(log, history, changed);
    this.#query = query;
    this.#changed = changed;
    for (const card of session.cards) this.#cards.set(card.id, card);
    const ids = asked.cards.map(({ id }) => id);
    this.#state = startSession(ids, performance.now(), asked.resumed, session.more);
    for (const id of ids) this.#show(id);
    for (const id of asked.settled) void askAgain(id, false);
    void this.recording.flush();
    if (session.more) void this.#readRest(history);
    else this.#fetchAhead();
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

  async #readRest(history: LogHistory): Promise<void> {
    const queue = await get<StudyQueue>(`queue?${this.#query}`).catch(() => undefined);
    // The service knows what was sent; only of the others this browser knows more.
    const unsent = { ...history, answers: history.answers.filter(({ status }) => status === "pending") };
    const answered = new Set(unsent.answers.map(({ cardId }) => cardId));
    const cardIds = (queue?.ids ?? []).filter((id) => !this.#cards.has(id) && !answered.has(id));
    this.#reduce({ type: "more", cardIds, at: performance.now() });
    if (queue === undefined) this.message = "The rest of what is due could not be read.";
    this.#fetchAhead();
    this.#changed();
  }

  #show(id: string): void {
    const card = this.#cards.get(id);
    if (card === undefined) return;
    this.#reduce({ type: "loaded", cardId: id, passes: card.passes, at: performance.now() });
  }

  #fetchAhead(): void {
    for (const [index, id] of this.#state.position.queue.take(ahead).entries()) {
      const card = this.#cards.get(id);
      if (card !== undefined) this.#fetchFiles(card);
      else {
        if (this.#loading.size >= (index < near ? atOnce : 1)) return;
        const isOpen = !this.#loading.has(id) && (this.#failed.get(id) ?? 0) < Date.now();
        if (isOpen) void this.#load(id, index < near ? 0 : pause);
      }
    }
  }

  async #load(id: string, rest: number): Promise<void> {
    this.#loading.add(id);
    const at = () => performance.now();
    try {
      const card = await get<StudyCard>(`card/${encodeURIComponent(id)}`);
      if (card === undefined) this.#reduce({ type: "gone", cardId: id, at: at() });
      else {
        this.#cards.set(id, card);
        this.#show(id);
      }
    } catch (error) {
      this.#failed.set(id, Date.now() + 3000);
      this.#reduce({ type: "unavailable", cardId: id, at: at() });
      this.message = error instanceof TypeError ? "" : String((error as Error).message);
      setTimeout(() => this.#fetchAhead(), 3100);
    }
    setTimeout(() => {
      this.#loading.delete(id);
      this.#fetchAhead();
    }, rest);
    if (this.#state.position.queue.take(3).includes(id)) this.#changed();
  }

  /** The worker of the page keeps them. */
  #fetchFiles({ id, html }: StudyCard): void {
    if (this.#fetched.has(id)) return;
    this.#fetched.add(id);
    for (const [, url = ""] of html.join("").matchAll(/<(?:img|audio)[^>]* src="(files\/[^"]+)"/g)) {
      if (this.#fetched.has(url)) continue;
      this.#fetched.add(url);
      void fetch(url)
        .then((file) => file.blob())
        .catch(() => {
          this.#fetched.delete(url);
          this.#fetched.delete(id);
        });
    }
  }
}
