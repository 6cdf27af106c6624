import { type ClientRequest, request as overHttp } from "node:http";
import { request as overTls } from "node:https";
import { isIPv6, type Socket } from "node:net";
import buildConnector from "undici/lib/core/connect.js";
import type { Connect } from "./transport.ts";
import { TransportError } from "./transport-error.ts";

/**
 * Connects through a proxy (RFC 9110, CONNECT): it passes the bytes on, encrypted from end to end, and sees only where
 * they go.
 *
 * @param timeout milliseconds for the way to the proxy, and again for the handshake with the service.
 */
export function tunnelThrough(proxy: URL, timeout: number): Connect {
  const secure = buildConnector({ timeout, allowH2: false });
  return (options, callback) => {
    const host = isIPv6(options.hostname) ? `[${options.hostname}]` : options.hostname;
    const asked = askForTunnel(proxy, `${host}:${options.port || 443}`, timeout);
    let making: { destroy(): unknown } = asked;
    tunnelOf(proxy, asked).then(
      (socket) => {
        making = secure({ ...options, httpSocket: socket }, callback);
      },
      (error) => callback(error, null),
    );
    return { destroy: () => making.destroy() };
  };
}

function askForTunnel(proxy: URL, target: string, timeout: number): ClientRequest {
  const request = proxy.protocol === "https:" ? overTls : overHttp;
  return request({
    host: proxy.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: proxy.port || (proxy.protocol === "https:" ? 443 : 80),
    method: "CONNECT",
    path: target,
    headers: { host: target, ...authorization(proxy) },
    agent: false,
    timeout,
  }).end();
}

function tunnelOf(proxy: URL, asked: ClientRequest): Promise<Socket> {
  return new Promise((resolve, reject) => {
    asked.once("timeout", () => asked.destroy(new Error("no answer in time")));
    asked.once("error", (error) => reject(refusal(proxy, codeOf(error), error)));
    // An answer that is no tunnel.
    asked.once("response", (response) => {
      response.destroy();
      reject(refusal(proxy, response.statusCode));
    });
    asked.once("connect", ({ statusCode = 0 }, socket: Socket) => {
      socket.setTimeout(0);
      if (statusCode >= 200 && statusCode < 300) return resolve(socket);
      socket.destroy();
      reject(refusal(proxy, statusCode));
    });
  });
}

/** The user and password of the proxy's URL, if it has any. */
function authorization({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` };
}

const codeOf = (error: NodeJS.ErrnoException) => error.code ?? error.message;

/** Nothing was sent to the service. Another attempt may help where the proxy is busy or away. */
function refusal(proxy: URL, reason: number | string | undefined, cause?: unknown): TransportError {
  const passing = typeof reason === "number" ? reason >= 500 : reason !== "ENOTFOUND";
  const why = typeof reason === "number" ? `it answered ${reason}` : reason;
  const hint =
    reason === 407
      ? "It wants a user and a password: HTTPS_PROXY=http://<user>:<password>@<host>:<port>"
      : "HTTPS_PROXY or ALL_PROXY names it; hosts in NO_PROXY are spoken to without it.";
  return new TransportError(
    passing ? "unreachable" : "unusable",
    `no connection through the proxy ${proxy.host} (${why})`,
    { sent: false, hint, cause },
  );
}
