import { describe, expect, it } from "vitest";
import { makeCards, reviewHome } from "../support/review.ts";

const esc = "\u001b";

/** Content that tries to break the screen, and what of it has to be seen. */
const hostile: Record<string, { content: string; shows?: string | RegExp }> = {
  "escape sequences": {
    content: `before ${esc}[2J${esc}[31m${esc}]0;owned${String.fromCharCode(7)}${esc}[?1049l${esc}c after\n\n\u009b31m \u0007 \r gone \u0008\u0008 \u007f`,
    shows: /before ␛\[2J/,
  },
  "escape sequences in links, code and tables": {
    content: `[a${esc}[2J](https://example.org/${esc}]8;;evil) \`b${esc}[2J\`\n\n| c${esc}[2J | d |\n|---|---|\n| ${esc}[5m | e |\n\n\`\`\`${esc}[2J\n${esc}[2J\n\`\`\``,
    shows: "␛[2J",
  },
  "a megabyte in one word": { content: "x".repeat(1_000_000), shows: "xxxx" },
  "a megabyte of lines": { content: "line of text\n\n".repeat(75_000), shows: "line of text" },
  "a megabyte of emphasis marks": { content: "*_".repeat(500_000), shows: "*" },
  "a megabyte of brackets": { content: "[".repeat(1_000_000), shows: "[" },
  "deeply nested quotes": { content: `${">".repeat(5000)} deep`, shows: /│|>/ },
  "deeply nested lists": {
    content: Array.from({ length: 200 }, (_, i) => `${"  ".repeat(i)}- level ${i}`).join("\n"),
    shows: "level 0",
  },
  "deeply nested emphasis": { content: `${"**a ".repeat(2000)}${"b** ".repeat(2000)}`, shows: "a" },
  "right-to-left text and controls": {
    content: "עברית \u202e reversed \u202c and العربية \u2066isolated\u2069",
    shows: "<U+202E>",
  },
  "emoji with joiners": { content: "👩‍👩‍👧‍👦 👨🏽‍🚀 🏳️‍🌈 🇳🇴 e\u0301\u0302\u0303 family", shows: "family" },
  "combining marks without end": { content: `a${"\u0301".repeat(20_000)} end`, shows: "a" },
  "wide characters": {
    content: `${"漢字かな交じり文".repeat(200)}\n\n| 漢字 | かな |\n|---|---|\n| 国 | くに |`,
    shows: "漢字",
  },
  "a wide table": {
    content: `|${" column |".repeat(60)}\n|${"---|".repeat(60)}\n|${" value |".repeat(60)}`,
    shows: "col",
  },
  "cloze deletions without end": { content: `{{${"1::{{".repeat(500)}x`, shows: "{{" },
  "NUL and what is no character": { content: "a\u0000b \ufffe \uffff \ufdd0 d", shows: /a␀b/ },
};

const cards = Object.entries(hostile);

/** Everything that the terminal was sent, without the sequences that the screen itself uses. */
function leftovers(raw: string): string[] {
  const own =
    /\u001b\[(?:\?(?:1049|7|2004|25|2026)[hl]|\d+;\d+H|H|2J|K|[\d;]*m)|\u001b\]8;;[\x21-\x7e]*\u001b\\/g;
  return (
    raw
      .replace(own, "")
      .match(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g) ?? []
  );
}

describe("hostile cards", () => {
  // A session for each megabyte, and one for all others, which takes one card after the other.
  const isLarge = ([, { content }]: (typeof cards)[number]) => content.length > 500_000;
  const sessions = [...cards.filter(isLarge).map((card) => [card]), cards.filter((card) => !isLarge(card))];

  it.each(sessions.map((each) => [each.length === 1 ? each[0]?.[0] : "all others in turn", each] as const))(
    "neither break the screen nor hang it: %s",
    async (_names, asked) => {
      const home = reviewHome();
      const contents = asked.map(([, { content }]) => `${content}\n---\nback of it`);
      await home.collection((client) => makeCards(client, [...contents, "the next card"]));
      const pty = home.review([], { env: { FORCE_HYPERLINK: "1" } });
      const heading = new RegExp(`^Geography .* 1 of ${contents.length + 1}`);
      for (const [index, [name, { shows }]] of asked.entries()) {
        await pty.until(/space (?:reveal|page down)/, 30_000);
        if (shows !== undefined) await pty.until(shows);
        expect(pty.alternate(), name).toBe(true);
        expect(pty.screen()[0], name).toMatch(heading);
        expect(pty.screen().at(-1), name).toMatch(/space (?:reveal|page down)/);
        for (const key of ["G", "g", "\u001b[6~", "i", "j", "x", "k"]) {
          const before = performance.now();
          const written = pty.raw().length;
          pty.press(key);
          await Promise.race([pty.drawn(written), new Promise((done) => setTimeout(done, 60))]);
          await pty.until((text) => heading.test(text));
          expect(performance.now() - before, name).toBeLessThan(5000);
        }
        pty.press(" ");
        await pty.until(/2 remembered/);
        pty.press("G");
        await pty.until("back of it");
        expect(pty.screen()[0], name).toMatch(heading);
        pty.press("s");
        await pty.until((text) => !text.includes("back of it"));
        if (index === asked.length - 1) await pty.until("the next card");
        expect(pty.screen()[0], name).toMatch(heading);
      }
      pty.press("q");
      expect((await pty.ended).code).toBe(0);
      expect(leftovers(pty.raw())).toEqual([]);
    },
    60_000,
  );

  it("shows two hundred sides one after the other", async () => {
    const home = reviewHome();
    const sides = Array.from({ length: 200 }, (_, i) => `side ${i + 1}.`).join("\n---\n");
    await home.collection((client) => makeCards(client, [sides]));
    const pty = home.review();
    await pty.until("side 1.");
    for (let i = 2; i <= 200; i++) {
      pty.press(" ");
      await pty.until(`side ${i}.`);
    }
    await pty.until("2 remembered");
    pty.press("g");
    await pty.until("side 1.");
    pty.press("q");
    await pty.ended;
  });

  it("keeps names of decks and tags from driving the terminal", async () => {
    const home = reviewHome();
    await home.collection((client) =>
      makeCards(
        client,
        [{ content: "a card", "manual-tags": [`t${esc}[2J`, "\u009b31m\u202e\nend"] }],
        `deck ${esc}[2J\u202e\nnext`,
      ),
    );
    const pty = home.review();
    await pty.until("deck ␛[2J<U+202E> next");
    pty.press("i");
    await pty.until("t␛[2J");
    pty.press("q");
    pty.press("t");
    await pty.until("Tags, separated by commas: t␛[2J, <U+009B>31m<U+202E> end");
    pty.press("\u0003");
    await pty.ended;
    expect(leftovers(pty.raw())).toEqual([]);
  });
});
