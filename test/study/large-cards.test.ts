import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { expect, test } from "vitest";
import type { WireRequest } from "../../src/schema/index.ts";
import { partOf } from "../../src/study/answers.ts";
import { clientOf, studyCard } from "../../src/study/card.ts";

const headers = { "content-type": "application/json" };

/** The HTML of a card with this content, all others having `other`. */
const prepared = async (content: string, other = "") => {
  const send = async (_account: string, { path }: WireRequest) => {
    const document = { id: path.slice("/cards/".length), content: path === "/cards/card" ? content : other };
    return { status: 200, headers, body: JSON.stringify(document) };
  };
  const card = await studyCard(clientOf({ send }, "a"), "card");
  return Object.values(card?.html ?? {});
};

test("a card that is nested too deep for the page is shown as its text", async () => {
  const card = await prepared(`${"<details>".repeat(3000)}a & b${"</details>".repeat(3000)}\n---\nback`);
  expect(card.join("")).toContain("a &#38; b");
  expect(card.join("")).toContain("back");
});

test("a card with many clozes, or with many cards in it, is prepared within bounds", async () => {
  const clozes = Array.from({ length: 300 }, (_, at) => `{{${at}::x}}`).join(" ");
  const card = await prepared(`${clozes} ${"lorem ipsum ".repeat(2000)}`);
  expect(card.join("").length).toBeLessThan(2_300_000);
  expect(card.at(-1)).toContain("too large for this page");
  const embeds = await prepared("![[aaaaaaaa]] ".repeat(300), "lorem ".repeat(2000));
  expect(embeds.join("").length).toBeLessThan(300_000);
});

test("a part of a file that nobody reads closes the file", async () => {
  const file = new Readable({ read() {} });
  const answer = { status: 200, headers: { "content-length": "10" }, body: file };
  const { status, body } = partOf(answer, "bytes=2-5");
  expect(status).toBe(206);
  (body as Readable).destroy();
  await finished(file).catch(() => {});
  expect(file.destroyed).toBe(true);
});

test("a card is asked both ways where its own deck says so, and has the path of its deck", async () => {
  const documents: Readonly<Record<string, object>> = {
    "/cards/card": { id: "card", content: "a\n---\nb", "deck-id": "under" },
    "/decks/under": { id: "under", name: "Under", "parent-id": "top", "review-reverse?": true },
    "/decks/top": { id: "top", name: "Top" },
  };
  const send = async (_account: string, { path }: WireRequest) => ({
    ...{ status: 200, headers },
    body: JSON.stringify(documents[path]),
  });
  const card = await studyCard(clientOf({ send }, "a"), "card");
  expect(card?.passes.map(({ id }) => id)).toEqual(["forward", "reverse"]);
  expect(card?.deck).toBe("Top/Under");
});
