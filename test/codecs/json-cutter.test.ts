import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutMark, JsonCutter } from "../../src/codecs/json-cutter.ts";
import { placeOfCard } from "../../src/transfer/formats/mochi/data.ts";

interface Cut {
  readonly card: unknown;
  readonly deck: number | undefined;
  readonly number: number;
}

/** The cards of a text that comes in pieces of that many characters, and the rest. */
function cut(text: string, size = 7): { cards: Cut[]; rest: unknown } {
  const cutter = new JsonCutter(placeOfCard);
  const cards: Cut[] = [];
  for (let at = 0; at < text.length; at += size)
    for (const { text: card, place } of cutter.take(text.slice(at, at + size)))
      cards.push({ card: JSON.parse(card), ...place });
  return { cards, rest: JSON.parse(cutter.rest) };
}

const text = fc.oneof(
  fc.string(),
  fc.constantFrom('"', "\\", "]}", '{"~:cards":[{}]}', "\ufeffmark", "\\u0022"),
);
const document = fc.dictionary(text, fc.oneof(text, fc.jsonValue({ maxDepth: 2 }), fc.array(text)), {
  maxKeys: 4,
});
const tagged = (is: boolean, items: unknown) => (is ? { "~#list": items } : items);

describe("cutting the cards out of a data.json", () => {
  test("finds each card of the decks and of the top level, and leaves the rest as it is", () => {
    const lists = fc.record({
      tags: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
      decks: fc.array(fc.record({ before: document, cards: fc.array(document), after: text }), {
        maxLength: 3,
      }),
      cards: fc.array(document),
      blank: fc.constantFrom(undefined, 1, "\t"),
      size: fc.integer({ min: 1, max: 60 }),
    });
    fc.assert(
      fc.property(lists, ({ tags: [top, outer, inner], decks, cards, blank, size }) => {
        const data = (isRest: boolean) => ({
          "~:version": 2,
          "~:decks": tagged(
            outer,
            decks.map((deck) => ({
              "~:name": deck.after,
              "~:settings": deck.before,
              "~:cards": tagged(inner, isRest ? deck.cards.map(() => cutMark) : deck.cards),
              "~:after": [deck.after],
            })),
          ),
          "~:cards": tagged(top, isRest ? cards.map(() => cutMark) : cards),
          "~:templates": [{ "~:content": "{" }],
        });
        const all = [
          ...decks.flatMap((each, deck) => each.cards.map((card, number) => ({ card, deck, number }))),
          ...cards.map((card, number) => ({ card, deck: undefined, number })),
        ];
        const found = cut(JSON.stringify(data(false), undefined, blank), size);
        expect(found.cards).toEqual(JSON.parse(JSON.stringify(all)));
        expect(found.rest).toEqual(JSON.parse(JSON.stringify(data(true))));
      }),
      { seed: 16, numRuns: 200 },
    );
  });

  test("leaves what is not in a list of cards, and what is not a map", () => {
    for (const text of [
      '["^ ","~:cards",[["^ ","~:id","~:C"]]]',
      '{"~:cards":{"~#set":[{"~:id":"~:C"}]}}',
      '{"~:templates":[{"~:cards":[{}]}]}',
      '{"~:cards":[1,[2]]}',
      '{"cards":[{}]}',
      "[{}]",
      "1",
    ])
      expect(cut(text)).toEqual({ cards: [], rest: JSON.parse(text) });
  });

  test("leaves a rest that is no JSON where the list of cards is none", () => {
    for (const text of ['{"~:cards":[{} {}]}', '{"~:cards":[{},]}', '{"~:cards":[{},,{}]}'])
      expect(() => cut(text)).toThrow(SyntaxError);
  });

  test("takes no other key with an escape in it for that of cards", () => {
    const text = JSON.stringify({ "~:ca\nrds": [{}] });
    expect(cut(text)).toEqual({ cards: [], rest: JSON.parse(text) });
  });

  test("refuses text that is nested too deep, whose brackets would fill the memory", () => {
    expect(() => cut("[".repeat(1000))).toThrow("nested more than 200 levels deep");
  });
});
