import { jsonText, visible } from "../../output/sanitize.ts";
import type { Access } from "../../service/server.ts";

export type LogFormat = "text" | "json";

/** A request in the log: a line as in the logs of other servers, or an object of one line. */
export function accessLine(access: Access, at: Date, format: LogFormat): string {
  const { address, account, method, target, status, complete, ms, id } = access;
  const time = at.toISOString();
  if (format === "json") {
    const took = Math.round(ms * 10) / 10;
    return jsonText({
      time,
      level: "info",
      event: "request",
      id,
      address,
      account,
      method,
      target,
      status,
      ms: took,
      complete,
    });
  }
  const outcome = [status ?? "-", `${Math.round(ms)}ms`, ...(complete ? [] : ["incomplete"])];
  return visible([time, address ?? "-", account ?? "-", method, target, ...outcome].join(" "));
}

/** A failure of the service. @param id of the request, which its line in the log has, too */
export function failureLine(error: unknown, id: string | undefined, at: Date): string {
  const message = error instanceof Error ? error.message : String(error);
  return jsonText({ time: at.toISOString(), level: "error", event: "failure", id, error: message });
}
