import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

// A client may send requests ahead. With more than so many the connection is closed.
const mostWaiting = 128;

/**
 * One connection of the server. Its requests are carried out one after the other: an account has one turn, and a request
 * that waits here could not find out that the connection is lost.
 */
export class Connection {
  readonly #socket: Socket;
  /** The answer in progress. */
  #answer: ServerResponse | undefined;
  #waiting = 0;
  /** The connection ends when no request waits any more: the server closes. */
  #closing = false;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Runs `start` when the requests before this one are answered; never if the connection ends before. */
  add(outgoing: ServerResponse, start: () => void): void {
    // Node attaches the socket when it is the turn of the answer.
    if (outgoing.socket !== null) this.#begin(outgoing, start);
    else if (++this.#waiting > mostWaiting) this.#socket.destroy();
    else
      outgoing.once("socket", () => {
        this.#waiting--;
        this.#begin(outgoing, start);
      });
  }

  /** Whether there is an answer in progress whose request arrived whole. */
  get isAnswering(): boolean {
    return this.#answer?.req.complete === true;
  }

  /** Ends the connection as soon as no request is left. */
  close(): void {
    this.#closing = true;
    this.#announceEnd();
    if (this.#answer === undefined) this.#socket.destroy();
  }

  #begin(outgoing: ServerResponse, start: () => void): void {
    if (this.#socket.destroyed) return;
    this.#answer = outgoing;
    this.#announceEnd();
    outgoing.once("close", () => {
      // The next one may have begun.
      if (this.#answer === outgoing) this.#answer = undefined;
      if (this.#isLast() && this.#answer === undefined) this.#socket.destroySoon();
    });
    start();
  }

  #isLast(): boolean {
    return this.#closing && this.#waiting === 0;
  }

  #announceEnd(): void {
    if (this.#answer !== undefined && this.#isLast()) this.#answer.shouldKeepAlive = false;
  }
}
