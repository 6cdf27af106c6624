import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { followPages } from "../../src/client/paging.ts";
import { fakeService, type ReceivedRequest, sendJson } from "../support/fake-service.ts";
import { httpTo } from "../support/http.ts";
import { closingAfterEach } from "../support/opened.ts";

const opened = closingAfterEach();

interface WirePage {
  readonly docs: readonly { readonly id: string }[];
  readonly bookmark?: string | null | undefined;
}

/** A client of a service whose lists answer with what `answer` makes of their query. */
async function clientOf(answer: (query: URLSearchParams, index: number) => WirePage) {
  const service = await opened(
    fakeService((request, response, index) =>
      sendJson(response, 200, answer(new URL(request.url, "http://x").searchParams, index)),
    ),
  );
  const client = createClient(await opened(httpTo(service.url)));
  return { client, requests: service.requests };
}

const numbered = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from) }, (_, at) => ({ id: `c${from + at}` }));

async function idsOf(pages: AsyncIterable<WirePage>): Promise<string[]> {
  const ids: string[] = [];
  for await (const page of pages) for (const doc of page.docs) ids.push(doc.id);
  return ids;
}

const idsTo = (count: number) => numbered(0, count).map((doc) => doc.id);
const queriesOf = (requests: readonly ReceivedRequest[]) =>
  requests.map((request) => request.url.split("?")[1] ?? "");

/** Cards in order; the bookmark is the place where the next page begins, given back also after the last one. */
const collection = (count: number) => (query: URLSearchParams) => {
  const from = Number(query.get("bookmark") ?? 0);
  const to = Math.min(count, from + Number(query.get("limit") ?? 10));
  return { docs: numbered(from, to), bookmark: String(to) };
};

