import type { WireAnswer, WireRequest } from "../schema/index.ts";
import type { Store } from "./store/index.ts";

/**
 * Answers the paths that need no key, since they hold nothing of any account: the description of the API, and what
 * balancers and orchestrators ask.
 *
 * @returns undefined for any other path or method
 */
export async function openAnswer(request: WireRequest, store: Store): Promise<WireAnswer | undefined> {
  if (request.method !== "GET" && request.method !== "HEAD") return undefined;
  switch (request.path) {
    case "/openapi.json":
      return description();
    // The process answers. It must not depend on the database: a restart would not bring that back.
    case "/healthz":
      return plain(200, "ok");
    case "/readyz":
      return (await isReady(store)) ? plain(200, "ok") : plain(503, "the database cannot be used");
    default:
      return undefined;
  }
}

async function description(): Promise<WireAnswer> {
  const { openApi } = await import("./openapi.ts");
  const body = JSON.stringify(openApi(), undefined, 2);
  return { status: 200, headers: { "content-type": "application/json" }, body };
}

const isReady = (store: Store): Promise<boolean> => store.isCurrent().catch(() => false);

const plain = (status: number, text: string): WireAnswer => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  body: `${text}\n`,
});
