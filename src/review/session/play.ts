import { EventEmitter, once } from "node:events";
import { visible } from "../../output/sanitize.ts";
import { monthName } from "../../output/stats/plots.ts";
import { cut } from "../../output/width.ts";
import { type Days, dateOfDay } from "../../schedule/days.ts";
import type { PastReview, ScheduledReview, Scheduler } from "../../schedule/index.ts";
import { LEECH_LAPSES, lapsesOfReviews } from "../../schedule/lapses.ts";
import type { EndSignal } from "../../terminal/stage.ts";
import type { Clock, Forecast, World } from "../ports.ts";
import { presenting, type SessionCard } from "./card.ts";
import type { LogHistory } from "./history.ts";
import { earlierAnswers } from "./progress.ts";
import { isNewCard, type Queue } from "./queue.ts";
import type { Recording } from "./recording.ts";
import { Session } from "./session.ts";
import { currentCard, currentPass, type Position, progressOf } from "./state.ts";
import { type Summary, summarise } from "./summary.ts";

/** What the review gets and what it returns, on the screen and line by line alike. */

export interface ReviewSettings {
  readonly queue: Queue;
  readonly history: LogHistory;
  readonly world: World;
  readonly clock: Clock;
  readonly days: Days;
  readonly scheduler: Scheduler;
  readonly typing: boolean;
  readonly autoplay: boolean;
  newId(): string;
  readonly recording: Recording;
}

export interface SessionResult {
  readonly ended: "finished" | "quit" | EndSignal;
  readonly play: Play;
}

/** A session with what is known about its end. */
export class Play {
  readonly session: Session<SessionCard>;
  readonly settings: ReviewSettings;
  readonly recording: Recording;
  #forecast: { readonly position: Position; readonly found: Promise<void> } | undefined;
  #found: Forecast | undefined;
  /** When the card that was remembered last is due, as the service chose it. */
  scheduled: string | undefined;
  readonly #changes = new EventEmitter();
  readonly #begun: number;

  constructor(settings: ReviewSettings, onChange?: () => void) {
    const { queue, world, clock, newId, recording, history, days } = settings;
    this.settings = settings;
    this.recording = recording;
    if (onChange !== undefined) this.#changes.on("change", onChange);
    this.#begun = clock.ticks();
    let position: Position | undefined;
    const changed = () => {
      // It is about the card before: a card that is forgotten or skipped after it has none.
      if (this.session.state.position !== position) this.scheduled = undefined;
      position = this.session.state.position;
      this.#changes.emit("change");
    };
    const now = clock.now();
    const today = days.dayOf(now);
    const earlier = earlierAnswers({ history, now, startOfToday: days.startOf(today) });
    this.session = new Session({
      ...{ queue, clock, newId, recording, earlier, onChange: changed },
      world: presenting(world),
      // Practice asks the same cards on any day.
      endOfDay: recording.recorded === "none" ? undefined : days.endOf(today),
    });
    recording.onScheduled = (due) => {
      this.scheduled = `due ${this.#dueText(due)}`;
      this.#changes.emit("change");
    };
  }

