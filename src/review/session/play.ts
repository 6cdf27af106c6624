import type { Clock, World } from "../ports.ts";
import type { Choice } from "../screen/choice.ts";
import type { EndSignal } from "../screen/terminal.ts";
import type { LogFile } from "./log.ts";
import type { Outbox } from "./outbox.ts";
import type { Queue, Schedule } from "./queue.ts";
import { createEngine, type Engine } from "./session.ts";
import { type Summary, summarise } from "./summary.ts";

/** What a session is given and what it gives back, on the screen and line by line alike. */

/** Where the answers of a session go. */
export interface Recording {
  readonly recorded: Summary["recorded"];
  readonly log?: LogFile | undefined;
  readonly outbox?: Outbox | undefined;
  /** What the user must not forget: `not recorded on the service`. */
  readonly notice?: string | undefined;
}

export interface SessionSettings {
  readonly queue: Queue;
  readonly world: World;
  readonly clock: Clock;
  readonly schedule: Schedule;
  /** The last instant of the day that is now tomorrow, where the user is. */
  endOfTomorrow(): number;
  newId(): string;
  /** An instant (ISO 8601) for people. */
  date(instant: string): string;
  /** A function where the user has to choose first. */
  readonly recording: Recording | ((choice: Choice) => Recording);
}

export interface SessionResult {
  readonly ended: "finished" | "quit" | EndSignal;
  readonly recording: Recording;
  /** What the session came to, with what has been sent until now. */
  summary(): Summary;
  /** Resolves when no change of a card is under way. */
  idle(): Promise<void>;
  /** What the user has to know of changes of cards that were not made, or may not have been. */
  problems(): readonly string[];
}

export function startEngine(settings: SessionSettings, recording: Recording, onChange: () => void): Engine {
  const { queue, world, clock, newId } = settings;
  const { log, outbox } = recording;
  return createEngine({ queue, world, clock, newId, log, outbox, onChange });
}

export function summaryOf(settings: SessionSettings, recording: Recording, engine: Engine): Summary {
  return summarise({
    state: engine.state(),
    due: engine.due,
    logged: settings.queue.logged,
    answers: engine.answers(),
    schedule: settings.schedule,
    now: settings.clock.now(),
    endOfTomorrow: settings.endOfTomorrow(),
    recorded: recording.recorded,
    pending: recording.outbox?.status().waiting ?? 0,
  });
}

/** @param told how many failures the user has been told of in words that stay */
export function problemsOf(engine: Engine, told = 0): readonly string[] {
  const open = engine.changing();
  const failures = engine.failures().slice(told);
  if (open === 0) return failures;
  const changes = open === 1 ? "1 change of a card" : `${open} changes of cards`;
  return [...failures, `${changes} may not have been made: the service did not answer`];
}

/** Time that runs, but not while it is paused. */
export interface Stopwatch {
  elapsed(): number;
  pause(): void;
  resume(): void;
}

export function startStopwatch({ ticks }: Clock): Stopwatch {
  let counted = 0;
  let since: number | undefined = ticks();
  const elapsed = () => counted + (since === undefined ? 0 : ticks() - since);
  return {
    elapsed,
    pause() {
      counted = elapsed();
      since = undefined;
    },
    resume() {
      since ??= ticks();
    },
  };
}
