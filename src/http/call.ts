import { check, isMap, type Operation } from "../schema/index.ts";
import { decode, outcomeOf, readAnswer, refusal, succeeded } from "./answer.ts";
import { type Exchange, exchange, type Prepared } from "./attempt.ts";
import type { AnswerBody } from "./body.ts";
import { notUnderstood } from "./errors.ts";
import type { Attempt } from "./retry.ts";
import type { HttpSettings } from "./settings.ts";
import type { SlotOutcome } from "./throttle/throttle.ts";

/**
 * One attempt at a call.
 *
 * @returns the domain value, or undefined where there is none.
 * @throws Failure
 */
export async function callOnce(
  settings: HttpSettings,
  operation: Operation,
  request: Prepared,
  attempt: Attempt,
): Promise<unknown> {
  const open = await exchange(settings, request, attempt.number);
  let outcome: SlotOutcome = { kind: "lost" };
  try {
    const body = await readAnswer(open);
    const now = settings.clock.now();
    outcome = outcomeOf(open.answer, now);
    if (succeeded(open.answer)) return await document(operation, open, body);
    // The attempt before, whose answer was lost, removed it.
    if (open.answer.status === 404 && operation.method === "DELETE" && attempt.maybeDone) return undefined;
    throw await refusal(open, body, now);
  } finally {
    open.close(outcome);
  }
}

async function document(operation: Operation, open: Exchange, body: AnswerBody): Promise<unknown> {
  const { asked, answer } = open;
  const kind = operation.answer;
  if (kind === "empty") {
    // Whatever it says is not documented; but a page for people comes from someone else than the service.
    if (body.length > 0 && /^text\/html\b/i.test(answer.headers["content-type"] ?? ""))
      throw notUnderstood(asked, "the answer is a web page", { status: answer.status });
    return undefined;
  }
  if (kind === "bytes") return body;
  if (body.length === 0) {
    if (operation.answerOptional) return undefined;
    throw notUnderstood(asked, "the answer is empty", { status: answer.status, broken: true });
  }
  const { value, conforms } = await decode(open, kind, body);
  if (operation.answerOptional && !isMap(value)) return undefined;
  if (conforms) return value;
  const problems = check(kind, value, "received") ?? {};
  const told = Object.entries(problems).map(([field, text]) => `${field || "it"} ${text}`);
  throw notUnderstood(asked, `the answer is not as documented: ${told.join("; ")}`, {
    status: answer.status,
  });
}
