import { addAbortSignal, finished, Readable, Transform } from "node:stream";
import { decompressed, outcomeOf, readAnswer, refusal, succeeded } from "./answer.ts";
import { type Attempt, startAttempt } from "./attempt.ts";
import { Failure, tooLarge } from "./failure.ts";
import { errorOf, type Prepared } from "./request.ts";
import type { Download, HttpSettings } from "./settings.ts";

/**
 * One attempt at a download, until `take` is done with the body.
 *
 * @throws Failure, also as the error with which the body broke off; otherwise what `take` throws
 */
export async function downloadOnce<T>(
  settings: HttpSettings,
  request: Prepared,
  number: number,
  take: (download: Download) => Promise<T>,
): Promise<T> {
  const attempt = await startAttempt(settings, request, number);
  // The reader gets an error for users; whether another attempt is made depends on the failure.
  const broken = new Map<unknown, Failure>();
  const meaning = (error: unknown) => {
    const meant = attempt.meaningOf(error);
    if (!(meant instanceof Failure)) return meant as Error;
    const shown = errorOf(settings, request, meant, number);
    broken.set(shown, meant);
    return shown;
  };
  let body: Readable;
  try {
    if (!succeeded(attempt.answer)) {
      const said = await readAnswer(attempt);
      const read = settings.clock.now();
      attempt.close(outcomeOf(attempt.answer, read));
      throw await refusal(attempt, said, read);
    }
    body = await bodyOf(attempt, meaning);
  } catch (error) {
    attempt.close({ kind: "lost" });
    throw error;
  }
  try {
    return await take({ headers: attempt.answer.headers, body });
  } catch (error) {
    body.destroy();
    throw broken.get(error) ?? error;
  }
}

/** A compressed download may unpack to this many times the limit of other answers: 1 GiB. More is taken for a bomb. */
const unpackedFactor = 16;

/** The body as a stream that closes the attempt when it has ended or was destroyed. */
async function bodyOf(attempt: Attempt, meaning: (error: unknown) => Error): Promise<Readable> {
  const body = await decompressed(attempt.answer);
  const source = body instanceof Readable ? body : Readable.from(body === null ? [] : [Buffer.from(body)]);
  const limit = body === attempt.answer.body ? Infinity : unpackedFactor * attempt.limit;
  let bytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      attempt.progress(bytes);
      if (bytes > limit) done(meaning(tooLarge(limit)));
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
    if (error && !stream.destroyed) stream.destroy(meaning(error));
  });
  return stream;
}
