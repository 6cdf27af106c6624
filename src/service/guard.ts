import { isIP } from "node:net";
import type { WireRequest } from "../schema/index.ts";
import { forbidden } from "./errors.ts";

/**
 * Refuses what only a browser led astray would send: a page of another origin that writes, and a name that someone made
 * point at this machine (DNS rebinding). An address as Host cannot be such a name.
 *
 * @throws Problem 403
 */
export type Guard = (method: string, headers: WireRequest["headers"]) => void;

/** @param called the names under which the server may be called besides addresses, `localhost` and what is below it. */
export function createGuard(called: readonly string[]): Guard {
  const names = new Set(called.map((name) => name.toLowerCase()));
  // Clients call a server by one name: it is looked into once.
  let lastOurs: string | undefined;
  return (method, headers) => {
    const host = headers["host"];
    if (host !== undefined && host !== lastOurs) {
      if (!isOurs(host, names))
        throw forbidden(
          `this service is not called ${host.slice(0, 255)}: deckhand serve --allow-host lets it be`,
        );
      lastOurs = host;
    }
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
