import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { startTestServer } from "../support/service.ts";
import { type Deckhand, deckhand } from "../support/world.ts";

interface Proxy {
  readonly url: string;
  /** The method and path of each request, without the query. */
  readonly asked: string[];
  /** Whether each single deck is refused with 403. */
  refuses: boolean;
}

/** The service without parents in its list of decks, as a service may be. */
async function withoutParents(target: string): Promise<Proxy> {
  const proxy = { url: "", asked: [] as string[], refuses: false };
  const server = createServer(async (incoming, response) => {
    const { pathname } = new URL(incoming.url ?? "/", target);
    proxy.asked.push(`${incoming.method} ${pathname}`);
    if (proxy.refuses && /^\/decks\/\w+$/.test(pathname)) {
      response.writeHead(403, { "content-type": "application/json" }).end('{"errors":["no"]}');
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { authorization = "", "content-type": type = "application/json" } = incoming.headers;
    const answer = await fetch(new URL(incoming.url ?? "/", target), {
      method: incoming.method ?? "GET",
      headers: { authorization, "content-type": type },
      body: chunks.length === 0 ? null : Buffer.concat(chunks),
    });
    let text = await answer.text();
    if (pathname === "/decks" && incoming.method === "GET") {
      const page = JSON.parse(text);
      for (const deck of page.docs) delete deck["parent-id"];
      text = JSON.stringify(page);
    }
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(answer.status === 204 ? undefined : text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(proxy, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

/** Two programs with caches of their own and one account that has the decks Eur, Geo and Geo/Kid, each with a card. */
async function twoPrograms() {
  const { url, key } = await startTestServer();
  const proxy = await withoutParents(url);
  const env = { DECKHAND_PROFILE: "", DECKHAND_BASE_URL: proxy.url, DECKHAND_API_KEY: key };
  const [here, there] = [await deckhand(env), await deckhand(env)];
  const decks: Record<string, string> = {};
  const cards: Record<string, string> = {};
  for (const [name, ...above] of [["Eur"], ["Geo"], ["Kid", "--parent", "Geo"]] as const) {
    decks[name] = (await there.ok(["decks", "create", name, ...above])).trim();
    cards[name] = (await there.ok(["add", `${name} word`, "x", "--tag", name, "--deck", name])).trim();
  }
  return { here, there, proxy, decks, cards };
}

const ids = async (program: Deckhand, ...args: string[]) =>
  (await program.ok([...args, "-o", "id"])).split("\n").filter((id) => id !== "");

const practice = async (program: Deckhand, ...args: string[]) => {
  async function* quit(shown: () => string) {
    while (!/Card 1 of \d/.test(shown())) await new Promise((resolve) => setImmediate(resolve));
    yield "q\n";
  }
  const options = { terminal: true, columns: 200, input: quit };
  const { stdout, stderr } = await program.run(["review", "--plain", "--practice", ...args], options);
  return /Card 1 of (\d+)/.exec(stdout)?.[1] ?? stderr;
};

describe("cards of a deck that another program restored, unarchived or moved", () => {
  test("are not listed as in the trash, nor left out", async () => {
    const { here, there, cards } = await twoPrograms();
    await here.ok(["decks", "trash", "Eur"]);
    // The state of a card is its own: what a pipe deletes was put in the trash itself.
    expect(await ids(here, "cards", "list", "--state", "trashed")).toEqual([]);
    expect(await ids(here, "cards", "list", "--state", "active")).toContain(cards["Eur"]);
    expect(await ids(here, "cards", "search", "is:trashed")).toEqual([cards["Eur"]]);
    expect(await ids(here, "cards", "search", "Eur")).toEqual([]);
    const table = async () => (await here.run(["cards", "list"], { terminal: true, columns: 120 })).stdout;
    expect(await table()).toMatch(/Eur word .* in trash$/m);
    await there.ok(["decks", "restore", "Eur"]);
    expect(await ids(here, "cards", "search", "is:trashed")).toEqual([]);
    expect(await ids(here, "cards", "search", "Eur")).toEqual([cards["Eur"]]);
    expect(await here.ok(["tags", "list"])).toContain("Eur\t1\n");
    expect(await table()).not.toContain("in trash");
  });

  test("are no longer orphaned", async () => {
    const { here, there, decks, cards } = await twoPrograms();
    await there.ok(["decks", "delete", "Geo", "--yes", "--orphan"]);
    const orphaned = () => ids(here, "cards", "list", "--state", "orphaned");
    expect((await orphaned()).toSorted()).toEqual([cards["Geo"], cards["Kid"]].toSorted());
    expect(await here.ok(["decks", "list", "--tree"])).toContain("(orphaned)");
    await there.ok(["decks", "update", decks["Kid"] ?? "", "--no-parent"]);
    expect(await orphaned()).toEqual([cards["Geo"]]);
    expect(await here.ok(["decks", "list", "--tree"])).not.toContain("(orphaned)");
  });

  test("are due and practised", async () => {
    const { here, there, cards } = await twoPrograms();
    await there.ok(["decks", "archive", "Kid"]);
    const due = async () => (await here.run(["due", "list", "Kid"], { terminal: true, columns: 200 })).stderr;
    expect(await practice(here)).toBe("2");
    expect(await due()).toContain("the deck Geo/Kid is archived");
    await there.ok(["decks", "unarchive", "Kid"]);
    expect(await practice(here)).toBe("3");
    await there.ok(["decks", "archive", "Kid"]);
    expect(await due()).toContain("is archived");
    await there.ok(["decks", "unarchive", "Kid"]);
    await there.ok(["cards", "trash", cards["Kid"] ?? ""]);
    expect(await due()).toBe("Nothing is due\n");
  });
});

test("a deck that cannot be looked up fails a search and a list of tags, not a list of cards", async () => {
  const { here, proxy, cards } = await twoPrograms();
  await here.ok(["decks", "trash", "Eur"]);
  proxy.refuses = true;
  for (const args of [
    ["cards", "search", "word"],
    ["cards", "search", "is:trashed"],
    ["tags", "list"],
  ])
    expect(await here.run(args), args.join(" ")).toMatchObject({
      code: 3,
      stdout: "",
      stderr: expect.stringContaining("no"),
    });
  expect(await ids(here, "cards", "list", "--state", "active")).toContain(cards["Kid"]);
  expect((await here.run(["cards", "list"], { terminal: true })).code).toBe(0);
});

test("practice looks up only the decks of the cards it has", async () => {
  const { here, there, proxy, decks } = await twoPrograms();
  for (const name of ["A", "B", "C", "D"]) await there.ok(["decks", "create", name, "--parent", "Eur"]);
  await there.ok(["add", "second", "x", "--deck", "Kid"]);
  proxy.asked.length = 0;
  expect(await practice(here)).toBe("4");
  const single = proxy.asked.filter((each) => each.startsWith("GET /decks/"));
  expect(new Set(single)).toEqual(new Set(Object.values(decks).map((id) => `GET /decks/${id}`)));
  // The session reads the decks of the cards that it shows or prepares itself.
  expect(single.length).toBeLessThanOrEqual(2 * Object.keys(decks).length);
});

test("a second due asks the service only for what is due", async () => {
  const { here, proxy } = await twoPrograms();
  const due = async () => {
    proxy.asked.length = 0;
    await here.run(["due", "list"], { terminal: true, columns: 100 });
    // A hosted service has no schedule.
    return proxy.asked.filter((line) => !["GET /", "GET /schedule"].includes(line));
  };
  expect(await due()).toContain("GET /decks");
  expect(await due()).toEqual(["GET /due"]);
});
