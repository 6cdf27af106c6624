import type { DueCard } from "../../schema/index.ts";
import type { Clock, Loaded, World } from "../ports.ts";
import { fromDue, presented, type SessionCard, shapes, withTags } from "./card.ts";
import { createLoader } from "./loader.ts";
import type { AnswerLine, LogFile } from "./log.ts";
import type { Outbox } from "./outbox.ts";
import { answeredMeanwhile, isNewCard, type Queue } from "./queue.ts";
import { reduce, startSession } from "./reducer.ts";
import type { Action, Change, Effect } from "./state.ts";
import { currentCard, progressOf, type SessionState } from "./state.ts";

/** Runs a session: carries out what the reducer asks for, fetches cards ahead, keeps what the screen shows of them. */

export interface Engine {
  readonly due: ReadonlyMap<string, DueCard>;
  state(): SessionState;
  card(cardId: string): SessionCard | undefined;
  /** Why the current card cannot be had now. */
  trouble(): string | undefined;
  /** What there is to say, for a few seconds or until something else happens. */
  message(): string | undefined;
  say(message: string | undefined): void;
  act(action: DistributiveOmit<Action, "at" | "id">): void;
  /** Fetches the card anew and shows it from its first side. */
  refresh(cardId: string): Promise<void>;
  /** Resolves when no change of a card is under way. */
  idle(): Promise<void>;
  /** The changes of cards that could not be made, in the order in which they failed: which, and why. */
  failures(): readonly string[];
  /** How many changes of cards are under way. */
  changing(): number;
  answers(): ReadonlyMap<string, AnswerLine>;
  close(): void;
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

export interface EngineSettings {
  readonly queue: Queue;
  readonly world: World;
  readonly clock: Clock;
  newId(): string;
  /** Undefined where nothing is recorded. */
  readonly log?: LogFile | undefined;
  /** Undefined where the service records no reviews. */
  readonly outbox?: Outbox | undefined;
  onChange(): void;
}

/** How long something that was said stays. */
const MESSAGE_MS = 5000;

/** How many cards are there before they are asked for: the one on the screen and two more (review.md, Flow 1). */
const AHEAD = 3;

/** The actions behind which another pass or card comes up. */
const moves: ReadonlySet<Action["type"]> = new Set(["grade", "skip", "remove", "undo"]);

export function createEngine(settings: EngineSettings): Engine {
  const { queue, world, clock, log, outbox, newId } = settings;
  const due = new Map(queue.cards.map((card) => [card.id, card]));
  const cards = new Map<string, SessionCard>();
  /** Cards that came whole while what the due query tells of them was on the screen. */
  const fetched = new Map<string, SessionCard>();
  const troubles = new Map<string, string>();
  /** The log lines of the answers that stand. */
  const lines = new Map<string, AnswerLine>();
  let state = startSession([...due.keys()], clock.ticks(), queue.resumed);
  let said: { readonly text: string; readonly at: number } | undefined;
  let changes: Promise<void> = Promise.resolve();
  let changing = 0;
  const failures: string[] = [];
  /** The instants of the answers given in this session. */
  const instants = new Set<number>();

  const loader = createLoader({
    load: world.load,
    wanted: () => state.position.queue.slice(0, AHEAD),
    loaded: (cardId, outcome) => arrived(cardId, isAnswered(cardId, outcome) ? { kind: "gone" } : outcome),
  });

  const say = (text: string | undefined) => {
    said = text === undefined ? undefined : { text, at: clock.ticks() };
  };

  const act: Engine["act"] = (partial) => {
    const action = { ...partial, at: clock.ticks(), id: newId() } as Action;
    const before = state;
    const step = reduce(state, action);
    if (step.state !== before) say(undefined);
    for (const effect of step.effects) {
      const problem = carryOut(effect);
      // An answer that is not in the log was not given.
      if (problem !== undefined) {
        say(problem);
        settings.onChange();
        return;
      }
    }
    state = step.state;
    if (moves.has(action.type) && state.position !== before.position) showFetched();
    loader.poke();
    settings.onChange();
  };

  /** What went wrong, in a sentence; the action has then not happened. */
  const carryOut = (effect: Effect): string | undefined => {
    if (effect.type === "change") {
      change(effect);
      return undefined;
    }
    if (log === undefined) return undefined;
    try {
      const unsynced = effect.type === "answered" ? answered(log, effect) : takenBack(log, effect);
      if (unsynced !== undefined) say(`The disk did not confirm the answer: ${unsynced.message}`);
    } catch (error) {
      return `The answer was not taken, the log cannot be written: ${reasonOf(error)}`;
    }
    return undefined;
  };

  const answered = (file: LogFile, { answer }: Extract<Effect, { type: "answered" }>) => {
    const card = due.get(answer.cardId);
    // Two answers never have the same instant: the service takes the same instant for the same review. Where the clock was
    // set back, the answers that follow go by it all the same: what was wrong before must not make them wrong, too.
    let instant = clock.now();
    while (instants.has(instant)) instant++;
    instants.add(instant);
    const at = new Date(instant).toISOString();
    const { review } = answer;
    const line: AnswerLine = {
      type: "answer",
      id: answer.id,
      "card-id": answer.cardId,
      "deck-id": card?.["deck-id"] ?? "",
      at,
      pass: answer.pass,
      "remembered?": answer.remembered,
      duration: seconds(answer.duration),
      ...(card !== undefined && isNewCard(card) ? { "new?": true as const } : {}),
      ...(review === undefined
        ? {}
        : {
            review: {
              date: at,
              "remembered?": review.remembered,
              duration: seconds(review.duration),
              status: "pending",
            },
          }),
    };
    const unsynced = file.append(line);
    lines.set(line.id, line);
    outbox?.add(line);
    return unsynced;
  };

  const takenBack = (file: LogFile, { answer }: Extract<Effect, { type: "taken-back" }>) => {
    const line = lines.get(answer.id);
    if (line === undefined) return undefined;
    const unsynced = file.append({ type: "undone", id: line.id, at: new Date(clock.now()).toISOString() });
    lines.delete(line.id);
    outbox?.takeBack(line);
    return unsynced;
  };

  /** Changes go out one after the other, in the order in which they were made. */
  const change = ({ cardId, change: wanted, id }: Extract<Effect, { type: "change" }>) => {
    const before = cards.get(cardId);
    if ("tags" in wanted && before !== undefined) cards.set(cardId, withTags(before, wanted.tags));
    changing++;
    changes = changes.then(async () => {
      const outcome = await world.change(cardId, wanted);
      changing--;
      if (outcome.ok) return;
      if ("tags" in wanted && before !== undefined) cards.set(cardId, before);
      if (id !== undefined) state = reduce(state, { type: "change-failed", id, at: clock.ticks() }).state;
      say(sentence(failure("the card", wanted, id === undefined, outcome.reason)));
      failures.push(failure(`card ${cardId}`, wanted, id === undefined, outcome.reason));
      loader.poke();
      settings.onChange();
    });
  };

  const arrived = (cardId: string, outcome: Loaded, anew = false) => {
    const at = clock.ticks();
    if (outcome.kind === "gone") state = reduce(state, { type: "gone", cardId, at }).state;
    else {
      const loaded = outcome.kind === "card" ? presented(outcome) : fromDue(due.get(cardId));
      if (outcome.kind === "later") troubles.set(cardId, outcome.reason);
      else troubles.delete(cardId);
      if (loaded === undefined) state = reduce(state, { type: "unavailable", cardId, at }).state;
      else if (anew || !cards.has(cardId) || currentCard(state) !== cardId)
        show(cardId, loaded, anew ? "edited" : "loaded");
      // A card that is being asked does not change under the eyes of the user.
      else if (!loaded.partial) fetched.set(cardId, loaded);
    }
    loader.poke();
    settings.onChange();
  };

  /** Whether a card that was not shown yet need not be asked any more. */
  const isAnswered = (cardId: string, outcome: Loaded): boolean => {
    if (outcome.kind !== "card" || cards.has(cardId) || progressOf(state.position, cardId)) return false;
    const before = [...(due.get(cardId)?.reviews ?? []), ...(queue.logged.get(cardId) ?? [])];
    const answered = answeredMeanwhile(outcome.card.reviews ?? [], before, clock.now());
    if (answered) say("A card was answered elsewhere meanwhile, and is left out.");
    return answered;
  };

  const show = (cardId: string, card: SessionCard, type: "loaded" | "edited") => {
    cards.set(cardId, card);
    fetched.delete(cardId);
    const passes = shapes(card.presentation);
    state = reduce(state, { type, cardId, passes, at: clock.ticks() }).state;
  };

  const showFetched = () => {
    for (const [cardId, card] of fetched) show(cardId, card, "loaded");
  };

  loader.poke();
  return {
    due,
    state: () => state,
    card: (cardId) => cards.get(cardId),
    trouble: () => troubles.get(currentCard(state) ?? ""),
    message: () => (said !== undefined && clock.ticks() - said.at < MESSAGE_MS ? said.text : undefined),
    say(text) {
      say(text);
      settings.onChange();
    },
    act,
    async refresh(cardId) {
      const outcome = await world.load(cardId);
      if (outcome.kind !== "later") arrived(cardId, outcome, true);
    },
    idle: () => changes,
    failures: () => failures,
    changing: () => changing,
    answers: () => lines,
    close: () => loader.close(),
  };
}

/** @param what the change was of: the card, by its id where it is not on the screen */
function failure(what: string, change: Change, inverse: boolean, reason: string): string {
  if ("tags" in change)
    return `the tags of ${what} could not be ${inverse ? "taken back" : "changed"}: ${reason}`;
  if ("archived" in change)
    return `${what} could not be ${change.archived ? "archived" : "unarchived"}: ${reason}`;
  return `${what} could not be ${change.trashed ? "trashed" : "restored"}: ${reason}`;
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const seconds = (value: number): number => Math.round(value * 1000) / 1000;
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