  /** Resolves when the session is so, and when the signal is aborted. */
  async until(done: () => boolean, signal: AbortSignal): Promise<void> {
    while (!done() && !signal.aborted) await once(this.#changes, "change", { signal }).catch(() => {});
  }

  elapsed(): number {
    return this.settings.clock.ticks() - this.#begun;
  }

  /** What the session came to, with what has been sent until now. */
  summary(): Summary {
    const { session, recording } = this;
    const asked = new Set([...recording.lines.values()].map((line) => line["card-id"]));
    const leeches = [...asked].flatMap((cardId) =>
      this.#becameLeech(cardId) ? [visible(cut(session.nameOf(cardId) ?? cardId, 60))] : [],
    );
    return summarise({ session, recording, forecast: this.#found, leeches });
  }

  #becameLeech(cardId: string): boolean {
    const { session, settings } = this;
    const lapses = (reviews: readonly PastReview[]) => lapsesOfReviews(reviews, settings.days.dayOf);
    const given = new Set(this.recording.reviewsOf(cardId).map(({ date }) => date));
    const before = session.reviewsOf(cardId).filter(({ date }) => !given.has(date));
    return this.lapses(cardId) >= LEECH_LAPSES && lapses(before) < LEECH_LAPSES;
  }

  /** Finds out what is due next, for the summary; resolves also if that is unknown. */
  lookAhead(): Promise<void> {
    if (this.recording.recorded === "none") return Promise.resolve();
    const { position } = this.session.state;
    if (this.#forecast?.position === position) return this.#forecast.found;
    // What was found before an undo is no longer so.
    this.#found = undefined;
    const look = async () => {
      // What was answered last counts only once the service has it.
      await this.recording.flush();
      const forecast = await this.settings.world.forecast();
      if (this.#forecast?.position === position) this.#found = forecast;
      this.#changes.emit("change");
    };
    const found = look();
    this.#forecast = { position, found };
    return found;
  }

  /** Where the grades of the card on the screen lead, for people; undefined where nothing is recorded. */
  outlook(): { readonly forgot: string; readonly remembered: string } | undefined {
    const next = this.#nextDue();
    if (next === undefined) return undefined;
    const remembered = next === "pass" ? "asked another way" : this.#aboutText(next);
    return { forgot: "in this session", remembered };
  }

  /** As what the card on the screen is asked; undefined when the session is over. */
  kind(): "new" | "review" | "again" | undefined {
    const { state, due } = this.session;
    const cardId = currentCard(state);
    if (cardId === undefined) return undefined;
    const { passes = {}, review } = progressOf(state.position, cardId) ?? {};
    const wasAsked = Object.hasOwn(passes, currentPass(state)?.id ?? "");
    if (wasAsked || (review !== undefined && Object.keys(passes).length === 0)) return "again";
    const card = this.session.card(cardId)?.card ?? due.get(cardId);
    const isNew = card !== undefined && isNewCard(card) && this.session.reviewsOf(cardId).length === 0;
    return isNew ? "new" : "review";
  }

  /** As `lapsesOf`. */
  lapses(cardId: string): number {
    const { days } = this.settings;
    return lapsesOfReviews(this.session.reviewsOf(cardId), days.dayOf);
  }

  /** The reviews of a card with what each led to, oldest first; empty where nothing is recorded. */
  memoryOf(cardId: string): ScheduledReview[] {
    return this.#scheduler?.replay(this.session.reviewsOf(cardId)) ?? [];
  }

  /** Nothing is scheduled where nothing is recorded. */
  get #scheduler(): Scheduler | undefined {
    return this.recording.recorded === "none" ? undefined : this.settings.scheduler;
  }

  /** What a "remembered" leads to now: the instant (ISO 8601) at which the card is due, or another pass of the card. */
  #nextDue(): string | "pass" | undefined {
    const { session } = this;
    const cardId = currentCard(session.state);
    const { retention } = session.card(cardId ?? "")?.deck ?? {};
    const scheduler = this.#scheduler?.withRetention(retention);
    const pass = currentPass(session.state);
    if (scheduler === undefined || cardId === undefined || pass === undefined) return undefined;
    const progress = progressOf(session.state.position, cardId);
    const passes = session.state.cards[cardId]?.passes ?? [];
    if (passes.some(({ id }) => id !== pass.id && progress?.passes[id] !== true)) return "pass";
    const reviews = session.reviewsOf(cardId);
    // The review of a card that was forgotten is given already.
    if (progress?.review !== undefined) return scheduler.due(reviews);
    const now = new Date(this.settings.clock.now()).toISOString();
    return scheduler.due([...reviews, { date: now, "remembered?": true }]);
  }

  /** The day itself is chosen when the answer is recorded; of short intervals there is one only. */
  #aboutText(due: string): string {
    const { days, clock } = this.settings;
    const interval = days.dayOf(Date.parse(due)) - days.dayOf(clock.now());
    return interval < 3 ? this.#dueText(due) : `in about ${interval} days`;
  }

  #dueText(due: string): string {
    const { days, clock } = this.settings;
    const [today, day] = [days.dayOf(clock.now()), days.dayOf(Date.parse(due))];
    if (day === today + 1) return "tomorrow";
    const date = new Date(`${dateOfDay(day)}T00:00:00Z`);
    const year =
      date.getUTCFullYear() === new Date(clock.now()).getUTCFullYear() ? "" : ` ${date.getUTCFullYear()}`;
    return `${date.getUTCDate()} ${monthName(date.getUTCMonth())}${year} (${day - today} days)`;
  }

  /** Resolves when no change of a card is under way, and it is known how many cards the session had. */
  async idle(): Promise<void> {
    await Promise.all([this.session.changes.idle(), this.session.complete]);
  }

  /** Changes of cards that were not made, or may not have been, for the user to know. */
  problems(): readonly string[] {
    const { open, failures } = this.session.changes;
    if (open === 0) return failures;
    const count = open === 1 ? "1 change of a card" : `${open} changes of cards`;
    return [...failures, `${count} may not have been made: the service did not answer`];
  }

  close(): void {
    this.settings.world.silence();
    this.session.close();
  }
}
