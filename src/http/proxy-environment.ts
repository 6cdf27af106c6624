import { BlockList, isIP, isIPv6 } from "node:net";
import { NotConfiguredError } from "../errors.ts";
import { isLoopback } from "../loopback.ts";

/**
 * The proxy that the environment names for a service, as curl and Go's programs read it: `HTTPS_PROXY` (else
 * `ALL_PROXY`), unless `NO_PROXY` names the host; the lower-case names come first. What goes over plain http, or stays on
 * this machine, goes without.
 *
 * @throws NotConfiguredError for a proxy of another kind than http and https, or with a password that is not encoded
 */
export function proxyFor(baseUrl: URL, env: NodeJS.ProcessEnv): URL | undefined {
  if (baseUrl.protocol !== "https:" || isLoopback(baseUrl.hostname)) return undefined;
  const of = (name: string) => env[name.toLowerCase()] || env[name] || "";
  const name = of("HTTPS_PROXY") === "" ? "ALL_PROXY" : "HTTPS_PROXY";
  const value = of(name).trim();
  if (value === "" || isExcepted(baseUrl, of("NO_PROXY"))) return undefined;
  const url = parsed(withScheme(value));
  if (url !== undefined && url.hostname !== "" && /^https?:$/.test(url.protocol)) return url;
  throw new NotConfiguredError(`${name} does not name a proxy that deckhand can use`, {
    hint: `Set it to http://<host>:<port>, with <user>:<password>@ before the host if need be (a % in them is %25), or name ${baseUrl.hostname} in NO_PROXY.`,
  });
}

const withScheme = (value: string) => (/^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`);

function parsed(value: string): URL | undefined {
  try {
    const url = new URL(value);
    decodeURIComponent(url.username + url.password);
    return url;
  } catch {
    return undefined;
  }
}

/**
 * `NO_PROXY`: hosts and the names below them, with a port if they mean only that; addresses, and blocks of them
 * (`10.0.0.0/8`); `*` for all.
 */
function isExcepted(url: URL, list: string): boolean {
  const port = url.port || "443";
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === "*" || isWithin(url.hostname, entry)) return true;
      const [, host = "", only] = /^(?:\*?\.)?(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? [];
      if (host === "" || (only !== undefined && only !== port)) return false;
      return url.hostname === host || url.hostname.endsWith(`.${host}`);
    });
}

/** Whether a host is an address in a block of addresses; one address alone is a block, too. */
function isWithin(host: string, block: string): boolean {
  const [first = "", bits = isIPv6(first) ? "128" : "32"] = block.split("/");
  const address = host.replace(/^\[(.*)\]$/, "$1");
  const version = isIP(address);
  if (version === 0 || isIP(first) !== version) return false;
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > (version === 6 ? 128 : 32)) return false;
  const family = version === 6 ? "ipv6" : "ipv4";
  const list = new BlockList();
  list.addSubnet(first, Number(bits), family);
  return list.check(address, family);
}
