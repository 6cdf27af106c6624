import { addAbortSignal, finished, Readable, Transform } from "node:stream";
import { plainBody, readAnswer, succeeded } from "./answer.ts";
import type { Attempt } from "./attempt.ts";
import type { Download } from "./settings.ts";

/**
 * Has `take` read the body of an attempt's answer.
 *
 * @throws Failure, also as the error with which the body broke off; otherwise what `take` throws
 */
export async function downloadOnce<T>(
  attempt: Attempt,
  take: (download: Download) => Promise<T>,
): Promise<T> {
  if (!succeeded(attempt.answer)) throw (await readAnswer(attempt)).failure;
  const body = bodyOf(attempt);
  try {
    return await take({ headers: attempt.answer.headers, body });
  } catch (error) {
    body.destroy();
    throw error;
  }
}

/** The body as a stream that closes the attempt when it has ended or was destroyed. */
function bodyOf(attempt: Attempt): Readable {
  const body = plainBody(attempt.answer);
  const source = body instanceof Readable ? body : Readable.from(body === null ? [] : [Buffer.from(body)]);
  let bytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      attempt.progress(bytes);
      done(null, chunk);
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
    if (error && !stream.destroyed) stream.destroy(attempt.meaningOf(error) as Error);
  });
  return stream;
}
