import { Readable } from "node:stream";
import { DeckhandError, UsageError } from "../errors.ts";
import type { CodecName, WireAnswer } from "../schema/index.ts";
import { type AnswerBody, EncodingError, readBody, TooLargeError } from "./body.ts";
import { type Deadline, orAborted, startDeadline } from "./deadline.ts";
import { type Asked, carriageFailure, notUnderstood, tooLate } from "./errors.ts";
import { Failure } from "./failure.ts";
import { type OutgoingForm, openForm } from "./multipart.ts";
import type { HttpEvent, HttpSettings, Upload } from "./settings.ts";
import type { Slot, SlotOutcome } from "./throttle.ts";
import { TransportError, transportError } from "./transport-error.ts";

/** A request ready to be sent, as often as need be. */
export interface Prepared {
  readonly name: { readonly method: string; readonly path: string };
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly upload?: Upload | undefined;
  readonly repeatable: boolean;
  readonly retries: number;
  /** The caller's and the settings' signals in one. */
  readonly signal: AbortSignal | undefined;
}

/** An attempt that got as far as the head of an answer. It holds the slot until it is closed. */
export interface Exchange {
  readonly asked: Asked;
  /** What the answer was asked to be in. */
  readonly codec: CodecName;
  readonly answer: WireAnswer;
  readonly deadline: Deadline;
  /**
   * Reads the body to its end.
   *
   * @throws Failure
   */
  read(): Promise<AnswerBody>;
  /** What an error of the answer's stream means: a Failure, or what a signal was aborted with. */
  readFailure(error: unknown): unknown;
  /** Tells --verbose that the answer is there. */
  answered(bytes: number): void;
  /** Ends the attempt: stops its clock, closes the uploaded file, gives the slot back. */
  close(outcome: SlotOutcome): void;
}

/** A long transfer may take longer than the timeout, if only this much gets through within each. */
export const progressBytes = 64 * 1024;
const defaultLimit = 64 * 1024 * 1024;

/**
 * Makes one attempt: waits for the slot, sends, waits for the head of the answer.
 *
 * @throws Failure if none came; what a signal was aborted with.
 */
export async function exchange(
  settings: HttpSettings,
  request: Prepared,
  attempt: number,
): Promise<Exchange> {
  const slot = await acquireSlot(settings, request);
  const started = settings.clock.now();
  const deadline = startDeadline(settings.timeout, request.signal);
  const asked: Asked = { name: request.name, repeatable: request.repeatable, key: settings.key, attempt };
  let form: OutgoingForm | undefined;
  const close = (outcome: SlotOutcome) => {
    deadline.end();
    form?.destroy();
    slot.release(outcome);
  };
  const failure = (error: unknown) => {
    if (form?.problem && request.upload && !deadline.signal.aborted)
      return unreadable(request.upload, form.problem);
    return meaningOf(error, asked, settings, deadline);
  };
  try {
    if (request.upload) form = await openUpload(request.upload, deadline);
    settings.onEvent?.({ type: "request", request: request.name, query: request.query, attempt });
    const answer = await send(settings, request, form, deadline.signal);
    const readFailure = (error: unknown) => failure(afterHead(error));
    const answered = (bytes: number) => {
      const ms = settings.clock.now() - started;
      settings.onEvent?.({ type: "answer", request: request.name, status: answer.status, ms, bytes });
    };
    const read = async () => {
      try {
        const body = await readBody(answer, limitOf(settings), deadline.signal);
        answered(body.length);
        return body;
      } catch (error) {
        throw readFailure(error);
      }
    };
    return { asked, codec: settings.codec, answer, deadline, read, readFailure, answered, close };
  } catch (error) {
    close({ kind: "lost" });
    throw failure(error);
  }
}

async function send(
  settings: HttpSettings,
  request: Prepared,
  form: OutgoingForm | undefined,
  signal: AbortSignal,
): Promise<WireAnswer> {
  const sending = settings.transport.send({
    ...request.name,
    query: request.query,
    headers: { ...request.headers, ...form?.headers },
    body: form?.stream ?? request.body,
    repeatable: request.repeatable,
    signal,
  });
  const answer = await orAborted(sending, signal, drop);
  // Whoever reads the body is told of its errors; without a listener an early one would end the process.
  if (answer.body instanceof Readable) answer.body.on("error", () => {});
  return answer;
}

/** What an error means: a Failure, an error that is final, or what a signal was aborted with. */
function meaningOf(error: unknown, asked: Asked, settings: HttpSettings, deadline: Deadline): unknown {
  if (error instanceof Failure || error instanceof DeckhandError) return error;
  if (deadline.expired)
    return tooLate(asked, settings.timeout, !(error instanceof TransportError) || error.sent);
  if (deadline.signal.aborted) return deadline.signal.reason;
  if (error instanceof TooLargeError)
    return notUnderstood(asked, `the answer is larger than ${limitOf(settings) / 1024 / 1024} MiB`);
  if (error instanceof EncodingError)
    return notUnderstood(asked, error.message, { broken: error.broken, cause: error.cause });
  return carriageFailure(asked, error);
}

/** Whatever breaks after the head of an answer is the connection, if it is nothing that this side found. */
function afterHead(error: unknown): unknown {
  const found = error instanceof TooLargeError || error instanceof EncodingError || error instanceof Failure;
  return found ? error : transportError(error, { sent: true });
}

const limitOf = (settings: HttpSettings) => settings.maxAnswerBytes ?? defaultLimit;

function acquireSlot(settings: HttpSettings, request: Prepared): Promise<Slot> {
  const tell = (event: HttpEvent) => settings.onEvent?.(event);
  return settings.throttle.acquire({
    signal: request.signal,
    onWait: (why, ms) => tell({ type: "wait", why, ms }),
    onWaited: (why, ms) => tell({ type: "waited", why, ms }),
    onAlone: (reason) => tell({ type: "alone", reason }),
  });
}

async function openUpload(upload: Upload, deadline: Deadline): Promise<OutgoingForm> {
  let restartAt = progressBytes;
  try {
    return await openForm(upload, (bytes) => {
      if (bytes >= restartAt) {
        restartAt = bytes + progressBytes;
        deadline.restart();
      }
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

/** An answer that comes after nobody waits for it. */
function drop(answer: WireAnswer): void {
  if (answer.body instanceof Readable) answer.body.on("error", () => {}).destroy();
}
