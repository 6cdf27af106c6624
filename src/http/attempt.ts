import { Readable } from "node:stream";
import { DeckhandError, UsageError } from "../errors.ts";
import type { CodecName, WireAnswer } from "../schema/index.ts";
import { type AnswerBody, EncodingError, readBody, TooLargeError } from "./body.ts";
import { Deadline, orCutOff } from "./deadline.ts";
import { type Asked, abandoned, carriageFailure, notUnderstood, tooLate } from "./errors.ts";
import { Failure } from "./failure.ts";
import type { HttpSettings, Upload } from "./settings.ts";
import type { Slot, SlotOutcome } from "./throttle/throttle.ts";
import { TransportError, transportError } from "./transport-error.ts";
import { type OutgoingForm, openForm } from "./upload.ts";

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

/** A long transfer may take longer than the timeout, if only this much gets through within each. */
export const progressBytes = 64 * 1024;
const defaultLimit = 64 * 1024 * 1024;

/** An attempt under way. */
interface Sending {
  readonly settings: HttpSettings;
  readonly request: Prepared;
  readonly asked: Asked;
  readonly slot: Slot;
  /** When the slot was there. */
  readonly started: number;
  readonly deadline: Deadline;
  form: OutgoingForm | undefined;
}

/**
 * Makes one attempt: waits for the slot, sends, waits for the head of the answer, and where it is wanted whole for its
 * body, too.
 *
 * @throws Failure if none came; what a signal was aborted with, if the service surely did nothing or it may be repeated.
 */
export async function exchange(
  settings: HttpSettings,
  request: Prepared,
  attempt: number,
  want: "whole" | "stream" = "whole",
): Promise<Exchange> {
  const slot = await settings.throttle.acquire({ signal: request.signal, tell: settings.onEvent });
  const sending: Sending = {
    settings,
    request,
    asked: { name: request.name, repeatable: request.repeatable, key: settings.key, attempt },
    slot,
    started: settings.clock.now(),
    deadline: new Deadline(settings.timeout, request.signal),
    form: undefined,
  };
  try {
    if (request.upload) sending.form = await openUpload(request.upload, sending.deadline);
    if (sending.deadline.happened)
      throw new TransportError("lost", "nothing was sent in time", { sent: false });
    settings.onEvent?.({ type: "request", request: request.name, query: request.query, attempt });
    return new Exchange(sending, await send(sending, want));
  } catch (error) {
    end(sending, { kind: "lost" });
    throw meaningOf(error, sending);
  }
}

/** An attempt that got as far as the head of an answer. It holds the slot until it is closed. */
export class Exchange {
  readonly answer: WireAnswer;
  readonly #sending: Sending;

  constructor(sending: Sending, answer: WireAnswer) {
    this.#sending = sending;
    this.answer = answer;
  }

  get asked(): Asked {
    return this.#sending.asked;
  }

  /** What the answer was asked to be in. */
  get codec(): CodecName {
    return this.#sending.settings.codec;
  }

  get deadline(): Deadline {
    return this.#sending.deadline;
  }

  /**
   * Reads the body to its end.
   *
   * @throws Failure
   */
  async read(): Promise<AnswerBody> {
    try {
      const body = await readBody(this.answer, limitOf(this.#sending.settings), this.deadline);
      this.answered(body.length);
      return body;
    } catch (error) {
      throw this.readFailure(error);
    }
  }

  /** What an error of the answer's body means: a Failure, or what a signal was aborted with. */
  readFailure(error: unknown): unknown {
    return meaningOf(afterHead(error), this.#sending);
  }

  /** Tells --verbose that the answer is there. */
  answered(bytes: number): void {
    const { settings, request, started } = this.#sending;
    const ms = settings.clock.now() - started;
    settings.onEvent?.({ type: "answer", request: request.name, status: this.answer.status, ms, bytes });
  }

  /** Ends the attempt: stops its clock, closes the uploaded file, gives the slot back. */
  close(outcome: SlotOutcome): void {
    end(this.#sending, outcome);
  }
}

function end({ deadline, form, slot }: Sending, outcome: SlotOutcome): void {
  deadline.end();
  form?.destroy();
  slot.release(outcome);
}

async function send(sending: Sending, want: "whole" | "stream"): Promise<WireAnswer> {
  const { settings, request, form, deadline } = sending;
  const answering = settings.transport.send({
    method: request.name.method,
    path: request.name.path,
    query: request.query,
    headers: form === undefined ? request.headers : { ...request.headers, ...form.headers },
    body: form?.stream ?? request.body,
    repeatable: request.repeatable,
    cutoff: deadline,
    whole: want === "whole" ? limitOf(settings) : undefined,
  });
  const answer = await orCutOff(answering, deadline, drop);
  // Whoever reads the body is told of its errors; without a listener an early one would end the process.
  if (answer.body instanceof Readable) answer.body.on("error", () => {});
  return answer;
}

/** What an error means: a Failure, an error that is final, or what a signal was aborted with. */
function meaningOf(error: unknown, { settings, request, asked, deadline, form }: Sending): unknown {
  if (form?.problem && request.upload && !deadline.happened) return unreadable(request.upload, form.problem);
  if (error instanceof Failure || error instanceof DeckhandError) return error;
  const sent = !(error instanceof TransportError) || error.sent;
  if (deadline.expired) return tooLate(asked, settings.timeout, sent);
  if (deadline.happened)
    return sent && form?.whole !== false && !asked.repeatable
      ? abandoned(asked, deadline.reason)
      : deadline.reason;
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
