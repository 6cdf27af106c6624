import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lineOf } from "../../src/files/append-log.ts";
import { Base } from "../../src/sync/base.ts";
import type { CardLine } from "../../src/sync/base-card.ts";
import { BaseCards } from "../../src/sync/base-cards.ts";
import { hashOfDoc } from "../../src/sync/doc.ts";
import type { CardDoc } from "../../src/sync/types.ts";
import { temporaryFolder } from "../support/folder.ts";
import { seededRandom } from "../support/random.ts";

const docOf = (content: string): CardDoc => ({
  content,
  deck: "d",
  template: null,
  pos: null,
  tags: [],
  archived: false,
  reverse: false,
  fields: {},
});

test("the cards of a base are found by their ids, paths and files, as in a map of all of them", () => {
  const random = seededRandom(11);
  const below = (most: number) => Math.floor(random() * most);
  const lines: CardLine[] = [];
  const cards = new BaseCards((offset) => lines[offset / 10] as CardLine);
  const model = new Map<string, CardLine>();
  for (let step = 0; step < 4000; step++) {
    const id = `c${below(400)}`;
    if (below(4) === 0) {
      cards.delete(id);
      model.delete(id);
      continue;
    }
    const doc = docOf(`text ${below(3)}`);
    const [mtime, size, deck] = [1e12 + below(2), below(2), ["d", "e", null][below(3)] ?? null];
    // Some are recorded too soon after their files were written.
    const card = {
      id,
      path: `A/${below(2000)}.md`,
      hash: `${step}`,
      mtime,
      size,
      deck,
      at: mtime + below(3) * 1000,
    };
    const line = { card, doc, docHash: hashOfDoc(doc) };
    if (below(20) === 0) cards.set(card, line.docHash, line);
    else cards.set(card, line.docHash, 10 * (lines.push(line) - 1));
    model.set(id, line);
  }
  expect(cards.size).toBe(model.size);
  expect([...cards.values()].map(({ id }) => id).sort()).toEqual([...model.keys()].sort());
  for (let number = 0; number < 400; number++) {
    const [id, line] = [`c${number}`, model.get(`c${number}`)];
    expect(cards.has(id)).toBe(line !== undefined);
    expect(cards.get(id)?.hash).toBe(line?.card.hash);
    expect(cards.get(id)?.doc.read()).toEqual(line?.doc);
    for (const text of ["text 0", "text 1", "text 2"])
      expect(cards.agreedNumber(id, hashOfDoc(docOf(text)))).toBe(
        line?.doc.content === text ? cards.numberOf(id) : undefined,
      );
  }
  for (let number = 0; number < 2000; number++) {
    const path = `A/${number}.md`;
    const there = [...model.values()].map(({ card }) => card).filter((card) => card.path === path);
    expect(there.map(({ id }) => id).concat(there.length === 0 ? ["none"] : [])).toContain(
      cards.at(path)?.id ?? "none",
    );
    for (const deck of ["d", "e", null, "f"])
      for (const [mtime, size] of [
        [1e12, 0],
        [1e12, 1],
        [1e12 + 1, 0],
        [1e12 + 1, 1],
      ] as const) {
        const same = there.filter(
          (card) =>
            card.mtime === mtime && card.size === size && card.deck === deck && card.at > mtime + 1000,
        );
        const found = cards.unchangedNumber(path, { mtime, size }, deck);
        expect(found).toBe(there.length === 1 && same[0] ? cards.numberOf(same[0].id) : undefined);
      }
  }
});

test("a card of the base stays as it was when it was retrieved", () => {
  const lines: CardLine[] = [];
  const cards = new BaseCards((offset) => lines[offset] as CardLine);
  const put = (text: string) => {
    const doc = docOf(text);
    const card = { id: "c", path: "a.md", hash: text, mtime: 1, size: 1, at: 1, deck: "d" };
    cards.set(card, hashOfDoc(doc), lines.push({ card, doc, docHash: hashOfDoc(doc) }) - 1);
  };
  put("one");
  const before = cards.get("c");
  put("two");
  expect(before?.doc.read().content).toBe("one");
  expect(cards.get("c")?.doc.read().content).toBe("two");
});

test("a line of a card without what is needed is left out of the base", () => {
  const path = join(temporaryFolder(), "base.ndjson");
  const card = { id: "c", path: "a.md" };
  writeFileSync(
    path,
    [{ card }, { card: { id: 1 }, docHash: "x" }, { card, docHash: "x" }].map(lineOf).join(""),
  );
  const base = Base.open(path, "show");
  expect([...base.cards.values()].map(({ id }) => id)).toEqual(["c"]);
  base.close();
});
