import type { Readable } from "node:stream";

/** A request as it goes over the wire, whichever transport carries it. */
export interface WireRequest {
  readonly method: string;
  /** Percent-encoded, relative to the base URL, beginning with `/`; without the query. */
  readonly path: string;
  /** Encoded, without the `?`; "" for none. */
  readonly query: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | Readable | undefined;
  readonly cutoff?: Cutoff | undefined;
  /** False where it must not arrive twice: the network then risks no connection that the service may be closing. */
  readonly repeatable?: boolean | undefined;
  /** The answer's body is wanted whole, up to so many bytes: a transport need make no stream of it. */
  readonly whole?: number | undefined;
}

/**
 * An answer as it comes over the wire. A stream is read to its end or destroyed by whoever gets the answer; one that is
 * destroyed already is a body that broke off.
 */
export interface WireAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | Readable | null;
}

/**
 * What may end a request before its answer is whole. It says what an AbortSignal says, but making one of those and
 * listening to it takes longer than most of what is done here for a quick request.
 */
export interface Cutoff {
  readonly happened: boolean;
  /** Why, once it has happened. */
  readonly reason: unknown;
  /** Calls the listener when it happens; it is not called where that was before. */
  listen(listener: () => void): void;
  unlisten(listener: () => void): void;
}

/** Carries one request: undici for the network, or the local service's `handle` in the same process. */
export interface Transport {
  send(request: WireRequest): Promise<WireAnswer>;
  /** Lets go of connections, stores and timers, so that the process can end. */
  close(): Promise<void>;
}

export type CodecName = "json" | "transit";
export const codecNames = ["json", "transit"] as const;
export const mediaTypes: Readonly<Record<CodecName, string>> = {
  json: "application/json",
  transit: "application/transit+json",
};
