import { describe, expect, it } from "vitest";
import { CodecError, loadCodec } from "../../src/codecs/index.ts";
import { vectorKinds, wireErrors, wireVectors } from "../support/vectors.ts";

/** Null-prototype maps compare by what they hold; the order of keys is compared, too. */
const text = (value: unknown) => JSON.stringify(value);

describe("the wire vectors", () => {
  for (const vector of wireVectors()) {
    const kind = vectorKinds[vector.schema];
    if (vector.kind === "encode")
      it(`writes ${vector.name}`, async () => {
        const codec = await loadCodec(vector.codec);
        expect(codec.encode(kind, vector.domain)).toBe(vector.wire);
      });
    else
      it(`reads ${vector.name}`, async () => {
        const codec = await loadCodec(vector.codec);
        expect(text(codec.decode(kind, vector.wire))).toBe(text(vector.domain));
      });
    if (vector.name.endsWith("/verbose"))
      it(`writes what was read from ${vector.name} as it was`, async () => {
        const codec = await loadCodec("transit");
        expect(codec.encode(kind, codec.decode(kind, vector.wire))).toBe(vector.wire);
      });
    it(`carries ${vector.name} to and fro in both codecs`, async () => {
      for (const codec of [await loadCodec("json"), await loadCodec("transit")]) {
        const back = codec.decode(kind, codec.encode(kind, vector.domain));
        const expected = text(vector.domain).replace(
          '"manual-tags"',
          codec.name === "transit" ? '"tags"' : '"manual-tags"',
        );
        expect(text(back)).toBe(expected);
      }
    });
  }

  for (const vector of wireErrors())
    it(`refuses ${vector.name}: ${vector.why}`, async () => {
      const codec = await loadCodec(vector.codec);
      expect(() => codec.decode(vectorKinds[vector.schema], vector.wire)).toThrow(CodecError);
    });
});
