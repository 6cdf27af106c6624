import { isIP } from "node:net";
import { forbidden } from "./errors.ts";

/** The names under which a server may be called besides addresses, `localhost` and what is below it. */
export type HostNames = ReadonlySet<string>;

/**
 * Refuses what only a browser led astray would send: a page of another origin that writes, and a name that someone made
 * point at this machine (DNS rebinding). An address as Host cannot be such a name.
 *
 * @throws Problem 403
 */
export function refuseForeign(
  method: string,
  headers: Readonly<Record<string, string>>,
  names: HostNames,
): void {
  const host = headers["host"];
  if (host !== undefined && !isOurs(host, names))
    throw forbidden(
      `this service is not called ${host.slice(0, 255)}: deckhand serve --allow-host lets it be`,
    );
  const origin = headers["origin"];
  if (origin === undefined || method === "GET" || method === "HEAD") return;
  if (host === undefined || origin.toLowerCase().replace(/^https?:\/\//, "") !== host.toLowerCase())
    throw forbidden("pages of another origin may not write here");
}

function isOurs(host: string, names: HostNames): boolean {
  const name = host
    .toLowerCase()
    .replace(/:\d*$/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
  return isIP(name) !== 0 || name === "localhost" || name.endsWith(".localhost") || names.has(name);
}
