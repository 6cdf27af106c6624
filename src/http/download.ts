import { Readable } from "node:stream";
import { outcomeOf, readAnswer, refusal, succeeded } from "./answer.ts";
import { type Exchange, exchange, type Prepared, progressBytes } from "./attempt.ts";
import { plainBody } from "./body.ts";
import { Failure } from "./failure.ts";
import type { Attempt } from "./retry.ts";
import type { Download, HttpSettings } from "./settings.ts";

/**
 * One attempt at a download, from sending to where `take` has done with it.
 *
 * @throws Failure; what `take` throws, unless that is only how the body broke off
 */
export async function downloadOnce<T>(
  settings: HttpSettings,
  request: Prepared,
  attempt: Attempt,
  take: (download: Download) => Promise<T>,
): Promise<T> {
  let failure: Failure | undefined;
  const download = await begin(settings, request, attempt, (found) => {
    failure = found;
  });
  try {
    return await take(download);
  } catch (error) {
    throw error === failure?.error ? failure : error;
  }
}

/**
 * Up to the head of the answer.
 *
 * @param failed is told why the body breaks off
 * @throws Failure
 */
async function begin(
  settings: HttpSettings,
  request: Prepared,
  attempt: Attempt,
  failed: (failure: Failure) => void,
): Promise<Download> {
  const open = await exchange(settings, request, attempt.number, "stream");
  try {
    if (succeeded(open.answer))
      return { headers: open.answer.headers, body: heldStream(open, await plainBody(open.answer), failed) };
    const body = await readAnswer(open);
    throw await refusal(open, body, settings.clock.now());
  } catch (error) {
    open.close(outcomeOf(open.answer, settings.clock.now()));
    throw open.readFailure(error);
  }
}

/** The body as a stream that gives the request's slot back when it has ended or was destroyed. */
function heldStream(
  open: Exchange,
  body: string | Uint8Array | Readable | null,
  failed: (failure: Failure) => void,
): Readable {
  const source = body instanceof Readable ? body : Readable.from(body === null ? [] : [Buffer.from(body)]);
  const { deadline } = open;
  let bytes = 0;
  let restartAt = progressBytes;
  let ended = false;
  const stop = () => source.destroy(deadline.reason as Error);
  deadline.listen(stop);
  const stream = new Readable({
    read() {
      source.resume();
    },
    destroy(error, done) {
      deadline.unlisten(stop);
      source.destroy();
      open.close({ kind: ended ? "answered" : "lost" });
      done(error);
    },
  });
  // It may fail before anyone reads it, which must not end the process: whoever then reads it is told.
  stream.on("error", () => {});
  const fail = (error: unknown) => {
    const meant = open.readFailure(error);
    if (meant instanceof Failure) failed(meant);
    stream.destroy(meant instanceof Failure ? meant.error : (meant as Error));
  };
  source.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes >= restartAt) {
      restartAt = bytes + progressBytes;
      deadline.restart();
    }
    if (!stream.push(chunk)) source.pause();
  });
  source.on("end", () => {
    ended = true;
    open.answered(bytes);
    // The service is done with the request, even if what was read is not written yet.
    open.close({ kind: "answered" });
    stream.push(null);
  });
  source.on("error", fail);
  const tooEarly = () => new Error("the answer ended too early");
  if (source.destroyed) fail(source.errored ?? tooEarly());
  source.on("close", () => {
    if (!ended && !stream.destroyed) fail(tooEarly());
  });
  return stream;
}
