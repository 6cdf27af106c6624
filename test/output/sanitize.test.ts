import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonText, visible } from "../../src/output/sanitize.ts";

const control = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

test("shows C0 and DEL as control pictures", () => {
  expect(visible("\x1b[31mred\x1b[0m\x07\x00\x7f")).toBe("␛[31mred␛[0m␇␀␡");
});

test("shows C1 and bidirectional controls by their code point", () => {
  expect(visible("a\x9b31mb\u202ec\u2066\u061c")).toBe("a<U+009B>31mb<U+202E>c<U+2066><U+061C>");
});

test("keeps direction marks in Hebrew and Arabic text, and nothing that reorders other text", () => {
  const text = "שלום\u200f! \u200e(abc) مرحبا\u061c.";
  expect(visible(text)).toBe(text);
  expect(visible("12\u200f34")).toBe("12<U+200F>34");
  expect(visible("שלום\u202e abc\u2067")).toBe("שלום<U+202E> abc<U+2067>");
});

test("keeps newlines, tabs, joiners and everything printable", () => {
  const text = "a\tb\nç 日本 👩‍👩‍👧 نیم‌فاصله";
  expect(visible(text)).toBe(text);
});

test("takes CRLF as a newline and shows a lone carriage return", () => {
  expect(visible("a\r\nb\rc")).toBe("a\nb␍c");
});

test("lets no control character through, whatever the text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(visible(text).replace(/[\u061c\u200e\u200f]/g, "")).not.toMatch(control);
      expect(visible(visible(text))).toBe(visible(text));
    }),
  );
});

test("writes JSON whose controls are all escaped and which reads back the same", () => {
  expect(jsonText({ a: "\x7f\x9b\u202e\x1b" })).toBe(String.raw`{"a":"\u007f\u009b\u202e\u001b"}`);
  expect(jsonText([1], 2)).toBe("[\n  1\n]");
  expect(jsonText(undefined)).toBe("null");
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      const text = jsonText(value);
      expect(text).not.toMatch(control);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