describe("all pages", () => {
  it("hold every card once: 257 in pages of 100", async () => {
    const { client, requests } = await clientOf(collection(257));
    expect(await idsOf(client.cards.pages())).toEqual(idsTo(257));
    expect(queriesOf(requests).slice(0, 3)).toEqual([
      "limit=100",
      "limit=100&bookmark=100",
      "limit=100&bookmark=200",
    ]);
  });

  it("are all of them where the service puts fewer cards into one than asked for", async () => {
    const capped = (query: URLSearchParams) => {
      const limit = String(Math.min(50, Number(query.get("limit"))));
      return collection(230)(new URLSearchParams({ ...Object.fromEntries(query), limit }));
    };
    const { client } = await clientOf(capped);
    expect(await idsOf(client.cards.pages({ limit: 30 }))).toEqual(idsTo(30));
    for (let run = 1; run <= 2; run++) expect(await idsOf(client.cards.pages())).toEqual(idsTo(230));
  });

  it("end at a short one with one more request: it may be the most that the service puts into one", async () => {
    let count = 50;
    const { client, requests } = await clientOf((query) => {
      const from = Number(query.get("bookmark") ?? 0);
      const to = Math.min(count, from + 50);
      return { docs: numbered(from, to), bookmark: String(to) };
    });
    expect(await idsOf(client.cards.pages())).toEqual(idsTo(50));
    expect(queriesOf(requests)).toEqual(["limit=100", "limit=100&bookmark=50"]);
    count = 51;
    expect(await idsOf(client.cards.pages())).toEqual(idsTo(51));
  });

  it("end at a short one at once where the service is one of ours", async () => {
    const service = await opened(
      fakeService((request, response) => {
        const url = new URL(request.url, "http://x");
        if (url.pathname === "/") return sendJson(response, 200, { service: "deckhand", extensions: [] });
        return sendJson(response, 200, collection(30)(url.searchParams));
      }),
    );
    const client = createClient(await opened(httpTo(service.url)));
    await client.service.describe();
    expect(await idsOf(client.cards.pages())).toEqual(idsTo(30));
    expect(service.requests).toHaveLength(2);
  });

  it("of ever new cards are an error after ten million", async () => {
    const docs = Array.from({ length: 100_000 }, () => ({ id: "same" }));
    let pages = 0;
    const fetch = async () => ({ docs: [...docs, { id: `c${++pages}` }], bookmark: String(pages) });
    let count = 0;
    const listing = async () => {
      for await (const page of followPages(fetch, {}, undefined)) count += page.docs.length;
    };
    await expect(listing()).rejects.toThrow("more than ten million documents");
    expect(count).toBe(100);
  });

  it("end although there is a bookmark after the last one, full or not", async () => {
    const { client, requests } = await clientOf(collection(200));
    expect(await idsOf(client.cards.pages())).toEqual(idsTo(200));
    expect(requests).toHaveLength(3);
  });

  it("end when the last one repeats its bookmark", async () => {
    const { client, requests } = await clientOf((query) => ({
      docs: query.get("bookmark") === "b1" ? numbered(100, 200) : numbered(0, 100),
      bookmark: "b1",
    }));
    expect(await idsOf(client.cards.pages())).toEqual(idsTo(200));
    expect(requests).toHaveLength(2);
  });

  it("end at an empty first one, whatever its bookmark", async () => {
    for (const bookmark of ["nil", "b1", "", null, undefined]) {
      const { client, requests } = await clientOf(() => ({
        docs: [],
        ...(bookmark === undefined ? {} : { bookmark }),
      }));
      expect(await idsOf(client.cards.pages())).toEqual([]);
      expect(requests).toHaveLength(1);
    }
  });

  it("end at a bookmark that is missing, null, empty or nil", async () => {
    for (const bookmark of ["nil", "", null, undefined]) {
      const { client, requests } = await clientOf(() => ({
        docs: numbered(0, 100),
        ...(bookmark === undefined ? {} : { bookmark }),
      }));
      expect(await idsOf(client.cards.pages())).toEqual(idsTo(100));
      expect(requests).toHaveLength(1);
    }
  });

  it("hold a card once that two of them hold", async () => {
    const { client } = await clientOf((query) => {
      const from = Math.max(0, Number(query.get("bookmark") ?? 0) - 7);
      return { docs: numbered(from, from + 100), bookmark: String(from + 100) };
    });
    const ids: string[] = [];
    for await (const page of client.cards.pages()) {
      for (const doc of page.docs) ids.push(doc.id);
      if (ids.length > 400) break;
    }
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.slice(0, 300)).toEqual(idsTo(300));
  });

  it("that repeat their cards under ever new bookmarks are an error, after every card came once", async () => {
    const { client, requests } = await clientOf((_, index) => ({
      docs: numbered((index % 3) * 100, ((index % 3) + 1) * 100),
      bookmark: `b${index}`,
    }));
    const ids: string[] = [];
    const listing = async () => {
      for await (const page of client.cards.pages()) for (const doc of page.docs) ids.push(doc.id);
    };
    await expect(listing()).rejects.toMatchObject({ code: "bad-response" });
    expect(ids).toEqual(idsTo(300));
    expect(requests).toHaveLength(6);
  });

  it("hold every card once and end, however the service cuts them", async () => {
    const pages = fc.array(
      fc.record({
        docs: fc.array(
          fc.integer({ min: 0, max: 9 }).map((number) => ({ id: `c${number}` })),
          { maxLength: 4 },
        ),
        bookmark: fc.constantFrom("a", "b", "c", "nil", "", null),
      }),
      { minLength: 1, maxLength: 6 },
    );
    let script: readonly WirePage[] = [];
    let start = 0;
    const { client, requests } = await clientOf(
      (_, index) => script[(index - start) % script.length] as WirePage,
    );
    await fc.assert(
      fc.asyncProperty(pages, async (given) => {
        script = given;
        start = requests.length;
        const ids = await idsOf(client.decks.pages());
        expect(new Set(ids).size).toBe(ids.length);
        expect(requests.length - start).toBeLessThanOrEqual(5);
      }),
      { numRuns: 50 },
    );
  });
});

