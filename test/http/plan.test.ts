import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/errors.ts";
import { plan } from "../../src/http/index.ts";
import { rawTarget } from "../../src/http/request.ts";
import { operations } from "../../src/schema/index.ts";

const remove = operations["attachments.remove"];
const pathOf = (card: string, file: string) =>
  plan(remove, { params: { "card-id": card, "file-name": file } }).path;

describe("a plan", () => {
  it("shows what would be sent", () => {
    const body = { name: "Spanish" };
    expect(plan(operations["decks.update"], { params: { "deck-id": "d1" }, body })).toEqual({
      method: "POST",
      path: "/decks/d1",
      query: "",
      body,
    });
    const query = { "deck-id": "a b&c", limit: 5, bookmark: undefined };
    expect(plan(operations["cards.list"], { query }).query).toBe("deck-id=a%20b%26c&limit=5");
  });

  it("names the file of an upload instead of its bytes", () => {
    const upload = {
      fileName: "a.png",
      source: () => Promise.reject(new Error("not opened")),
    };
    const params = { "card-id": "c1", "file-name": "a.png" };
    expect(plan(operations["attachments.add"], { params, upload }).body).toEqual({ file: "a.png" });
  });
});

describe("a path", () => {
  it("percent-encodes every part of it", () => {
    expect(pathOf("a/b", "ä ?#%+;.png")).toBe("/cards/a%2Fb/attachments/%C3%A4%20%3F%23%25%2B%3B.png");
  });

  it("names files in NFC", () => {
    expect(pathOf("c", "a\u0308.png")).toBe(pathOf("c", "\u00e4.png"));
  });

  it("refuses what would lead elsewhere", () => {
    for (const bad of ["", ".", "..", "a\nb", "a\u0000", "\u007f", "\u0085", "\ud800"]) {
      expect(() => pathOf("c", bad)).toThrow(UsageError);
      expect(() => pathOf(bad, "f")).toThrow(UsageError);
    }
    expect(() => plan(remove, { params: { "card-id": "c" } })).toThrow("the file name is empty");
    expect(pathOf("...", "..a")).toBe("/cards/.../attachments/..a");
  });

  it("always has the parts that were given", () => {
    const characters = fc.constantFrom(..."ab.%/?#\\ ä🃏\u0308\n\ud800");
    const text = fc.array(characters, { maxLength: 8 }).map((list) => list.join(""));
    fc.assert(
      fc.property(text, text, (card, file) => {
        let path: string;
        try {
          path = pathOf(card, file);
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
          return;
        }
        const normal = new URL(path, "http://x").pathname.split("/");
        const parts = ["", "cards", card, "attachments", file.normalize("NFC")];
        expect(normal.map(decodeURIComponent)).toEqual(parts);
      }),
    );
  });
});

describe("the path of a raw request", () => {
  it("is sent as it is, except that characters a URL cannot contain are encoded", () => {
    expect(rawTarget("/cards", [])).toEqual({ path: "/cards", query: "" });
    expect(rawTarget("/cards/", []).path).toBe("/cards/");
    expect(rawTarget("/a%20b/ä b", []).path).toBe("/a%20b/%C3%A4%20b");
    expect(rawTarget("/a%2Fb/%41", []).path).toBe("/a%2Fb/%41");
  });

  it("may carry a query, which comes before the pairs", () => {
    expect(rawTarget("/cards?limit=5&x=a b", [["deck-id", "ä&="]])).toEqual({
      path: "/cards",
      query: "limit=5&x=a%20b&deck-id=%C3%A4%26%3D",
    });
    expect(rawTarget("/cards?", [["a", ""]]).query).toBe("a=");
  });

  it("cannot leave the base URL", () => {
    const bad = [
      "",
      "cards",
      "//evil.example/cards",
      "https://evil.example/cards",
      "/..",
      "/cards/../..",
      "/cards/%2e%2E/x",
      "/./x",
      "/\\evil.example",
      "/cards#x",
      "/cards\nx",
      "/cards%0d%0ax",
      "/cards?a\r\nb",
      "/%",
    ];
    for (const path of bad) expect(() => rawTarget(path, []), JSON.stringify(path)).toThrow(UsageError);
  });
});
