import { expect, test } from "vitest";
import { contentTypeOf, playerOf } from "../../src/cards/content-type.ts";

test("every program plays the same endings: a review, the page, and Anki after an export", () => {
  for (const name of ["a.mp3", "b.AAC", "c.weba", "d.opus"]) expect(playerOf(name), name).toBe("audio");
  for (const name of ["a.mp4", "b.m4v", "c.ogv", "d.webm"]) expect(playerOf(name), name).toBe("video");
  for (const name of ["a.png", "b", "mp3", ".aac.txt"]) expect(playerOf(name), name).toBe(undefined);
});

test("a file of another kind, whatever it is called, is bytes", () => {
  for (const name of ["a.xyz", "a.constructor", ""])
    expect(contentTypeOf(name)).toBe("application/octet-stream");
});
