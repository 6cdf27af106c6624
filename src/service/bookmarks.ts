import { Buffer } from "node:buffer";
import { sipHash } from "./siphash.ts";

/** Where a list goes on: the values of its order at the last item that was given out. */
export type Place = readonly (string | number)[];

/** The bookmark that means the start (service.md, Where the API document is silent). */
export const startBookmark = "nil";

/**
 * A bookmark: the place, signed together with `scope` (account, list and filter), so that one that we did not give out
 * for this very list is found out. It names a place, not a row: items may come and go around it.
 *
 * @param secret 16 bytes.
 * @param scope has no line break.
 */
export function bookmarkOf(secret: Buffer, scope: string, place: Place): string {
  const payload = Buffer.from(JSON.stringify(place)).toString("base64url");
  return `${payload}.${signature(secret, scope, payload)}`;
}

/** The place that a bookmark names: "start", or undefined if it is none that we gave out for this list. */
export function placeOf(secret: Buffer, scope: string, bookmark: string): Place | "start" | undefined {
  if (bookmark === startBookmark) return "start";
  const [payload = "", signed = "", ...more] = bookmark.split(".");
  if (more.length > 0 || !sameText(signed, signature(secret, scope, payload))) return undefined;
  return JSON.parse(Buffer.from(payload, "base64url").toString()) as Place;
}

// Neither has a line break (a payload given to us may, but none was ever signed): no two pairs make up the same text.
const signature = (secret: Buffer, scope: string, payload: string) =>
  sipHash(secret, `${payload}\n${scope}`).toString("base64url");

/** Compares in a time that does not tell where the difference is. */
function sameText(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let at = 0; at < expected.length; at++) difference |= given.charCodeAt(at) ^ expected.charCodeAt(at);
  return difference === 0;
}
