import type { Readable } from "node:stream";
import type { RequestName } from "../errors.ts";
import type { Clock } from "../files/clock.ts";
import type { CodecName, Operation, Transport } from "../schema/index.ts";
import type { Throttle, ThrottleEvent } from "./throttle.ts";

export interface HttpSettings {
  readonly transport: Transport;
  readonly codec: CodecName;
  /** Sent as the user name of Basic authentication; absent for the local service in the same process. */
  readonly key?: string | undefined;
  /** Milliseconds for one attempt, from sending to the last byte of the answer. */
  readonly timeout: number;
  /** How often a request is repeated, at most. */
  readonly retries: number;
  /** Absent for the local service in the same process, which has no limits. */
  readonly throttle?: Pick<Throttle, "acquire"> | undefined;
  readonly userAgent: string;
  readonly clock: Clock;
  /** From 0 to 1, as Math.random. */
  random(): number;
  onEvent?: ((event: HttpEvent) => void) | undefined;
  /** Ends every wait and request; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** Larger answers are refused, except downloads; 64 MiB if absent. */
  readonly maxAnswerBytes?: number | undefined;
}

/** What --verbose reports. Never holds a header, a body or the key. */
export type HttpEvent =
  | {
      readonly type: "request";
      readonly request: RequestName;
      readonly query: string;
      readonly attempt: number;
    }
  | {
      readonly type: "answer";
      readonly request: RequestName;
      readonly status: number;
      /** From sending to the last byte. */
      readonly ms: number;
      readonly bytes: number;
    }
  | ThrottleEvent
  | { readonly type: "wait"; readonly why: "rate-limited" | "backoff"; readonly ms: number }
  | {
      readonly type: "retry";
      readonly request: RequestName;
      /** The number of the next repeat, from 1. */
      readonly repeat: number;
      readonly retries: number;
      readonly reason: string;
    };

/** A file to upload. */
export interface Upload {
  /** As in the path of the request. */
  readonly fileName: string;
  /** Guessed from the name if absent. */
  readonly contentType?: string | undefined;
  /** Opens the file, once for each attempt. `size` in bytes; undefined if unknown. */
  source(): Promise<{ readonly stream: Readable; readonly size: number | undefined }>;
  /** Called with the number of bytes sent so far; starts again with each attempt. */
  onProgress?: ((bytes: number) => void) | undefined;
}

export interface CallInput {
  /** The parameters of the path, by their names in the operation. */
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  /** A domain value. */
  readonly body?: unknown;
  readonly upload?: Upload | undefined;
  readonly signal?: AbortSignal | undefined;
  /** An entity tag: the request is refused with 412 if the document has another by now. */
  readonly ifMatch?: string | undefined;
  /** Whether the request is refused with 412 if there is such a document already. */
  readonly ifNew?: boolean | undefined;
  /** Called with the entity tag of the answer, if it has one. */
  readonly onTag?: ((tag: string) => void) | undefined;
  /** A lower limit for repeats than that of the settings. */
  readonly retries?: number | undefined;
  /** How large the answer may be, where it may be larger than others. */
  readonly maxBytes?: number | undefined;
}

/** A request that the schema may not know (`deckhand api`). */
export interface RawRequest {
  readonly method: string;
  /** Relative to the base URL, beginning with `/`; may carry a query. */
  readonly path: string;
  readonly query?: readonly (readonly [string, string])[] | undefined;
  /** Text is sent as it is; anything else is encoded. */
  readonly body?: unknown;
  /** What it is, where that is known: says how bodies are encoded, and whether it may be sent twice. */
  readonly operation?: Pick<Operation, "body" | "answer" | "repeatable"> | undefined;
}

export interface RawAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded; undefined if the answer is empty or neither JSON nor transit. */
  readonly body: unknown;
  /** The body as text; bytes that are not UTF-8 are replaced. */
  readonly text: string;
  readonly bytes: Uint8Array;
  /** For every status other than 2xx: the error that a call would have ended with. */
  readonly error: Error | undefined;
}

export interface Download {
  readonly headers: Readonly<Record<string, string>>;
  /** The account's slot is held until this is read to its end or destroyed. */
  readonly body: Readable;
}

export interface Http {
  /**
   * Sends a request and reads its answer.
   *
   * @returns the decoded and checked value; undefined where the answer is empty and may be.
   * @throws DeckhandError; the reason of a signal, unless the interrupted request may have been carried out and must not
   * be repeated, which is a DeckhandError.
   */
  call(operation: Operation, input: CallInput): Promise<unknown>;
  /**
   * As `call`, for an answer that is bytes, which `take` reads. Errors after the head come through the stream; if it
   * breaks off while `take` reads, the request may be repeated, and `take` is called again.
   *
   * @throws what `take` throws, too
   */
  download<T>(operation: Operation, input: CallInput, take: (download: Download) => Promise<T>): Promise<T>;
  /** Any request; every status is an answer. A path that leaves the base URL is a UsageError. */
  raw(request: RawRequest): Promise<RawAnswer>;
  close(): Promise<void>;
}
