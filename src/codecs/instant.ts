import { canonicalInstant } from "../schema/index.ts";
import { CodecError } from "./codec.ts";

/**
 * The text of an instant as it is written.
 *
 * @throws CodecError if the value names no instant.
 */
export function wireInstant(value: unknown): string {
  const text = typeof value === "string" ? canonicalInstant(value) : undefined;
  if (text === undefined) throw notAnInstant(value);
  return text;
}

export function notAnInstant(value: unknown): CodecError {
  const shown = typeof value === "string" ? JSON.stringify(value.slice(0, 40)) : typeof value;
  return new CodecError(`not an instant: ${shown}`);
}
