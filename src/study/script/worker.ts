/** The page's worker: what was fetched once is there without a connection. */

const kept = "study";

/** What belongs to a session, and to an account; the rest of what is kept is the page itself. */
const ofSession = /\/(?:session|card\/[^/]+|files\/.+)$/;
const ofAccount = /\/(?:|session|card\/[^/]+|files\/.+)$/;

/** No longer is waited for an answer that is kept, in milliseconds. */
const patience = 4000;

interface WorkerEvent extends Event {
  readonly request: Request;
  waitUntil(done: Promise<unknown>): void;
  respondWith(answer: Promise<Response>): void;
}

/** What is used of the scope of a worker: the types of workers and of pages exclude each other. */
export interface WorkerScope {
  readonly registration: { readonly scope: string };
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: "install" | "activate" | "fetch", listener: (event: WorkerEvent) => void): void;
}

export function work(worker: WorkerScope): void {
  worker.addEventListener("install", (event) => {
    event.waitUntil(worker.skipWaiting());
  });
  worker.addEventListener("activate", (event) => {
    event.waitUntil(worker.clients.claim());
  });
  worker.addEventListener("fetch", (event) => {
    const { request } = event;
    const { pathname } = new URL(request.url);
    // Another person may sign in: the cards of the one before are not theirs.
    if (request.method === "POST" && /\/log(?:in|out)$/.test(pathname)) event.waitUntil(forget(ofAccount));
    const isKept = request.method === "GET" && !/\/(?:login|start|stats)$/.test(pathname);
    if (isKept && !request.headers.has("range")) event.respondWith(answered(request, pathname));
  });
}

async function forget(paths: RegExp): Promise<void> {
  const cache = await caches.open(kept);
  for (const { url } of await cache.keys()) if (paths.test(new URL(url).pathname)) await cache.delete(url);
}

async function answered(request: Request, path: string): Promise<Response> {
  const fetching = fetched(request, path);
  // The frame of a session is the same for every deck.
  const known = () => caches.match(request, { ignoreSearch: path.endsWith("/review"), ignoreVary: true });
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, patience));
  try {
    return (await Promise.race([fetching, late])) ?? (await known()) ?? (await fetching);
  } catch (error) {
    const found = await known();
    if (found === undefined) throw error;
    return found;
  }
}

async function fetched(request: Request, path: string): Promise<Response> {
  const answer = await fetch(request);
  if (answer.status !== 200 || answer.redirected) return answer;
  // What was kept for the session before is not asked for any more.
  if (path.endsWith("/session")) await forget(ofSession);
  await (await caches.open(kept)).put(request, answer.clone());
  return answer;
}
