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
  /** Ends the request, and the stream of its answer, where the transport can. */
  readonly signal?: AbortSignal | undefined;
  /** False where the request must not arrive twice: the network then avoids a connection that may be closing. */
  readonly repeatable?: boolean | undefined;
}

/** An answer as it comes over the wire. The caller reads a stream to its end or destroys it. */
export interface WireAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | Readable | null;
}

/** Carries one request: undici for the network, or the local service's `handle` in the same process. */
export interface Transport {
  send(request: WireRequest): Promise<WireAnswer>;
  /** Closes connections, stores and timers, so that the process can end. */
  close(): Promise<void>;
}

export type CodecName = "json" | "transit";
export const codecNames = ["json", "transit"] as const;
export const mediaTypes: Readonly<Record<CodecName, string>> = {
  json: "application/json",
  transit: "application/transit+json",
};
