import { describe, expect, it } from "vitest";
import { CodecError, codecNameOf, decodeUtf8 } from "../../src/codecs/index.ts";

describe("bytes", () => {
  it("are read as UTF-8, with or without a byte order mark", () => {
    const bytes = new TextEncoder().encode("日本語 😀 é");
    expect(decodeUtf8(bytes)).toBe("日本語 😀 é");
    expect(decodeUtf8(Uint8Array.from([0xef, 0xbb, 0xbf, ...bytes]))).toBe("日本語 😀 é");
    expect(decodeUtf8(new Uint8Array())).toBe("");
    expect(decodeUtf8(bytes.subarray(0, 3))).toBe("日");
  });

  it("keep a byte order mark that is text", () => {
    expect(decodeUtf8(new TextEncoder().encode("\ufeff\ufeffa\ufeff"))).toBe("\ufeffa\ufeff");
  });

  it("are refused if they are not UTF-8", () => {
    for (const bytes of [[0xff], [0xc3], [0xe6, 0x97], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0x61, 0x80]])
      expect(() => decodeUtf8(Uint8Array.from(bytes))).toThrow(CodecError);
  });
});

describe("a content type", () => {
  it("names its codec whatever its case and parameters", () => {
    expect(codecNameOf("application/json")).toBe("json");
    expect(codecNameOf("Application/JSON; charset=utf-8")).toBe("json");
    expect(codecNameOf("application/transit+json")).toBe("transit");
    expect(codecNameOf(' application/transit+json ;charset="utf-8"')).toBe("transit");
  });

  it("names none if it is something else", () => {
    for (const type of [
      undefined,
      "",
      "text/html",
      "text/plain; x=application/json",
      "application/jsonx",
      "json",
    ])
      expect(codecNameOf(type)).toBeUndefined();
  });
});
