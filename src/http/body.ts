import { Buffer } from "node:buffer";
import { pipeline, Readable, type Transform } from "node:stream";
import type { Cutoff, WireAnswer } from "../schema/index.ts";

/** The answer goes beyond the limit. */
export class TooLargeError extends Error {
  override readonly name = "TooLargeError";
}

/** The answer is in a content coding that was not asked for and is not understood, or not what it says it is. */
export class EncodingError extends Error {
  override readonly name = "EncodingError";
  /** Whether it broke on the way: the next answer may be whole. */
  readonly broken: boolean;

  constructor(message: string, options: { broken: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.broken = options.broken;
  }
}

export type AnswerBody = string | Buffer;

/**
 * Reads a whole body. The limit counts what comes out of a decompressor, so that a small answer cannot grow without end.
 *
 * @throws TooLargeError, EncodingError, or what the stream failed with.
 */
export async function readBody(answer: WireAnswer, limit: number, cutoff: Cutoff): Promise<AnswerBody> {
  const body = await plainBody(answer);
  if (body === null) return "";
  if (!(body instanceof Readable)) {
    if (body.length > limit) throw new TooLargeError();
    return typeof body === "string" ? body : bufferOf(body);
  }
  const stop = () => body.destroy(cutoff.reason as Error);
  if (cutoff.happened) stop();
  else cutoff.listen(stop);
  try {
    return await collect(body, limit);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (/^(?:Z_|ERR__|ERR_BROTLI)/.test(code))
      throw new EncodingError("the answer cannot be decompressed", { broken: true, cause: error });
    throw error;
  } finally {
    cutoff.unlisten(stop);
    body.destroy();
  }
}

/** So many pieces in a row are made one. */
const most = 1024;

/**
 * Bytes as they come, up to a limit. A piece takes some hundred bytes besides its own, and a service may send one byte in
 * each: many are made one, or they would take gigabytes before they reach the limit.
 */
export class Pieces {
  readonly #limit: number;
  readonly #pieces: Buffer[] = [];
  /** How many of the last ones stand for themselves. */
  #loose = 0;
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether that is within the limit; what is not is not kept. */
  add(piece: Buffer): boolean {
    this.#length += piece.length;
    if (this.#length > this.#limit) return false;
    this.#pieces.push(piece);
    this.#loose++;
    if (this.#loose === most) {
      this.#pieces.push(Buffer.concat(this.#pieces.splice(-most)));
      this.#loose = 0;
    }
    return true;
  }

  joined(): Buffer {
    const [first] = this.#pieces;
    return this.#pieces.length === 1 && first ? first : Buffer.concat(this.#pieces);
  }
}

/** By its events: a stream's iterator takes longer than the rest of a quick request. */
function collect(stream: Readable, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const broken = () => reject(stream.errored ?? new Error("the stream was closed"));
    // It may have broken off before anyone listened; then nothing more is told of it.
    if (stream.destroyed) return broken();
    const pieces = new Pieces(limit);
    stream.on("data", (piece: Buffer) => {
      if (!pieces.add(piece)) reject(new TooLargeError());
    });
    stream.once("end", () => resolve(pieces.joined()));
    stream.once("error", reject);
    // Without a word, and before the end.
    stream.once("close", () => stream.readableEnded || broken());
  });
}

/** The body without its content coding. None is asked for, but a proxy may send one all the same. */
export async function plainBody(answer: WireAnswer): Promise<WireAnswer["body"]> {
  const coding = answer.headers["content-encoding"]?.trim().toLowerCase() ?? "";
  const { body } = answer;
  if (coding === "" || coding === "identity" || body === null) return body;
  // The head of an answer to HEAD, or of 204, may name the coding that a body would have.
  if (!(body instanceof Readable) && body.length === 0) return body;
  // Not an import(): a chunk that has one cannot be kept compiled on Node 20 (bin/compile-cache.js).
  const zlib = process.getBuiltinModule("node:zlib");
  // A map: what the service calls its coding may be the name of something that every object has.
  const make = new Map<string, () => Transform>([
    ["gzip", zlib.createGunzip],
    ["x-gzip", zlib.createGunzip],
    ["deflate", zlib.createInflate],
    ["br", zlib.createBrotliDecompress],
  ]).get(coding);
  if (make === undefined) {
    if (body instanceof Readable) body.destroy();
    throw new EncodingError(
      `the answer is in the coding ${JSON.stringify(coding)}, which was not asked for`,
      { broken: false },
    );
  }
  const packed = body instanceof Readable ? body : Readable.from([bufferOf(body)]);
  const plain = make();
  // pipeline passes the errors of either side on to the other; whoever reads gets them.
  pipeline(packed, plain, () => {});
  return plain;
}

const bufferOf = (body: string | Uint8Array) =>
  typeof body === "string"
    ? Buffer.from(body, "utf8")
    : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
