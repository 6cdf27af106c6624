import { type Client, createClient } from "../../client/index.ts";
import type { Context } from "../../context/context.ts";
import { DeckhandError, type ErrorCode } from "../../errors.ts";
import type { Outcome, Recorder } from "../../review/session/outbox.ts";
import type { Card } from "../../schema/index.ts";

/** No longer is waited for an answer while a session goes on. */
const patience = 15_000;

/** A client that gives up sooner than others: a session goes on without the service, and tries again with the next answer. */
export async function sessionClient(context: Context, retries: number): Promise<Client> {
  const http = await context.http();
  return createClient({
    ...http,
    async call(operation, input) {
      const signal = AbortSignal.timeout(patience);
      try {
        return await http.call(operation, { ...input, retries, signal });
      } catch (error) {
        throw error === signal.reason
          ? new DeckhandError("timeout", "no answer in time", { cause: error })
          : error;
      }
    },
  });
}

/** Failures after which the same request may succeed; after any other it would be refused again. */
const passing: Readonly<Partial<Record<ErrorCode, "later" | "fault">>> = {
  network: "later",
  timeout: "later",
  "rate-limited": "later",
  unauthorized: "later",
  forbidden: "later",
  "not-configured": "later",
  server: "fault",
  "bad-response": "fault",
};

export function recorderOf(client: Client): Recorder {
  const attempt = async (request: Promise<Card | undefined>): Promise<Outcome> => {
    try {
      const card = await request;
      const due = card?.reviews?.at(-1)?.due;
      return { ok: true, ...(due == null ? {} : { due }) };
    } catch (error) {
      if (!(error instanceof DeckhandError)) return { ok: false, kind: "later", reason: reasonOf(error) };
      // Another session recorded a review after the last one that this session knew.
      const reason =
        error.status === 412 ? "the card was answered in another session meanwhile" : error.message;
      return { ok: false, kind: passing[error.code] ?? "refused", reason, error };
    }
  };
  return {
    send: (cardId, { date, "remembered?": remembered, duration, after }) =>
      attempt(
        client.reviews
          .create(cardId, {
            date,
            "remembered?": remembered,
            duration,
            ...(after === undefined ? {} : { after }),
          })
          .send(),
      ),
    async withdraw(cardId, date) {
      const outcome = await attempt(
        client.reviews
          .delete(cardId, date)
          .send()
          .then(() => undefined),
      );
      // Not there (any more) is what was wanted.
      return !outcome.ok && outcome.kind === "refused" ? { ok: true } : outcome;
    },
  };
}

/** Why something failed, in one line. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError"))
    return "no answer in time";
  return error instanceof Error ? error.message : String(error);
}
