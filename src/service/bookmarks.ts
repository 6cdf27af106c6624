import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";

/** Where a list goes on: the values of its order at the last item that was given out. */
export type Place = readonly (string | number)[];

/** The bookmark that means the start (service.md, Where the API document is silent). */
export const startBookmark = "nil";

const signatureBytes = 16;

/**
 * A bookmark: the place, signed together with `scope` (account, list and filter), so that one that we did not give out
 * for this very list is found out. It names a place, not a row: items may come and go around it.
 */
export function bookmarkOf(secret: string, scope: string, place: Place): string {
  const payload = Buffer.from(JSON.stringify(place)).toString("base64url");
  return `${payload}.${signature(secret, scope, payload).toString("base64url")}`;
}

/** The place that a bookmark names: "start", or undefined if it is none that we gave out for this list. */
export function placeOf(secret: string, scope: string, bookmark: string): Place | "start" | undefined {
  if (bookmark === startBookmark) return "start";
  const [payload = "", signed = "", ...more] = bookmark.split(".");
  const given = Buffer.from(signed, "base64url");
  if (more.length > 0 || given.length !== signatureBytes) return undefined;
  if (!timingSafeEqual(given, signature(secret, scope, payload))) return undefined;
  return JSON.parse(Buffer.from(payload, "base64url").toString()) as Place;
}

function signature(secret: string, scope: string, payload: string): Buffer {
  const hmac = createHmac("sha256", secret).update(JSON.stringify([scope, payload]));
  return hmac.digest().subarray(0, signatureBytes);
}
