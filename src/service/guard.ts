import { isIP } from "node:net";
import type { WireRequest } from "../schema/index.ts";
import { forbidden } from "./errors.ts";

/**
 * Refuses requests that only a misled browser sends: writes by a page of another origin, and requests to a name that
 * someone has pointed at this machine (DNS rebinding). An address as Host cannot be such a name.
 *
 * @throws Problem 403
 */
export type Guard = (method: string, headers: WireRequest["headers"]) => void;

/** @param called further names of the server; addresses, `localhost` and its subdomains are always allowed. */
export function createGuard(called: readonly string[]): Guard {
  const names = new Set(called.map((name) => name.toLowerCase()));
  return (method, headers) => {
    const host = headers["host"];
    if (host !== undefined && !isOurs(host, names))
      throw forbidden(
        `this service is not called ${host.slice(0, 255)}: allow the name with deckhand serve --allow-host`,
      );
    const origin = headers["origin"];
    if (origin === undefined || method === "GET" || method === "HEAD") return;
    if (host === undefined || origin.toLowerCase().replace(/^https?:\/\//, "") !== host.toLowerCase())
      throw forbidden("pages of another origin may not write here");
  };
}

function isOurs(host: string, names: ReadonlySet<string>): boolean {
  const name = host
    .toLowerCase()
    .replace(/:\d*$/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
  return names.has(name) || name === "localhost" || name.endsWith(".localhost") || isIP(name) !== 0;
}
