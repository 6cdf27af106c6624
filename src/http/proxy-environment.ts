import { NotConfiguredError } from "../errors.ts";

/**
 * The proxy that the environment names for a service, as curl and Go's programs read it: `HTTPS_PROXY` (else
 * `ALL_PROXY`), unless `NO_PROXY` names the host; the lower-case names come first. Over plain http only this machine is
 * spoken to, which needs none.
 *
 * @throws NotConfiguredError for a proxy of another kind than http and https
 */
export function proxyFor(baseUrl: URL, env: NodeJS.ProcessEnv): URL | undefined {
  if (baseUrl.protocol !== "https:" || isThisMachine(baseUrl.hostname)) return undefined;
  const of = (name: string) => env[name.toLowerCase()] || env[name] || "";
  const name = of("HTTPS_PROXY") === "" ? "ALL_PROXY" : "HTTPS_PROXY";
  const value = of(name).trim();
  if (value === "" || isExcepted(baseUrl, of("NO_PROXY"))) return undefined;
  const url = parsed(withScheme(value));
  if (url !== undefined && url.hostname !== "" && /^https?:$/.test(url.protocol)) return url;
  throw new NotConfiguredError(`${name} does not name a proxy that deckhand can use`, {
    hint: `Set it to http://<host>:<port> or https://<host>:<port>, or name ${baseUrl.hostname} in NO_PROXY.`,
  });
}

const withScheme = (value: string) => (/^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`);

function parsed(value: string): URL | undefined {
  try {
    return new URL(value);
  } catch {
    return undefined;
  }
}

const isThisMachine = (host: string) =>
  host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(?:\.\d+){3}$/.test(host);

/** `NO_PROXY`: hosts and the names below them, with a port if they mean only that; `*` for all. */
function isExcepted(url: URL, list: string): boolean {
  const port = url.port || "443";
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === "*") return true;
      const [, host = "", only] = /^(?:\*?\.)?(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? [];
      if (host === "" || (only !== undefined && only !== port)) return false;
      return url.hostname === host || url.hostname.endsWith(`.${host}`);
    });
}
