import { Buffer } from "node:buffer";
import { NotConfiguredError, UsageError } from "../errors.ts";
import { hasControl } from "./plan.ts";

/** `Basic base64(utf8(key + ":"))` (service-api.md, Authentication; wire.md, Requests). */
export function basicAuth(key: string): string {
  return `Basic ${Buffer.from(`${key}:`, "utf8").toString("base64")}`;
}

/** Refuses a key that Basic authentication cannot carry. The key is not repeated in the message. */
export function checkKey(key: string): void {
  if (key === "") throw new UsageError("the API key is empty");
  if (key.includes(":")) throw new UsageError("an API key cannot hold a colon");
  if (hasControl(key)) throw new UsageError("an API key cannot hold control characters or line breaks");
}

/**
 * Refuses to send a key where anyone on the way could read it: over plain http it goes to a loopback address only,
 * unless the profile allows it (cli.md, Profiles).
 *
 * @throws UsageError if the base URL is none; NotConfiguredError if the key must not be sent there.
 */
export function checkOrigin(baseUrl: string, options: { readonly allowInsecure: boolean }): void {
  const url = parseBaseUrl(baseUrl);
  if (url.protocol === "https:" || isLoopback(url.hostname) || options.allowInsecure) return;
  throw new NotConfiguredError(`the API key is not sent to ${url.origin}: it would go over plain http`, {
    hint: "Use an https base URL, or set allow-insecure to true for this profile.",
  });
}

/** The base URL as a URL: http or https, without credentials, query or fragment. */
export function parseBaseUrl(baseUrl: string): URL {
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch {
    throw new UsageError("the base URL is not a URL", { hint: "It looks like https://example.com/api" });
  }
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new UsageError(`the base URL begins with ${url.protocol}// instead of http:// or https://`);
  // What stands there could be a key: it is not repeated.
  if (url.username !== "" || url.password !== "")
    throw new UsageError("the base URL holds credentials", { hint: "Set the key with: deckhand auth login" });
  if (url.search !== "" || url.hash !== "")
    throw new UsageError("the base URL cannot have a query or a fragment");
  return url;
}

/** 127.0.0.0/8, ::1 and localhost, as URL parsing writes them. */
function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
