import { Readable } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type CodecName, mediaTypes, operations } from "../../src/schema/index.ts";
import { httpOver } from "../support/http.ts";

/** The due cards of a service that answers these pieces, read item by item or as a whole. */
async function due(pieces: Iterable<Uint8Array>, key: string | undefined, codec: CodecName = "json") {
  const headers = { "content-type": mediaTypes[codec] };
  const http = httpOver(
    { send: async () => ({ status: 200, headers, body: Readable.from(pieces) }), close: async () => {} },
    { codec },
  );
  return http.call(operations["due.list"], {
    longList: key === undefined ? undefined : { key, maxBytes: 256 * 1024 * 1024 },
  });
}

/** The text in pieces that end anywhere, also inside a character. */
function* cut(text: string, length: number): Generator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

const card = fc.record(
  {
    id: fc.string({ minLength: 1 }),
    content: fc.string({ unit: "binary" }),
    reviews: fc.constantFrom([], [{ date: { date: "2024-11-20T10:00:00.000Z" } }]),
    "]}": fc.jsonValue(),
  },
  { requiredKeys: ["id"] },
);
const answer = fc.record(
  { cards: fc.array(card), "more]": fc.jsonValue(), docs: fc.array(card), 'quo"te': fc.constant("cards") },
  { requiredKeys: ["cards"] },
);

test("reads a long list as it reads a short one, however the answer is cut", async () => {
  await fc.assert(
    fc.asyncProperty(
      answer,
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom(0, 1),
      async (value, length, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(await due(cut(text, length), "cards")).toEqual(await due(cut(text, length), undefined));
      },
    ),
    { seed: 15, numRuns: 300 },
  );
});

test.each([
  ["nothing", ""],
  ["an answer that ends in a card", '{"cards":[{"id":"a"},{"id":"b'],
  ["an answer that ends between cards", '{"cards":[{"id":"a"},'],
  ["cards without a comma", '{"cards":[{"id":"a"}{"id":"b"}]}'],
  ["text behind the answer", '{"cards":[{"id":"a"}]}]'],
  ["a card that is not JSON", '{"cards":[{"id":a}]}'],
  ["a card in two pieces of JSON", '{"cards":[{"id":"a"],"x":{"y":1}}'],
  ["a number among the cards", '{"cards":[{"id":"a"},0]}'],
  ["a list in the place of the answer", '[{"cards":[]}]'],
  ["a text in the place of the list", '{"cards":"none"}'],
  ["bytes that are not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
])("refuses %s", async (_, body) => {
  for (const longList of ["cards", undefined])
    await expect(due([Buffer.from(body as string)], longList)).rejects.toMatchObject({
      exitCode: 8,
      message: expect.stringMatching(/^the answer (cannot be read|is not as documented|is empty)/),
    });
});

test("reads the last of two lists of the same name, as JSON does", async () => {
  const text = '{"cards":[{"id":"a"}],"cards":[{"id":"b"},{"id":"c"}]}';
  expect(await due(cut(text, 7), "cards")).toEqual({ cards: [{ id: "b" }, { id: "c" }] });
});

test("never holds the bytes of a long list in memory as a whole", async () => {
  let [before, most] = [0, 0];
  const blank = Buffer.alloc(64 * 1024, " ");
  function* pieces() {
    before = process.memoryUsage().rss;
    yield Buffer.from('{"cards":[');
    for (let at = 0; at < 200; at++) {
      yield Buffer.from(`${at === 0 ? "" : ","}{"id":"c${at}"`);
      for (let part = 0; part < 16; part++) yield blank;
      yield Buffer.from("}");
      most = Math.max(most, process.memoryUsage().rss);
    }
    yield Buffer.from("]}");
  }
  const { cards } = (await due(pieces(), "cards")) as { cards: unknown[] };
  expect(cards).toHaveLength(200);
  expect((most - before) / 1024 / 1024).toBeLessThan(100);
});

test("has a limit of its own", async () => {
  function* endless() {
    yield Buffer.from('{"cards":[{"id":"a","content":"');
    for (;;) yield Buffer.alloc(1024 * 1024, "x");
  }
  await expect(due(endless(), "cards")).rejects.toThrow("the answer is larger than");
});

test("reads a list in transit whole, refuses more than 64 MiB and names the codec in which it may be longer", async () => {
  const short = cut('{"~:cards":[{"~:id":"~:a"},{"~:id":"~:b"}]}', 5);
  expect(await due(short, "cards", "transit")).toEqual({ cards: [{ id: "a" }, { id: "b" }] });
  let sent = 0;
  function* endless() {
    yield Buffer.from('{"~:cards":[{"~:id":"~:a","~:content":"');
    for (; ; sent++) yield Buffer.alloc(1024 * 1024, "x");
  }
  await expect(due(endless(), "cards", "transit")).rejects.toMatchObject({
    message: "the answer is larger than 64 MiB",
    hint: "With --codec json the list may be longer.",
  });
  expect(sent).toBeLessThan(80);
});

test("gives the slot back where the operation answers no list", async () => {
  let held = 0;
  const release = () => {
    held = 0;
  };
  const throttle = {
    async acquire() {
      held++;
      return { release };
    },
  };
  const body = Readable.from(["{}"]);
  const http = httpOver(
    { send: async () => ({ status: 200, headers: {}, body }), close: async () => {} },
    { throttle },
  );
  const longList = { key: "cards", maxBytes: 1024 };
  const params = { "card-id": "c1" };
  await expect(http.call(operations["cards.delete"], { params, longList })).rejects.toThrow(
    "answers no list",
  );
  expect(held).toBe(0);
});
