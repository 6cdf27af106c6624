import { describe, expect, it } from "vitest";
import { createClient } from "../../src/client/index.ts";
import type { WireRequest } from "../../src/schema/index.ts";
import { fakeService, sendJson } from "../support/fake-service.ts";
import { httpOver, httpTo } from "../support/http.ts";
import { closingAfterEach } from "../support/opened.ts";
import { idOf, rawClient } from "../support/requests.ts";
import { openTestApplication } from "../support/service.ts";

const opened = closingAfterEach();

/** A client of a service with those extensions and so many due cards. */
async function clientOf(extensions: readonly string[], count: number, content = "") {
  const ids = Array.from({ length: count }, (_, at) => `c${at}`);
  const service = await opened(
    fakeService((request, response) => {
      const { pathname, searchParams } = new URL(request.url, "http://x");
      if (pathname === "/") return sendJson(response, 200, { service: "x", version: "1", extensions });
      const from = Number(searchParams.get("bookmark") ?? 0);
      const to = searchParams.has("limit") ? from + Number(searchParams.get("limit")) : count;
      sendJson(response, 200, {
        cards: ids.slice(from, to).map((id) => ({ id, content })),
        ...(searchParams.has("limit") ? { bookmark: String(to) } : {}),
      });
    }),
  );
  // A busy machine takes its time for 70 MB.
  const client = createClient(await opened(httpTo(service.url, { timeout: 60_000 })));
  return { client, urls: () => service.requests.map(({ url }) => url), ids };
}

describe("the due cards", () => {
  it("come in pages where the service has them", async () => {
    const { client, urls, ids } = await clientOf(["due-pages"], 150);
    const due = await client.due.list({ date: "2024-05-01T00:00:00.000Z" });
    expect(due.map(({ id }) => id)).toEqual(ids);
    const date = "date=2024-05-01T00%3A00%3A00.000Z";
    expect(urls()).toEqual(["/", `/due?${date}&limit=100`, `/due?${date}&limit=100&bookmark=100`]);
    expect((await client.due.deck("d1")).length).toBe(150);
    expect(urls().at(-1)).toBe("/due/d1?limit=100&bookmark=100");
  });

  it("come in one answer elsewhere, which may be larger than others", async () => {
    const { client, urls, ids } = await clientOf([], 70, "x".repeat(1024 * 1024));
    expect((await client.due.list()).map(({ id }) => id)).toEqual(ids);
    expect(urls()).toEqual(["/", "/due"]);
  });

  it("come in pages from a service of ours in transit, too", async () => {
    const application = await openTestApplication();
    const ask = rawClient(application);
    const deck = idOf(await ask("POST", "/decks", { name: "d" }));
    for (let at = 0; at < 101; at++) await ask("POST", "/cards", { content: `card ${at}`, "deck-id": deck });
    const transport = application.as("default");
    const asked: string[] = [];
    const send = (request: WireRequest) => {
      asked.push(`${request.path}?${request.query} ${request.headers["accept"]}`);
      return transport.send(request);
    };
    const client = createClient(httpOver({ ...transport, send }, { codec: "transit" }));
    expect(await client.due.list()).toHaveLength(101);
    expect(asked.slice(1)).toEqual([
      "/due?limit=100 application/transit+json",
      expect.stringMatching(/^\/due\?limit=100&bookmark=\S+ application\/transit\+json$/),
    ]);
  });
});
