import { Readable } from "node:stream";
import { DeckhandError, UsageError } from "../errors.ts";
import type { WireAnswer } from "../schema/index.ts";
import { abandoned, connectionFailure, Failure, lost, tooLate, withoutKey } from "./failure.ts";
import type { Prepared } from "./request.ts";
import type { HttpSettings, Upload } from "./settings.ts";
import type { Slot, SlotOutcome } from "./throttle.ts";
import { type OutgoingForm, openForm } from "./upload.ts";

/** A transfer may take longer than the timeout if this many bytes get through within each timeout. */
const progressBytes = 64 * 1024;
const defaultLimit = 64 * 1024 * 1024;

/**
 * An attempt at a request. It holds the account's slot until it is closed, and has so much time: its signal is aborted
 * when that is up, or by the caller. Sockets' own timeouts do not suffice: an answer that drips keeps putting them off
 * (docs/design/wire.md, Answers).
 */
export class Attempt {
  readonly settings: HttpSettings;
  answer: WireAnswer = { status: 0, headers: {}, body: null };
  /** The most bytes that the answer may have. */
  readonly limit: number;
  readonly #request: Prepared;
  readonly #slot: Slot | undefined;
  readonly #started: number;
  readonly #abort = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #interrupt = () => this.#abort.abort(this.#request.signal?.reason);
  #expired = false;
  #restartAt = progressBytes;
  #form: OutgoingForm | undefined;

  private constructor(settings: HttpSettings, request: Prepared, slot: Slot | undefined) {
    this.settings = settings;
    this.limit = settings.maxAnswerBytes ?? request.maxBytes ?? defaultLimit;
    this.#request = request;
    this.#slot = slot;
    this.#started = settings.clock.now();
    this.#timer = setTimeout(() => {
      this.#expired = true;
      this.#abort.abort(new Error("out of time"));
    }, settings.timeout);
    if (request.signal?.aborted) this.#interrupt();
    else request.signal?.addEventListener("abort", this.#interrupt, { once: true });
  }

  /**
   * Waits for the slot, sends the request and waits for the head of the answer.
   *
   * @throws Failure if no head came. If the caller aborts: the reason of its signal, or a Failure where a request that
   * must not be repeated may have been carried out.
   */
  static async start(settings: HttpSettings, request: Prepared, number: number): Promise<Attempt> {
    const { throttle, onEvent } = settings;
    const slot = await throttle?.acquire({ signal: request.signal, onEvent });
    const attempt = new Attempt(settings, request, slot);
    try {
      if (request.upload) attempt.#form = await attempt.#open(request.upload);
      if (attempt.signal.aborted) throw lost("nothing was sent in time", false);
      const query = withoutKey(request.query, settings.key);
      onEvent?.({ type: "request", request: request.name, query, attempt: number });
      attempt.answer = await attempt.#send();
      return attempt;
    } catch (error) {
      attempt.close({ kind: "lost" });
      throw attempt.meaningOf(error);
    }
  }

  /** Ends the reading of the answer. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** What an error means: a Failure, an error that is final, or the reason of the caller's signal. */
  meaningOf(given: unknown): unknown {
    const { aborted, reason } = this.signal;
    const { upload, repeatable } = this.#request;
    if (this.#form?.problem && upload && !aborted) return unreadable(upload, this.#form.problem);
    const error = connectionFailure(given, { sent: true });
    if (error instanceof DeckhandError && !(error instanceof Failure)) return error;
    const sent = !(error instanceof Failure) || error.maybeDone;
    if (this.#expired) return tooLate(this.settings.timeout, sent);
    if (aborted) return sent && !repeatable ? abandoned(reason) : reason;
    return error;
  }

  /** Starts the time again with every 64 KiB. @param bytes how many were transferred so far */
  progress(bytes: number): void {
    if (bytes < this.#restartAt) return;
    this.#restartAt = bytes + progressBytes;
    this.#timer.refresh();
  }

  /** Reports that the answer was read. */
  answered(bytes: number): void {
    const { clock, onEvent } = this.settings;
    const ms = clock.now() - this.#started;
    onEvent?.({ type: "answer", request: this.#request.name, status: this.answer.status, ms, bytes });
  }

  /** Ends the attempt: stops its clock, closes the uploaded file, releases the slot. Only the first call counts. */
  close(outcome: SlotOutcome): void {
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener("abort", this.#interrupt);
    this.#form?.destroy();
    this.#slot?.release(outcome);
  }

  async #open(upload: Upload): Promise<OutgoingForm> {
    try {
      return await openForm(upload, (bytes) => {
        this.progress(bytes);
        upload.onProgress?.(bytes);
      });
    } catch (error) {
      throw error instanceof DeckhandError ? error : unreadable(upload, error);
    }
  }

  async #send(): Promise<WireAnswer> {
    const { name, path, query, headers, body, repeatable } = this.#request;
    const form = this.#form;
    const answering = this.settings.transport.send({
      ...{ method: name.method, path, query, repeatable, signal: this.signal },
      headers: form === undefined ? headers : { ...headers, ...form.headers },
      body: form?.stream ?? body,
    });
    const answer = await answerOrAbort(answering, this.signal);
    // An error before the body is read would end the process; the reader gets it, too.
    if (answer.body instanceof Readable) answer.body.on("error", () => {});
    return answer;
  }
}

/** The answer, or the signal's reason if that comes first and the transport itself does not act on it at once. */
function answerOrAbort(answering: Promise<WireAnswer>, signal: AbortSignal): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      reject(signal.reason);
      answering.then(discard, () => {});
    };
    // A transport that listens to the signal knows better whether anything was sent.
    const abort = () => setImmediate(giveUp);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    answering.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

function discard({ body }: WireAnswer): void {
  if (body instanceof Readable) body.on("error", () => {}).destroy();
}

function unreadable(upload: Upload, error: unknown): UsageError {
  const why = error instanceof Error ? error.message : String(error);
  return new UsageError(`could not read ${JSON.stringify(upload.fileName)}: ${why}`, { cause: error });
}
