import type { Fetched } from "../../review/ports.ts";
import type { LogHistory } from "../../review/session/history.ts";
import { newerThere } from "../../review/session/log.ts";
import { Outbox, type Outcome, openTasks, type Recorder } from "../../review/session/outbox.ts";
import { earlierAnswers } from "../../review/session/progress.ts";
import { fromService, type Schedule } from "../../review/session/queue.ts";
import { Recording } from "../../review/session/recording.ts";
import { Session } from "../../review/session/session.ts";
import type { AskedCard, SessionWorld } from "../../review/session/session-cards.ts";
import type { TodayPut } from "../../schema/index.ts";
import type { StudyCard, StudySession } from "../card.ts";
import type { BrowserLog } from "./log.ts";

/** The requests of the page: their addresses are relative to it. */

/** No longer is waited for an answer, in milliseconds. */
const patience = 15_000;

const dayLength = 86_400_000;

const part = encodeURIComponent;

/** What an answer says of a request that records something. */
async function outcomeOf(answer: Response): Promise<Outcome> {
  const { ok, status } = answer;
  if (ok) return { ok };
  if (status === 401) return { ok, kind: "later", reason: "sign in again" };
  if (status === 412) return { ok, kind: "refused", reason: newerThere };
  const { errors } = (await answer.json().catch(() => ({}))) as { errors?: unknown };
  const reason = Array.isArray(errors) ? errors.join(", ") : `the service answered ${status}`;
  const kind = [403, 429, 503].includes(status) ? "later" : status >= 500 ? "fault" : "refused";
  return { ok, kind, reason };
}

/** With whose page this is: another tab may have signed in as somebody else meanwhile. */
const ours = (path: string) => `${path}?account=${part(document.body.dataset["account"] ?? "")}`;

async function attempt(method: string, path: string, body?: object): Promise<Outcome> {
  try {
    const answer = await fetch(ours(path), {
      method,
      // It is sent also while the page is being closed.
      keepalive: true,
      signal: AbortSignal.timeout(patience),
      headers: { "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    return await outcomeOf(answer);
  } catch {
    return { ok: false, kind: "later", reason: "no connection" };
  } finally {
    // After the outbox has noted it.
    setTimeout(() => dispatchEvent(new Event("answered")));
  }
}

const recorder: Recorder = {
  send: (cardId, review) => attempt("POST", `reviews/${part(cardId)}`, review),
  withdraw: (cardId, date) => attempt("DELETE", `reviews/${part(cardId)}/${part(date)}`),
};

const mark = (cardId: string, mark: TodayPut): Promise<Outcome> =>
  attempt("PUT", `today/${part(cardId)}`, mark);

const askAgain = (cardId: string, again: boolean) => mark(cardId, { again });

/** A card of the page, as the session has it. */
export interface PageCard extends AskedCard {
  readonly card: StudyCard;
}

/** How many cards are fetched ahead, so that a session goes on without a connection. */
const ahead = 200;
/** Before each of them, in milliseconds: many people may begin together. */
const pause = 100;

/** Where the page came without TLS, browsers have no `randomUUID`. */
const newId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** The recording of an account's answers: in the browser first, then on their way to the service. */
export function recordingOf(log: BrowserLog, history: LogHistory): Recording {
  const outbox = new Outbox(openTasks(history), { recorder, note: log.note, now: Date.now });
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
  const [startOfDay, endOfDay] = info.day;
  const now = Date.now();
  // Without a connection it may be the session of a day before: what was forgotten then is asked as any other card.
  const daysPast = Math.max(0, Math.ceil((now - endOfDay) / dayLength));
  const day = { history, now, startOfToday: startOfDay + daysPast * dayLength };
  const again = daysPast > 0 ? 0 : info.again;
  const cards = info.queue.map((id, index) => ({ id, asked: index < again ? "again" : "review" }));
  const queue = fromService(cards, { ...day, endOfDay, schedule: unknownTo(info, history) });
  const recording = recordingOf(log, history);
  const session = new Session<PageCard>({
    queue: { ...queue, asOf: new Date(info.at).toISOString() },
    world: {
      load: loaderOf(info),
      change: async (id, to) =>
        "putOff" in to
          ? mark(id, { "put-off": to.putOff })
          : { ok: false, reason: "the page cannot do this" },
    },
    clock: { now: Date.now, ticks: () => performance.now() },
    newId,
    recording,
    earlier: earlierAnswers(day),
    ahead,
    endOfDay: endOfDay + daysPast * dayLength,
    onChange,
  });
  void recording.flush();
  return session;
}

/** Fetches cards, but for those that came with the session. */
function loaderOf({ cards }: StudySession): SessionWorld<PageCard>["load"] {
  const here = new Map(cards.map((card) => [card.id, card]));
  return async (id) => {
    const known = here.get(id);
    here.delete(id);
    if (known !== undefined) return loaded(known);
    await new Promise((done) => setTimeout(done, pause));
    return fetched(id).catch(() => ({ kind: "later", reason: "There is no connection." }));
  };
}

async function fetched(id: string): Promise<Fetched<PageCard>> {
  const answer = await fetch(ours(`card/${part(id)}`), { signal: AbortSignal.timeout(patience) });
  if (answer.status === 404) return { kind: "gone" };
  const outcome = await outcomeOf(answer);
  return outcome.ok ? loaded(await answer.json()) : { kind: "later", reason: outcome.reason };
}

/** Its files are fetched, too: the worker of the page keeps them. */
function loaded(card: StudyCard): Fetched<PageCard> {
  const html = Object.values(card.html).join("");
  for (const [, url = ""] of html.matchAll(/<(?:img|audio)[^>]* src="(files\/[^"]+)"/g))
    void fetch(url)
      .then((file) => file.blob())
      .catch(() => {});
  return { kind: "card", card: { card, shapes: card.passes, partial: false } };
}
