import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import type { DeckhandError } from "../../src/errors.ts";
import { operations } from "../../src/schema/index.ts";
import { fakeService, sendJson } from "../support/fake-service.ts";
import { httpTo } from "../support/http.ts";
import { closingAfterEach } from "../support/opened.ts";
import { seededRandom } from "../support/random.ts";
import { seed } from "../support/soak.ts";

const opened = closingAfterEach();

/** What goes wrong, before the request is carried out and after. */
const before: Record<string, (response: ServerResponse) => void> = {
  "429": (response) => sendJson(response, 429, { errors: ["slow down"] }),
  "429 with a pause": (response) => sendJson(response, 429, { errors: [] }, { "retry-after": "1" }),
  "502 page": (response) => void response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad</h1>"),
  "503": (response) => sendJson(response, 503, { errors: ["busy"] }),
  reset: (response) => response.socket?.resetAndDestroy(),
};
const after: Record<string, (response: ServerResponse, body: string) => void> = {
  reset: (response) => response.socket?.resetAndDestroy(),
  closed: (response) => response.socket?.destroy(),
  "502 page": before["502 page"] as (response: ServerResponse) => void,
  truncated: (response, body) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
    response.write(body.slice(0, body.length / 2), () => response.socket?.destroy());
  },
  corrupt: (response, body) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(body.replace('"', "'"));
  },
  silent: () => {},
  dripping: (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const timer = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(timer));
  },
  "closed behind the answer": (response, body) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
    response.end(body, () => response.socket?.end());
  },
};

/** A service whose cards are kept, and which fails in one of those ways every third time. */
async function faultyService(random: () => number) {
  const cards = new Map<string, string>();
  let carriedOut = 0;
  const one = <T>(of: Record<string, T>): T =>
    Object.values(of)[Math.floor(random() * Object.keys(of).length)] as T;
  const service = await opened(
    fakeService((request, response) => {
      const fails = random() < 1 / 3;
      const early = random() < 0.4;
      if (fails && early) return one(before)(response);
      carriedOut++;
      const id = request.url.split("/")[2] ?? randomUUID();
      if (request.method === "POST") {
        const { content } = JSON.parse(request.body.toString()) as { content: string };
        cards.set(id, content);
      }
      const found = cards.has(id);
      if (request.method === "DELETE") cards.delete(id);
      const body = JSON.stringify(found ? { id, content: cards.get(id) } : { errors: ["not found"] });
      if (fails) return one(after)(response, body);
      response.writeHead(found ? 200 : 404, { "content-type": "application/json" });
      response.end(body);
    }),
  );
  return { ...service, cards, carriedOut: () => carriedOut };
}

describe("against a service that fails in every way", () => {
  it("each acknowledged card is there once, and uncertain ones are distinguished from refused ones", async () => {
    const random = seededRandom(seed);
    const service = await faultyService(random);
    const http = await opened(httpTo(service.url, { timeout: 150, retries: 12 }));
    const acknowledged: string[] = [];
    const uncertain: string[] = [];
    const refused: string[] = [];
    for (let number = 0; number < 100; number++) {
      const content = `card ${number}`;
      try {
        const body = { content, "deck-id": "d" };
        const card = (await http.call(operations["cards.create"], { body })) as { id: string };
        expect(service.cards.get(card.id), `seed ${seed}`).toBe(content);
        acknowledged.push(content);
      } catch (error) {
        (error as DeckhandError).uncertain ? uncertain.push(content) : refused.push(content);
      }
    }
    const stored = [...service.cards.values()];
    const times = (content: string) => stored.filter((other) => other === content).length;
    for (const content of acknowledged) expect(times(content), `seed ${seed}: ${content}`).toBe(1);
    for (const content of uncertain)
      expect(times(content), `seed ${seed}: ${content}`).toBeLessThanOrEqual(1);
    for (const content of refused) expect(times(content), `seed ${seed}: ${content}`).toBe(0);
    expect(acknowledged.length).toBeGreaterThan(30);
    expect(uncertain.length).toBeGreaterThan(2);

    for (const [id, content] of [...service.cards].slice(0, 30)) {
      const params = { "card-id": id };
      const told = `seed ${seed}: ${id}`;
      expect(await http.call(operations["cards.get"], { params }), told).toEqual({ id, content });
      await http.call(operations["cards.update"], { params, body: { content: "changed" } });
      expect(service.cards.get(id), told).toBe("changed");
      await http.call(operations["cards.delete"], { params });
      expect(service.cards.has(id), told).toBe(false);
    }
  });
});
