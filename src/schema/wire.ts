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
  readonly signal?: AbortSignal | undefined;
  /** False where it must not arrive twice: the network then risks no connection that the service may be closing. */
  readonly repeatable?: boolean | undefined;
}

/** An answer as it comes over the wire. A stream is read to its end or destroyed by whoever gets the answer. */
export interface WireAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | Readable | null;
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
