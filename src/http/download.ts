import { addAbortSignal, finished, Readable, Transform } from "node:stream";
import { decompressed, outcomeOf, readAnswer, refusal, succeeded } from "./answer.ts";
import { type Attempt, startAttempt } from "./attempt.ts";
import { Failure, TooLargeError } from "./failure.ts";
import type { Prepared } from "./request.ts";
import type { Download, HttpSettings } from "./settings.ts";

/**
 * One attempt at a download, until `take` is done with the body.
 *
 * @throws Failure, also where `take` throws the error with which the body broke off; otherwise what `take` throws
 */
export async function downloadOnce<T>(
  settings: HttpSettings,
  request: Prepared,
  number: number,
  take: (download: Download) => Promise<T>,
): Promise<T> {
  const attempt = await startAttempt(settings, request, number);
  let failure: Failure | undefined;
  let body: Readable;
  try {
    if (!succeeded(attempt.answer)) throw await refusalOf(attempt, settings.clock.now);
    body = await bodyOf(attempt, (found) => {
      failure = found;
    });
  } catch (error) {
    attempt.close({ kind: "lost" });
    throw error;
  }
  try {
    return await take({ headers: attempt.answer.headers, body });
  } catch (error) {
    body.destroy();
    throw error === failure?.error ? failure : error;
  }
}

async function refusalOf(attempt: Attempt, now: () => number): Promise<Failure> {
  const body = await readAnswer(attempt);
  const read = now();
  attempt.close(outcomeOf(attempt.answer, read));
  return refusal(attempt, body, read);
}

/** A compressed download may unpack to this many times the limit of other answers: 1 GiB. More is taken for a bomb. */
const unpackedFactor = 16;

/**
 * The body as a stream that closes the attempt when it has ended or was destroyed.
 *
 * @param onFailure is called with the reason why the body breaks off.
 */
async function bodyOf(attempt: Attempt, onFailure: (failure: Failure) => void): Promise<Readable> {
  const meaning = (error: unknown) => {
    const meant = attempt.meaningOf(error);
    if (!(meant instanceof Failure)) return meant;
    onFailure(meant);
    return meant.error;
  };
  let body: Readable | Uint8Array | string | null;
  try {
    body = await decompressed(attempt.answer);
  } catch (error) {
    throw meaning(error);
  }
  const source = body instanceof Readable ? body : Readable.from(body === null ? [] : [Buffer.from(body)]);
  const limit = body === attempt.answer.body ? Infinity : unpackedFactor * attempt.limit;
  let bytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      attempt.progress(bytes);
      if (bytes > limit) done(meaning(new TooLargeError(limit)) as Error);
      else done(null, chunk);
    },
    flush(done) {
      attempt.answered(bytes);
      // The service is done with the request, even if the reader is not.
      attempt.close({ kind: "answered" });
      done();
    },
  });
  // An error before anyone reads the stream would end the process; the reader gets it, too.
  stream.on("error", () => {});
  stream.once("close", () => {
    source.destroy();
    attempt.close({ kind: "lost" });
  });
  addAbortSignal(attempt.signal, source).pipe(stream);
  finished(source, (error) => {
    if (error && !stream.destroyed) stream.destroy(meaning(error) as Error);
  });
  return stream;
}
