import { describe, expect, it } from "vitest";
import {
  card,
  cardCreate,
  cardPage,
  cardUpdate,
  check,
  deck,
  deckCreate,
  deckUpdate,
  errors,
  type ObjectKind,
  reviewCreate,
  template,
  templateCreate,
} from "../../src/schema/index.ts";
import { vectorKinds, wireVectors } from "../support/vectors.ts";

const sent = (kind: ObjectKind, value: unknown) => check(kind, value, "sent");
const received = (kind: ObjectKind, value: unknown) => check(kind, value, "received");

describe("checking what is sent", () => {
  it("passes every body of the vectors", () => {
    for (const { schema, domain, kind } of wireVectors())
      if (kind === "encode") expect(sent(vectorKinds[schema], domain)).toBeUndefined();
  });

  it("names all failing fields at once", () => {
    expect(sent(cardCreate, { "deck-id": 5, "archived?": "no", pos: "" })).toEqual({
      content: "is required and cannot be nil",
      "deck-id": "must be a string",
      "archived?": "must be true or false",
      pos: "cannot be empty",
    });
  });

  it("asks for a map", () => {
    for (const value of [null, undefined, [], "x", 5])
      expect(sent(cardUpdate, value)).toEqual({ "": "must be a map" });
  });

  it("does not take what objects inherit for a field that was given", () => {
    expect(sent(deckCreate, Object.create({ name: "inherited" }))).toEqual({
      name: "is required and cannot be nil",
    });
  });

  it("takes null only where it clears", () => {
    expect(sent(cardUpdate, { "template-id": null, "trashed?": null })).toBeUndefined();
    expect(sent(deckUpdate, { "parent-id": null, "trashed?": null })).toBeUndefined();
    for (const field of ["content", "deck-id", "archived?", "pos", "manual-tags", "fields"])
      expect(sent(cardUpdate, { [field]: null })).toEqual({ [field]: "cannot be nil" });
    expect(sent(cardUpdate, { "manual-tags": [null] })).toEqual({
      "manual-tags": "has an item that cannot be nil",
    });
    expect(sent(cardUpdate, { fields: { a: null } })).toEqual({ fields: '"a" cannot be nil' });
  });

  it("ignores unknown fields, and lets through what a template field may hold besides", () => {
    const fields = { a: { id: "a", options: { "hide-term": null, "ai-task": ["x", {}] }, colour: 5 } };
    expect(sent(templateCreate, { name: "T", content: "", fields, more: { x: 1 } })).toBeUndefined();
  });

  it("knows a blank name from an empty position", () => {
    for (const name of ["", " ", "\t\n", "\u00a0\u3000"])
      expect(sent(deckCreate, { name })).toEqual({ name: "cannot be blank" });
    expect(sent(cardUpdate, { "manual-tags": ["a", " "] })).toEqual({
      "manual-tags": "has an item that cannot be blank",
    });
    expect(sent(cardUpdate, { pos: " " })).toBeUndefined();
    expect(sent(cardUpdate, { content: "" })).toBeUndefined();
  });

  it("counts characters, not code units", () => {
    const create = (name: string) => sent(templateCreate, { name, content: "", fields: {} });
    expect(create("x".repeat(64))).toBeUndefined();
    expect(create("😀".repeat(64))).toBeUndefined();
    expect(create("x".repeat(65))).toEqual({ name: "is too long (at most 64 characters)" });
    expect(create("😀".repeat(65))).toEqual({ name: "is too long (at most 64 characters)" });
  });

  it("refuses ids that transit could not write", () => {
    expect(sent(cardUpdate, { "deck-id": "" })).toEqual({ "deck-id": "cannot be blank" });
    for (const id of [":", ":abc"]) {
      expect(sent(cardUpdate, { "deck-id": id })).toEqual({ "deck-id": "cannot begin with a colon" });
      expect(sent(cardUpdate, { fields: { [id]: { id, value: "" } } })).toEqual({
        fields: "has a key that cannot begin with a colon",
      });
    }
    expect(sent(cardUpdate, { fields: { "": { id: "", value: "" } } })).toEqual({
      fields: "has a key that cannot be blank",
    });
  });

  it("refuses halves of surrogate pairs, which no UTF-8 carries", () => {
    const message = "is not well-formed Unicode";
    expect(sent(cardUpdate, { content: "a\ud83db" })).toEqual({ content: message });
    expect(sent(cardUpdate, { "deck-id": "\ude00" })).toEqual({ "deck-id": message });
    expect(sent(cardUpdate, { "manual-tags": ["\ud83d"] })).toEqual({
      "manual-tags": `has an item that ${message}`,
    });
    expect(sent(cardUpdate, { content: "😀", "deck-id": "😀" })).toBeUndefined();
  });

  it("takes enumerated values and no others", () => {
    expect(sent(deckUpdate, { "sort-by": "lexigraphically", "cards-view": "grid" })).toBeUndefined();
    expect(sent(deckUpdate, { "cards-view": "table" })).toEqual({
      "cards-view": "must be one of list, grid, note, column",
    });
    expect(sent(deckUpdate, { "cards-view": "" })?.["cards-view"]).toContain("must be one of");
    expect(
      sent(templateCreate, { name: "T", content: "", fields: {}, style: { "text-alignment": "top" } }),
    ).toEqual({
      style: "text-alignment must be one of left, center, right",
    });
  });

  it("takes whole numbers where they are due, and numbers in their range", () => {
    for (const sort of [0, -5, 2 ** 53 - 1]) expect(sent(deckUpdate, { sort })).toBeUndefined();
    for (const sort of ["5", 1.5, 2 ** 53, Infinity, Number.NaN, true])
      expect(sent(deckUpdate, { sort })).toEqual({ sort: "must be a whole number" });
    expect(sent(reviewCreate, { "remembered?": true, duration: 1.5 })).toBeUndefined();
    expect(sent(reviewCreate, { "remembered?": true, duration: -1 })).toEqual({
      duration: "must be at least 0",
    });
    expect(sent(reviewCreate, { "remembered?": true, duration: "1" })).toEqual({
      duration: "must be a number",
    });
  });

  it("takes timestamps that name an instant", () => {
    expect(sent(cardUpdate, { "trashed?": "2024-11-20T23:00:00.000Z" })).toBeUndefined();
    for (const at of ["soon", "2024-02-31", 5, { date: "2024-11-20" }, true])
      expect(sent(cardUpdate, { "trashed?": at })).toEqual({ "trashed?": "must be an ISO 8601 timestamp" });
  });

  it("reports failures inside a nested map under the top-level field", () => {
    expect(sent(cardUpdate, { fields: { a: { id: "b", value: "" } } })).toEqual({
      fields: '"a" has an id that is not its key',
    });
    expect(sent(cardUpdate, { fields: { a: { id: "a" } } })).toEqual({
      fields: '"a" value is required and cannot be nil',
    });
    expect(sent(cardUpdate, { fields: { a: "x" } })).toEqual({ fields: '"a" must be a map' });
    expect(sent(cardUpdate, { fields: ["x"] })).toEqual({ fields: "must be a map" });
    expect(sent(cardUpdate, { "manual-tags": "x" })).toEqual({ "manual-tags": "must be a list" });
    expect(sent(cardUpdate, { "manual-tags": [5] })).toEqual({
      "manual-tags": "has an item that must be a string",
    });
  });

  it("takes fields named like what objects inherit for what they are", () => {
    const entry = (id: string) => ({ id, value: "v" });
    const fields = JSON.parse('{"__proto__":{"id":"__proto__","value":"v"}}') as object;
    expect(sent(cardUpdate, { fields: { ...fields, constructor: entry("constructor") } })).toBeUndefined();
    expect(sent(cardUpdate, { fields: { toString: entry("x") } })).toEqual({
      fields: '"toString" has an id that is not its key',
    });
  });

  it("checks tags under the name that transit gives them, too", () => {
    expect(sent(cardCreate, { content: "", "deck-id": "d", tags: ["a"] })).toBeUndefined();
    expect(sent(cardUpdate, { tags: 5 })).toEqual({ tags: "must be a list" });
    expect(sent(cardUpdate, { tags: [""], "manual-tags": ["a"] })).toEqual({
      tags: "has an item that cannot be blank",
    });
  });
});

