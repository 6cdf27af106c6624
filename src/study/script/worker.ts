/** The page's worker: what was fetched once is there without a connection. What needs no session is kept apart. */

const shell = "shell";
const data = "data";

const files = ["./", "review", "page.js", "page.css", "icon.svg", "manifest.webmanifest"];

/** No longer is waited for an answer that is in the cache, in milliseconds. */
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
    const path = new URL(request.url).pathname;
    // Another person may sign in: the cards of the one before are not theirs.
    if (request.method === "POST" && /\/log(?:in|out)$/.test(path)) event.waitUntil(caches.delete(data));
    if (request.method !== "GET" || request.headers.has("range") || /\/(?:login|start|stats)$/.test(path))
      return;
    event.respondWith(answered(request, path, worker.registration.scope));
  });
}

async function answered(request: Request, path: string, scope: string): Promise<Response> {
  const name = path.slice(new URL(scope).pathname.length) || "./";
  const isShell = files.includes(name) && name !== "./";
  const fetching = fetched(request, name, isShell ? shell : data);
  // The frame of a session is the same for every deck.
  const known = () => caches.match(request, { ignoreSearch: isShell, ignoreVary: true });
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, patience));
  try {
    return (await Promise.race([fetching, late])) ?? (await known()) ?? (await fetching);
  } catch (error) {
    const found = await known();
    if (found === undefined) throw error;
    return found;
  }
}

async function fetched(request: Request, name: string, cache: string): Promise<Response> {
  const answer = await fetch(request);
  // A new session: what was kept for the one before is not asked for any more.
  if (name === "session" && answer.ok) await caches.delete(data);
  if (answer.status === 200 && !answer.redirected)
    await (await caches.open(cache)).put(request, answer.clone());
  return answer;
}
