/** The page's worker: what was fetched once is there without a connection. */

/** What belongs to a session; the rest of what is kept is the page itself. */
const ofSession = /\/(?:review|card\/[^/]+|files\/.+)$/;
const caching = { session: "deckhand session", page: "deckhand page" };

/** No longer is waited for an answer that is kept, in milliseconds. */
const patience = 4000;

export function work(worker: ServiceWorkerGlobalScope): void {
  worker.addEventListener("install", (event) => event.waitUntil(worker.skipWaiting()));
  worker.addEventListener("fetch", (event) => {
    const { request } = event;
    const path = new URL(request.url).pathname;
    // Another person may sign in: the cards of the one before are not theirs.
    if (request.method === "POST" && /\/log(?:in|out)$/.test(path))
      for (const name of Object.values(caching)) event.waitUntil(caches.delete(name));
    if (request.method !== "GET" || /\/(?:login|stats)$/.test(path)) return;
    const fetching = fetch(request);
    // Beside the answer: it does not wait until it is kept.
    event.waitUntil(fetching.then((answer) => keep(request, path, answer.clone())));
    event.respondWith(answered(request, path, fetching));
  });
}

async function keep(request: Request, path: string, answer: Response): Promise<void> {
  if (answer.status !== 200 || answer.redirected) return;
  const name = ofSession.test(path) ? caching.session : caching.page;
  // What was kept for the session before is not asked for any more.
  if (path.endsWith("/review")) await caches.delete(name);
  await (await caches.open(name)).put(request, answer);
}

async function answered(request: Request, path: string, fetching: Promise<Response>): Promise<Response> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, patience));
  const answer = await Promise.race([fetching, late]).catch(() => undefined);
  // Only the last session is kept: without a connection every review opens that one.
  const options = { ignoreSearch: path.endsWith("/review"), ignoreVary: true };
  // A proxy answers with 502 or 504 while the service is unavailable.
  if (answer !== undefined && answer.status < 500) return answer;
  return (await caches.match(request, options)) ?? fetching;
}
