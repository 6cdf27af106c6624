import { type FakeService, fakeService } from "./fake-service.ts";

export interface StrictService extends FakeService {
  /** The most requests of one account that were there at the same time. */
  readonly mostAtOnce: number;
  /** The most requests of all accounts that were there at the same time. */
  readonly mostAtAll: number;
}

/** A service that allows one request at a time for each account and keeps each one for a while. */
export async function strictService(
  holdFor: (url: string) => number | Promise<void>,
): Promise<StrictService> {
  const active = new Map<string, number>();
  let mostAtOnce = 0;
  let mostAtAll = 0;
  const service = await fakeService(async (request, response) => {
    const account = request.headers.authorization ?? "";
    const now = (active.get(account) ?? 0) + 1;
    active.set(account, now);
    mostAtOnce = Math.max(mostAtOnce, now);
    mostAtAll = Math.max(
      mostAtAll,
      [...active.values()].reduce((sum, count) => sum + count, 0),
    );
    const hold = holdFor(request.url);
    if (typeof hold === "number") await new Promise((resolve) => setTimeout(resolve, hold));
    else await hold;
    // The request is over for the account when the last byte is handed over, not before.
    const body = JSON.stringify({ id: request.url.split("/").at(-1) });
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
    response.write(body.slice(0, 5));
    setTimeout(() => {
      active.set(account, (active.get(account) ?? 1) - 1);
      response.end(body.slice(5));
    }, 1);
  });
  return Object.defineProperties(service as StrictService, {
    mostAtOnce: { get: () => mostAtOnce },
    mostAtAll: { get: () => mostAtAll },
  });
}