describe("checking what is received", () => {
  const id = "x7Rw2kQp";

  it("passes every answer of the vectors", () => {
    const withIds = (value: unknown): unknown =>
      Array.isArray(value) ? value.map(withIds) : { id: "x", ...(value as object) };
    for (const { schema, domain, name } of wireVectors()) {
      const { docs, cards, ...rest } = domain as Record<string, unknown>;
      const lists = { ...(docs ? { docs: withIds(docs) } : {}), ...(cards ? { cards: withIds(cards) } : {}) };
      expect(received(vectorKinds[schema], withIds({ ...rest, ...lists })), name).toBeUndefined();
    }
  });

  it("lets anything but an id be missing, null or new", () => {
    expect(received(card, { id })).toBeUndefined();
    const allNull = Object.fromEntries(Object.keys(card.fields).map((key) => [key, null]));
    expect(received(card, { ...allNull, id })).toBeUndefined();
    const unknown = { "cards-view": "carousel", "sort-by": "", name: "", more: 1 };
    expect(received(deck, { id, ...unknown })).toBeUndefined();
    const fields = { a: { id: "b" }, b: null };
    expect(received(template, { id, name: "x".repeat(100), fields })).toBeUndefined();
    expect(received(errors, { errors: 5 })).toBeUndefined();
  });

  it("refuses a document without an id, and one that no request can name", () => {
    for (const id of [undefined, null, ""])
      expect(received(card, { id })).toEqual({ id: "is required and cannot be nil" });
    for (const id of ["..", "a\u0001", "\ud800"])
      expect(received(card, { id })).toEqual({ id: "cannot be used in a request" });
    expect(received(cardPage, {})).toEqual({ docs: "is required and cannot be nil" });
  });

  it("names known fields that are not what the program relies on", () => {
    expect(
      received(card, { id: 5, tags: "a", reviews: [{ date: "soon" }], "created-at": 5, "new?": 1 }),
    ).toEqual({
      id: "must be a string",
      tags: "must be a list",
      reviews: "has an item that date must be an ISO 8601 timestamp",
      "created-at": "must be an ISO 8601 timestamp",
      "new?": "must be true or false",
    });
    expect(received(cardPage, { docs: {} })).toEqual({ docs: "must be a list" });
    expect(received(deck, { id, sort: "5" })).toEqual({ sort: "must be a number" });
    expect(received(deck, { id, sort: 1.5 })).toBeUndefined();
    expect(received(card, [])).toEqual({ "": "must be a map" });
  });
});
