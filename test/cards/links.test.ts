import { expect, it } from "vitest";
import { lacksFile } from "../../src/cards/links.ts";

it("a file is missing only where the attachments are keyed by names of files, in whichever form of Unicode", () => {
  const lacks = (attachments: unknown, file: string) => lacksFile({ attachments }, file);
  expect(lacks({}, "a.png")).toBe(true);
  expect(lacks({ "b.png": {} }, "a.png")).toBe(true);
  expect(lacks({ "a.png": {} }, "a.png")).toBe(false);
  expect(lacks({ "fu\u0308.png": {} }, "fu\u0308.png")).toBe(false);
  expect(lacks({ "f\u00fc.png": {} }, "fu\u0308.png")).toBe(false);
  expect(lacks({ x7Rw2kQp: { "file-name": "a.png" } }, "a.png")).toBe(false);
  for (const unknown of [undefined, null, [], ["a.png"], "a.png"])
    expect(lacks(unknown, "a.png")).toBe(false);
});
