import type { LogHistory } from "../../review/session/history.ts";
import { Outbox, openTasks } from "../../review/session/outbox.ts";
import { earlierAnswers, fromService, type Schedule } from "../../review/session/queue.ts";
import { Recording } from "../../review/session/recording.ts";
import { Session } from "../../review/session/session.ts";
import type { AskedCard, SessionWorld } from "../../review/session/session-cards.ts";
import type { StudyCard, StudySession } from "../shapes.ts";
import type { BrowserLog } from "./log.ts";
import { askAgain, change, get, recorder } from "./server.ts";

/** A card of the page, as the session has it. */
export interface PageCard extends AskedCard {
  readonly card: StudyCard;
}

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

/** The terminal's session, over the requests of the page. */
export function openSession(info: StudySession, log: BrowserLog, onChange: () => void): Session<PageCard> {
  const history = log.read();
  const [startOfToday, endOfDay] = info.day;
  const day = { history, now: Date.now(), startOfToday };
  const cards = info.queue.map((id, index) => ({ id, asked: index < info.again ? "again" : "review" }));
  const queue = fromService(cards, { ...day, endOfDay, schedule: unknownTo(info, history) });
  const recording = recordingOf(log, history, onChange);
  const session = new Session<PageCard>({
    queue,
    world: { load: loaderOf(info), change },
    clock: { now: Date.now, ticks: () => performance.now() },
    newId,
    recording,
    earlier: earlierAnswers(day),
    ahead,
    onChange,
  });
  for (const id of queue.settled) void askAgain(id, false);
  void recording.flush();
  return session;
}

/** Fetches cards, but for those that came with the session, and their files. */
function loaderOf({ cards }: StudySession): SessionWorld<PageCard>["load"] {
  const here = new Map(cards.map((card) => [card.id, card]));
  const files = new Set<string>();
  let asked = 0;
  return async (id) => {
    try {
      if (!here.has(id) && ++asked > near) await new Promise((done) => setTimeout(done, pause));
      const card = here.get(id) ?? (await get<StudyCard>(`card/${encodeURIComponent(id)}`));
      here.delete(id);
      if (card === undefined) return { kind: "gone" };
      fetchFiles(card, files);
      return { kind: "card", card: { card, shapes: card.passes, partial: false } };
    } catch (error) {
      return {
        kind: "later",
        reason: error instanceof TypeError ? "no connection" : (error as Error).message,
      };
    }
  };
}

/** The worker of the page keeps them. */
function fetchFiles({ html }: StudyCard, fetched: Set<string>): void {
  for (const [, url = ""] of html.join("").matchAll(/<(?:img|audio)[^>]* src="(files\/[^"]+)"/g)) {
    if (fetched.has(url)) continue;
    fetched.add(url);
    void fetch(url)
      .then((file) => file.blob())
      .catch(() => fetched.delete(url));
  }
}
