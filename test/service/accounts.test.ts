import fc from "fast-check";
import { expect, test } from "vitest";
import { type OperationId, operations } from "../../src/schema/index.ts";
import { handled } from "../support/handled.ts";
import { docsOf, idOf, type RawAnswer, rawClient, received } from "../support/requests.ts";
import { openTestApplication } from "../support/service.ts";
import { count, seed } from "../support/soak.ts";
import { formOf, multipart } from "../support/uploads.ts";

const fileName = "secret.txt";
const date = "2026-01-02T03:04:05.678Z";

/** An account with something of everything, and another that has only its own empty collection. */
async function twoAccounts() {
  const application = await openTestApplication();
  const owner = rawClient(application);
  const deck = idOf(await owner("POST", "/decks", { name: "secret deck" }));
  const template = idOf(
    await owner("POST", "/templates", { name: "secret", content: "<< s >>", fields: { s: { id: "s" } } }),
  );
  const cardBody = { content: "secret content", "deck-id": deck, "template-id": template };
  const card = idOf(await owner("POST", "/cards", cardBody));
  await owner("POST", "/cards", { ...cardBody, pos: "z" });
  await owner("POST", `/cards/${card}/reviews`, { date, "remembered?": true });
  const upload = { method: "POST", path: `/cards/${card}/attachments/${fileName}`, query: "" };
  const authorization = `Basic ${btoa(application.key)}`;
  const body = formOf({ content: "secret file" });
  await handled(application, { ...upload, headers: { authorization, ...multipart }, body });
  await owner("PUT", "/schedule", { retention: 0.77 });
  const bookmarks = [];
  for (const path of ["/cards?limit=1", "/decks", "/templates", "/attachments", "/due?limit=1"])
    bookmarks.push(String((await owner("GET", path)).body["bookmark"]));
  const strangerKey = await application.keys.add("stranger");
  const ask = rawClient(application, strangerKey);
  const own = idOf(await ask("POST", "/decks", { name: "own" }));
  const all = async () => {
    const paths = ["/cards?limit=100", "/decks", "/templates", "/attachments", "/schedule", "/due"];
    const answers = [];
    for (const path of [...paths, `${upload.path}`]) answers.push((await owner("GET", path)).text);
    return answers;
  };
  const send = async (method: string, path: string, query: string, sent: unknown): Promise<RawAnswer> => {
    const headers = { authorization: `Basic ${btoa(`${strangerKey}:`)}` };
    if (sent !== "multipart") return ask(method, query === "" ? path : `${path}?${query}`, sent);
    const form = { body: formOf({ content: "other" }), headers: { ...headers, ...multipart } };
    return received(await handled(application, { method, path, query, ...form }));
  };
  return { ids: { deck, template, card }, bookmarks, own, send, all };
}

type Ids = Readonly<Record<"deck" | "template" | "card", string>>;

const unknown: Ids = { deck: "00nodeck", template: "00notemp", card: "00nocard" };

/** The path of an operation about these documents. */
const pathOf = (id: OperationId, ids: Ids) =>
  operations[id].path
    .replace(":card-id", ids.card)
    .replace(":deck-id", ids.deck)
    .replace(":template-id", ids.template)
    .replace(":file-name", fileName)
    .replace(":date", encodeURIComponent(date));

/** A body that names these documents, and otherwise is valid. */
function bodyOf(
  id: OperationId,
  ids: Ids,
  own: string,
  names: { deck: boolean; template: boolean },
): unknown {
  const operation = operations[id];
  if (!("body" in operation)) return undefined;
  if (typeof operation.body === "string") return operation.body;
  const deck = names.deck ? ids.deck : own;
  if (id.startsWith("cards."))
    return { content: "x", "deck-id": deck, ...(names.template ? { "template-id": ids.template } : {}) };
  if (id.startsWith("decks.")) return { name: "x", "parent-id": deck };
  if (id.startsWith("templates.")) return { name: "x", content: "x", fields: {} };
  if (id === "reviews.create") return { "remembered?": true, date };
  if (id === "reviews.add") return { reviews: [{ "remembered?": true, date }] };
  return { retention: 0.9 };
}

test("no account can read, change or guess what another has, by any operation", async () => {
  const { ids, bookmarks, own, send, all } = await twoAccounts();
  const before = await all();
  const operation = fc.constantFrom(...(Object.keys(operations) as OperationId[]));
  const flags = fc.record({ deck: fc.boolean(), template: fc.boolean() });
  const query = fc.oneof(
    fc.constant(""),
    fc.constantFrom(...bookmarks).map((bookmark) => `bookmark=${encodeURIComponent(bookmark)}`),
    fc.constant("deck-id=DECK"),
  );
  await fc.assert(
    fc.asyncProperty(operation, flags, query, async (id, names, asked) => {
      const answers = [];
      for (const each of [ids, unknown]) {
        const text = asked.replace("DECK", each.deck);
        answers.push(await send(operations[id].method, pathOf(id, each), text, bodyOf(id, each, own, names)));
      }
      const [real, none] = answers as [RawAnswer, RawAnswer];
      expect(real.text).not.toContain("secret");
      expect(real.text).not.toContain("0.77");
      // What the stranger creates has an id, an instant and a place of its own.
      expect(real.status).toBe(none.status);
      if (real.status >= 400) expect(real.text).toBe(none.text);
    }),
    { seed, numRuns: count("accounts", 150, 2000) },
  );
  expect(await all()).toEqual(before);
});

test("lists hold only what the account has, for every id and position of another account", async () => {
  const { ids, send } = await twoAccounts();
  for (const path of ["/cards", `/cards?deck-id=${ids.deck}`, "/templates", "/attachments"]) {
    const [name = "", query = ""] = path.split("?");
    expect(docsOf(await send("GET", name, query, undefined)), path).toEqual([]);
  }
  expect((await send("GET", "/due", "", undefined)).body["cards"]).toEqual([]);
});
