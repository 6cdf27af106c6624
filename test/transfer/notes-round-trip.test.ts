import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { splitSides } from "../../src/cards/index.ts";
import { temporaryFolder } from "../support/service.ts";
import { emptyAccount, exportFile, readAll } from "./support.ts";

type Piece = (typeof pieces)[number];

const pieces = [
  ...(["word", "numbered", "bare", "nested", "formula", "code", "dashes", "middle", "brackets"] as const),
  ...(["pair", "heading", "list", "link", "labels"] as const),
] as const;
const piece = fc.constantFrom(...pieces);
const side = fc.array(fc.tuple(piece, fc.constantFrom("\n", "\n\n")), { minLength: 1, maxLength: 4 });
const card = fc.record({ front: side, back: fc.oneof(fc.constant(undefined), fc.constant([]), side) });

/** Words of which no two are equal, so that each is found again in the card that had it. */
class Words {
  readonly #card: number;
  readonly all: string[] = [];
  readonly deleted: string[] = [];

  constructor(card: number) {
    this.#card = card;
  }

  next(): string {
    const word = `w${this.#card}x${this.all.length}y`;
    this.all.push(word);
    return word;
  }

  delete(): string {
    const word = this.next();
    this.deleted.push(word);
    return word;
  }
}

function textOf(kind: Piece, words: Words): string {
  const next = () => words.next();
  const texts: Record<Piece, () => string> = {
    word: next,
    numbered: () => `${next()} {{2::${words.delete()}}} ${next()} {{1::${words.delete()}}}`,
    bare: () => `${next()} {{${words.delete()}}}`,
    nested: () => `${next()} {{1::${words.delete()} {{2::${words.delete()}}} ${words.delete()}}}`,
    formula: () => `{{1::$\\frac{${words.delete()}}{b}$}} ${next()}`,
    code: () => `\`\`\`py\n${next()}::${next()}\nQ: ${next()}\n\nC: [${next()}]\n\`\`\``,
    dashes: () => `~~~\n---\n${next()}\n---\n~~~`,
    middle: () => `${next()}\n?\n${next()}`,
    brackets: () => `${next()} [${next()}] \\[${next()}\\]`,
    pair: () => `${next()}::${next()}`,
    heading: () => `## ${next()}`,
    list: () => `- ${next()}\n- ${next()}`,
    link: () => `[[${next()}|${next()}]] [${next()}](https://a.b/${next()})`,
    labels: () => `Q: ${next()}\nA: ${next()}\nC: ${next()}`,
  };
  return texts[kind]();
}

describe("cards that go out as notes and come back", () => {
  test.each(["obsidian", "hashcards"] as const)(
    "as %s have all their words, and no answer in a question",
    async (format) => {
      const client = await emptyAccount();
      const { id } = await client.decks.create({ name: "Deck" }).send();
      const given = fc.sample(card, { numRuns: 120, seed: 11 }).map(({ front, back }, index) => {
        const words = new Words(index);
        const write = (list: readonly (typeof front)[number][]) =>
          list.map(([kind, end]) => `${textOf(kind, words)}${end}`).join("");
        const question = write(front).trimEnd();
        const asked = [...words.deleted];
        const answer = back === undefined ? "" : `\n---\n${write(back)}`;
        return { content: `${question}${answer}`, words: words.all, asked, hasBack: (back ?? []).length > 0 };
      });
      for (const { content } of given) await client.cards.create({ content, "deck-id": id }).send();
      const out = join(temporaryFolder(), "out");
      await exportFile(client, out, format);
      const read = (await readAll(out)).cards.map(({ body }) => body.content ?? "");
      const wordsIn = (text: string) => [...new Set(text.match(/w\d+x\d+y/g))].toSorted();
      const kept = given.filter(({ asked, hasBack }) => hasBack || asked.length > 0);
      expect(read.map((content) => wordsIn(content)).toSorted()).toEqual(
        kept.map(({ words }) => words.toSorted()).toSorted(),
      );
      for (const { content, words, asked, hasBack } of kept) {
        const back = read.find((each) => each.includes(words[0] ?? "")) ?? "";
        const shown = hasBack ? (splitSides(back)[0] ?? "") : back.replace(/\{\{\d+::.*?\}\}(?!\$)/g, "");
        for (const word of asked) expect(shown, `${content}\n\n=>\n\n${back}`).not.toContain(word);
      }
    },
  );
});
