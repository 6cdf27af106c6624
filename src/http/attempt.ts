import { Readable } from "node:stream";
import { DeckhandError, type RequestName, UsageError } from "../errors.ts";
import type { CodecName, WireAnswer } from "../schema/index.ts";
import { abandoned, connectionFailure, Failure, lost, tooLate, withoutKey } from "./failure.ts";
import type { Prepared } from "./request.ts";
import type { HttpSettings, Upload } from "./settings.ts";
import type { Slot, SlotOutcome } from "./throttle.ts";
import { type OutgoingForm, openForm } from "./upload.ts";

/** A transfer may take longer than the timeout if this many bytes get through within each timeout. */
const progressBytes = 64 * 1024;
const defaultLimit = 64 * 1024 * 1024;

/**
 * The time that one attempt has. Its signal is aborted when the time is up, or with `outer`. Sockets' own timeouts do
 * not suffice: an answer that drips keeps putting them off (docs/design/wire.md, Answers).
 */
class Deadline {
  expired = false;
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #interrupt = () => this.#controller.abort(this.#outer?.reason);
  #restartAt = progressBytes;

  /** @param ms milliseconds from now */
  constructor(ms: number, outer: AbortSignal | undefined) {
    this.#outer = outer;
    this.#timer = setTimeout(() => {
      this.expired = true;
      this.#controller.abort(new Error("out of time"));
    }, ms);
    if (outer?.aborted) this.#interrupt();
    else outer?.addEventListener("abort", this.#interrupt, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts the time again with every 64 KiB. @param bytes how many were transferred in all */
  progress(bytes: number): void {
    if (bytes < this.#restartAt) return;
    this.#restartAt = bytes + progressBytes;
    this.#timer.refresh();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener("abort", this.#interrupt);
  }
}

/** An attempt that is under way. */
interface Sending {
  readonly settings: HttpSettings;
  readonly request: Prepared;
  /** Its path without the key. */
  readonly name: RequestName;
  readonly slot: Slot;
  /** When the slot was acquired. */
  readonly started: number;
  readonly deadline: Deadline;
  form: OutgoingForm | undefined;
}

/**
 * Makes one attempt: waits for the slot, sends the request and waits for the head of the answer.
 *
 * @throws Failure if no head came. If the caller aborts: the reason of its signal, or a Failure where a request that must
 * not be repeated may have been carried out.
 */
export async function startAttempt(
  settings: HttpSettings,
  request: Prepared,
  number: number,
): Promise<Attempt> {
  const masked = (text: string) => withoutKey(text, settings.key);
  const name = { method: request.name.method, path: masked(request.name.path) };
  const slot = await settings.throttle.acquire({ signal: request.signal, onEvent: settings.onEvent });
  const sending: Sending = {
    settings,
    request,
    name,
    slot,
    started: settings.clock.now(),
    deadline: new Deadline(settings.timeout, request.signal),
    form: undefined,
  };
  try {
    if (request.upload) sending.form = await openUpload(request.upload, sending.deadline);
    if (sending.deadline.signal.aborted) throw lost("nothing was sent in time", false);
    settings.onEvent?.({ type: "request", request: name, query: masked(request.query), attempt: number });
    return new Attempt(sending, await send(sending));
  } catch (error) {
    end(sending, { kind: "lost" });
    throw judged(error, sending);
  }
}

/** An attempt whose answer has begun. It holds the slot until it is closed. */
export class Attempt {
  readonly answer: WireAnswer;
  readonly #sending: Sending;

  constructor(sending: Sending, answer: WireAnswer) {
    this.#sending = sending;
    this.answer = answer;
  }

  /** The codec that the request asked for. */
  get codec(): CodecName {
    return this.#sending.settings.codec;
  }

  /** Ends the reading of the answer. */
  get signal(): AbortSignal {
    return this.#sending.deadline.signal;
  }

  /** The most bytes that the answer may have. */
  get limit(): number {
    const { settings, request } = this.#sending;
    return settings.maxAnswerBytes ?? request.maxBytes ?? defaultLimit;
  }

  /** What an error while the body is read means: a Failure, or the reason of the caller's signal. */
  meaningOf(error: unknown): unknown {
    return judged(error, this.#sending);
  }

  /** Gives a long transfer more time. @param bytes how many were read so far */
  progress(bytes: number): void {
    this.#sending.deadline.progress(bytes);
  }

  /** Reports that the answer was read. */
  answered(bytes: number): void {
    const { settings, name, started } = this.#sending;
    const ms = settings.clock.now() - started;
    settings.onEvent?.({ type: "answer", request: name, status: this.answer.status, ms, bytes });
  }

  /** Ends the attempt: stops its clock, closes the uploaded file, releases the slot. */
  close(outcome: SlotOutcome): void {
    end(this.#sending, outcome);
  }
}

function end({ deadline, form, slot }: Sending, outcome: SlotOutcome): void {
  deadline.end();
  form?.destroy();
  slot.release(outcome);
}

async function send({ settings, request, form, deadline }: Sending): Promise<WireAnswer> {
  const answering = settings.transport.send({
    method: request.name.method,
    path: request.name.path,
    query: request.query,
    headers: form === undefined ? request.headers : { ...request.headers, ...form.headers },
    body: form?.stream ?? request.body,
    repeatable: request.repeatable,
    signal: deadline.signal,
  });
  const answer = await answerOrAbort(answering, deadline.signal);
  // An error before the body is read would end the process; the reader gets it, too.
  if (answer.body instanceof Readable) answer.body.on("error", () => {});
  return answer;
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

/** What an error means: a Failure, an error that is final, or the reason of the caller's signal. */
function judged(given: unknown, { settings, request, deadline, form }: Sending): unknown {
  const { aborted, reason } = deadline.signal;
  if (form?.problem && request.upload && !aborted) return unreadable(request.upload, form.problem);
  const error = connectionFailure(given, { sent: true });
  if (error instanceof DeckhandError) return error;
  const sent = !(error instanceof Failure) || error.maybeDone;
  if (deadline.expired) return tooLate(settings.timeout, sent);
  if (aborted) return sent && !request.repeatable ? abandoned(reason) : reason;
  return error;
}

async function openUpload(upload: Upload, deadline: Deadline): Promise<OutgoingForm> {
  try {
    return await openForm(upload, (bytes) => {
      deadline.progress(bytes);
      upload.onProgress?.(bytes);
    });
  } catch (error) {
    throw error instanceof DeckhandError ? error : unreadable(upload, error);
  }
}

function unreadable(upload: Upload, error: unknown): UsageError {
  const why = error instanceof Error ? error.message : String(error);
  return new UsageError(`could not read ${JSON.stringify(upload.fileName)}: ${why}`, { cause: error });
}
