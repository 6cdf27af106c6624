import { Buffer } from "node:buffer";
import { UsageError } from "../errors.ts";

/** The Authorization header: `Basic base64(utf8(key + ":"))` (docs/design/wire.md, Requests). */
export function basicAuth(key: string): string {
  return `Basic ${Buffer.from(`${key}:`, "utf8").toString("base64")}`;
}

/**
 * The base URL as a URL: http or https, without credentials, query or fragment.
 *
 * @throws UsageError
 */
export function parseBaseUrl(baseUrl: string): URL {
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch {
    throw new UsageError("the base URL is not a URL", { hint: "It looks like https://example.com/api" });
  }
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new UsageError(`the base URL begins with ${url.protocol}// instead of http:// or https://`);
  // The credentials could be a key, so the message does not repeat them.
  if (url.username !== "" || url.password !== "")
    throw new UsageError("the base URL holds credentials", { hint: "Set the key with: deckhand auth login" });
  if (url.search !== "" || url.hash !== "")
    throw new UsageError("the base URL cannot have a query or a fragment");
  return url;
}
