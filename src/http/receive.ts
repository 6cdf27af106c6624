import type { Buffer } from "node:buffer";
import { Readable } from "node:stream";
import type { Cutoff, WireAnswer, WireRequest } from "../schema/index.ts";
import { Pieces, TooLargeError } from "./body.ts";

/** What becomes of a request: it is answered or it fails, once; and it has ended, once nothing of it is under way. */
export interface Fate {
  answered(answer: WireAnswer): void;
  /** `sent` is false only if surely no byte of it went out. */
  failed(error: unknown, sent: boolean): void;
  /** `whole` is false where the connection ends with it. */
  ended(whole: boolean): void;
}

/** What undici lets a request's handler do. */
interface Controller {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

/**
 * Receives an answer from undici's `dispatch`, which its `request` is made of: that makes a stream of every body, and
 * streams and their events take longer than all else of a quick request. A body that is wanted whole is kept in pieces.
 */
export class Receiver {
  readonly #fate: Fate;
  /** Of a body that is wanted whole. */
  readonly #pieces: Pieces | undefined;
  readonly #cutoff: Cutoff | undefined;
  readonly #stop = () => this.#cut();
  #controller: Controller | undefined;
  #head: Omit<WireAnswer, "body"> | undefined;
  #stream: Readable | undefined;
  #over = false;

  constructor({ cutoff, whole }: WireRequest, fate: Fate) {
    this.#fate = fate;
    this.#pieces = whole === undefined ? undefined : new Pieces(whole);
    this.#cutoff = cutoff;
    cutoff?.listen(this.#stop);
  }

  /** undici is about to write the request; nothing of it went out before. */
  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#over) controller.abort(cutOff());
  }

  onResponseStart(controller: Controller, status: number, headers: Headers): void {
    if (status < 200) return;
    this.#head = { status, headers: single(headers) };
    if (this.#pieces !== undefined) return;
    this.#stream = streamOf(controller, () => this.#over);
    this.#fate.answered({ ...this.#head, body: this.#stream });
  }

  onResponseData(controller: Controller, piece: Buffer): void {
    if (this.#stream?.push(piece) === false) controller.pause();
    if (this.#pieces?.add(piece) === false) controller.abort(new TooLargeError());
  }

  onResponseEnd(): void {
    if (!this.#end(true)) return;
    this.#stream?.push(null);
    if (this.#pieces !== undefined && this.#head !== undefined)
      this.#fate.answered({ ...this.#head, body: this.#pieces.joined() });
  }

  onResponseError(_: Controller, error: Error): void {
    if (!this.#end(false)) return;
    if (this.#stream !== undefined) this.#stream.destroy(error);
    else if (this.#head !== undefined) this.#fate.answered({ ...this.#head, body: brokenOff(error) });
    else this.#fate.failed(error, this.#controller !== undefined);
  }

  #cut(): void {
    if (this.#controller !== undefined) this.#controller.abort(cutOff());
    // undici does not look at anything while it connects.
    else if (this.#end(false)) this.#fate.failed(cutOff(), false);
  }

  /** Whether this is the end; it comes once. */
  #end(whole: boolean): boolean {
    if (this.#over) return false;
    this.#over = true;
    this.#cutoff?.unlisten(this.#stop);
    this.#fate.ended(whole);
    return true;
  }
}

/** Why is told by the cutoff. */
const cutOff = () => new Error("the request was cut off");

/** A body that is read as it comes. */
function streamOf(controller: Controller, over: () => boolean): Readable {
  return new Readable({
    read: () => controller.resume(),
    destroy(error, done) {
      if (!over()) controller.abort(error ?? new Error("the answer is not wanted"));
      done(error);
    },
  });
}

/** A body whose rest will not come. */
const brokenOff = (error: Error) => new Readable().on("error", () => {}).destroy(error);

type Headers = Readonly<Record<string, string | string[] | undefined>>;

function single(headers: Headers): Record<string, string> {
  const single: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) single[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return single;
}