describe("a page that is too large", () => {
  it("is asked for again with fewer cards, and so are those after it", async () => {
    const large = "x".repeat(1000);
    const service = await opened(
      fakeService((request, response) => {
        const { docs, bookmark } = collection(30)(new URL(request.url, "http://x").searchParams);
        sendJson(response, 200, { docs: docs.map((doc) => ({ ...doc, content: large })), bookmark });
      }),
    );
    const client = createClient(await opened(httpTo(service.url, { maxAnswerBytes: 10_000 })));
    expect(await idsOf(client.cards.pages())).toEqual(idsTo(30));
    expect(queriesOf(service.requests).slice(0, 4)).toEqual([
      "limit=100",
      "limit=25",
      "limit=7",
      "limit=7&bookmark=7",
    ]);
  });

  it("even with one card is an error", async () => {
    const service = await opened(
      fakeService((_, response) =>
        sendJson(response, 200, { docs: [{ id: "c", content: "x".repeat(9999) }] }),
      ),
    );
    const client = createClient(await opened(httpTo(service.url, { maxAnswerBytes: 1000 })));
    await expect(idsOf(client.cards.pages())).rejects.toMatchObject({ code: "bad-response" });
  });
});

describe("some pages", () => {
  it("hold as many cards as asked for and fetch no more", async () => {
    const { client, requests } = await clientOf(collection(500));
    expect(await idsOf(client.cards.pages({ limit: 250 }))).toEqual(idsTo(250));
    expect(queriesOf(requests)).toEqual(["limit=100", "limit=100&bookmark=100", "limit=50&bookmark=200"]);
  });

  it("hold as many cards as asked for even if the service sends more", async () => {
    const { client } = await clientOf(() => ({ docs: numbered(0, 50), bookmark: "b" }));
    expect(await idsOf(client.cards.pages({ limit: 20 }))).toEqual(idsTo(20));
  });

  it("have a bookmark at the end only if there may be more", async () => {
    const last = async (limit: number) => {
      const { client } = await clientOf(collection(150));
      let bookmark: string | null | undefined;
      for await (const page of client.cards.pages({ limit })) bookmark = page.bookmark;
      return bookmark;
    };
    expect(await last(120)).toBe("120");
    expect(await last(150)).toBe("150");
    expect(await last(180)).toBeUndefined();
  });

  it("begin where a bookmark says, and pass the deck on as it is", async () => {
    const { client, requests } = await clientOf(collection(30));
    const options = { deckId: " no such deck", bookmark: "20", pageSize: 7 };
    expect(await idsOf(client.cards.pages(options))).toEqual(numbered(20, 30).map((doc) => doc.id));
    expect(queriesOf(requests)).toEqual([
      "deck-id=%20no%20such%20deck&limit=7&bookmark=20",
      "deck-id=%20no%20such%20deck&limit=7&bookmark=27",
      "deck-id=%20no%20such%20deck&limit=7&bookmark=30",
    ]);
  });

  it("pass a blank deck on", async () => {
    const { client, requests } = await clientOf(collection(0));
    await idsOf(client.cards.pages({ deckId: "" }));
    expect(queriesOf(requests)).toEqual(["deck-id=&limit=100"]);
  });

  it("of none fetch nothing", async () => {
    const { client, requests } = await clientOf(collection(5));
    expect(await idsOf(client.cards.pages({ limit: 0 }))).toEqual([]);
    expect(requests).toHaveLength(0);
  });

  it("come as they are fetched", async () => {
    const { client, requests } = await clientOf(collection(500));
    for await (const page of client.cards.pages()) {
      expect(page.docs).toHaveLength(100);
      break;
    }
    expect(requests).toHaveLength(1);
  });
});

describe("lists without a page size", () => {
  it("are followed past short pages, to an empty one", async () => {
    const sizes = [3, 1, 5, 0];
    const { client, requests } = await clientOf((_, index) => ({
      docs: numbered(index * 10, index * 10 + (sizes[index] ?? 0)),
      bookmark: `b${index}`,
    }));
    expect(await client.decks.all()).toHaveLength(9);
    expect(requests).toHaveLength(4);
    expect(queriesOf(requests)).toEqual(["", "bookmark=b0", "bookmark=b1", "bookmark=b2"]);
  });

  it("are templates, too", async () => {
    const { client } = await clientOf((query) =>
      query.has("bookmark") ? { docs: [] } : { docs: numbered(0, 2), bookmark: "b" },
    );
    expect(await client.templates.all()).toEqual(numbered(0, 2));
  });
});
