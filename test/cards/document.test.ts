import { describe, expect, test } from "vitest";
import {
  createBody,
  differences,
  documentOf,
  documentOfBody,
  hashOfCard,
  hashOfDocument,
  updateBody,
} from "../../src/cards/document.ts";
import type { Card } from "../../src/schema/index.ts";

const card = (parts: Partial<Card>): Card => ({ id: "c", ...parts }) as Card;

describe("the document of a card", () => {
  test("is the same for a card that leaves out what has a default", async () => {
    const full = card({
      content: "a #inline",
      "deck-id": "d",
      "template-id": null,
      pos: null,
      tags: ["z", "inline", "b"],
      "archived?": false,
      "review-reverse?": false,
      fields: null,
      reviews: [{ date: "2026-01-01T00:00:00.000Z", "remembered?": true }],
    });
    const bare = card({ content: "a #inline", "deck-id": "d", "manual-tags": ["b", "z", "b"] });
    expect(await documentOf(bare)).toEqual(await documentOf(full));
    expect(await hashOfCard(bare)).toBe(await hashOfCard(full));
  });

  test("is the same whether it was read or is to be created, in any order of its fields", async () => {
    const place = { deck: "d", template: "t", pos: null };
    const body = {
      content: "",
      "manual-tags": ["b", "a"],
      fields: { y: { id: "y", value: "2" }, x: { id: "x", value: "1" } },
    };
    const document = documentOfBody(body, place);
    const sent = createBody(document);
    expect(hashOfDocument(await documentOf(card(sent)))).toBe(hashOfDocument(document));
    expect(sent).toEqual({
      content: "",
      "deck-id": "d",
      "template-id": "t",
      "manual-tags": ["a", "b"],
      fields: { x: { id: "x", value: "1" }, y: { id: "y", value: "2" } },
    });
  });

  test.each([
    [{ content: "b" }, ["content"], { content: "b" }],
    [{ tags: [] }, ["tags"], { "manual-tags": [] }],
    [{ template: "t" }, ["template"], { "template-id": "t" }],
    [
      { archived: true, reverse: true },
      ["archived", "reverse"],
      { "archived?": true, "review-reverse?": true },
    ],
    [{ fields: { f: "v" } }, ["fields"], { fields: { f: { id: "f", value: "v" } } }],
    // The service has no way to take these away.
    [{ deck: null, pos: null }, ["deck", "pos"], {}],
    [{ deck: "e", pos: "2" }, ["deck", "pos"], { "deck-id": "e", pos: "2" }],
    [{ content: "a", tags: ["t"] }, [], {}],
    [{ content: undefined }, [], {}],
  ])("as %j differs in these parts, and only they are sent", async (wanted, parts, update) => {
    const there = await documentOf(card({ content: "a", "deck-id": "d", pos: "1", "manual-tags": ["t"] }));
    expect(differences(there, wanted)).toEqual(parts);
    expect(updateBody(there, wanted)).toEqual(update);
    expect(parts.length === 0).toBe(
      hashOfDocument({ ...there, ...JSON.parse(JSON.stringify(wanted)) }) === hashOfDocument(there),
    );
  });
});
