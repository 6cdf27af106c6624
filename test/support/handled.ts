import { Readable } from "node:stream";
import type { WireAnswer, WireRequest } from "../../src/schema/index.ts";
import type { Application } from "../../src/service/app.ts";

/** Answers a request as a server does: with its key, and with the turn of its account until the answer is read. */
export async function handled(
  application: Pick<Application, "answer">,
  request: WireRequest,
): Promise<WireAnswer> {
  const { answer, release } = await application.answer(request);
  if (answer.body instanceof Readable) answer.body.once("close", () => void release());
  else await release();
  return answer;
}
