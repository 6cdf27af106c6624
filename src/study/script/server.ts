import type { Changed } from "../../review/ports.ts";
import type { Outcome, Recorder } from "../../review/session/outbox.ts";
import type { Change } from "../../review/session/state.ts";

/** The requests of the page. Its addresses are relative to it. */

/** Said where the session of the browser has ended. */
const signedOut = "Sign in again: the answers are kept until then.";

/** No longer is waited for an answer, in milliseconds. */
const patience = 15_000;

const part = encodeURIComponent;
type Body = Readonly<Record<string, unknown>>;

/** @throws TypeError without a connection */
async function request(method: string, path: string, body?: Body): Promise<Outcome> {
  // Another tab may have signed in as somebody else meanwhile.
  const answer = await fetch(`${path}?account=${part(document.body.dataset["account"] ?? "")}`, {
    method,
    // It is sent also while the page is being closed.
    keepalive: true,
    signal: AbortSignal.timeout(patience),
    ...(body === undefined
      ? {}
      : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  if (answer.ok) return { ok: true };
  const { status } = answer;
  if (status === 401) return { ok: false, kind: "later", reason: signedOut };
  if (status === 412)
    return { ok: false, kind: "refused", reason: "the card was answered in another session meanwhile" };
  const { errors } = (await answer.json().catch(() => ({}))) as { errors?: unknown };
  const reason = Array.isArray(errors) ? errors.join(", ") : `the service answered ${status}`;
  const later = status === 403 || status === 429 || status === 503;
  return { ok: false, kind: later ? "later" : status >= 500 ? "fault" : "refused", reason };
}

const offline: Outcome = { ok: false, kind: "later", reason: "no connection" };
const attempt = (...parts: Parameters<typeof request>): Promise<Outcome> =>
  request(...parts).catch(() => offline);

export const recorder: Recorder = {
  send: (cardId, { date, "remembered?": remembered, duration, after }) =>
    attempt("POST", `reviews/${part(cardId)}`, { date, "remembered?": remembered, duration, after }),
  withdraw: (cardId, date) => attempt("DELETE", `reviews/${part(cardId)}/${part(date)}`),
};

export async function askAgain(cardId: string, again: boolean): Promise<void> {
  await attempt("PUT", `today/${part(cardId)}`, { again });
}

export async function change(cardId: string, change: Change): Promise<Changed> {
  if (!("putOff" in change)) return { ok: false, reason: "the page cannot do this" };
  return attempt("PUT", `today/${part(cardId)}`, { "put-off": change.putOff });
}

/** @returns undefined for what is not there. @throws where there is no answer */
export async function get<T>(path: string): Promise<T | undefined> {
  const answer = await fetch(path, { signal: AbortSignal.timeout(patience) });
  if (answer.status === 404) return undefined;
  if (answer.status === 401) throw new Error(signedOut);
  if (!answer.ok) throw new Error(`the service answered ${answer.status}`);
  return (await answer.json()) as T;
}
