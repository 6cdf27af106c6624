import fc from "fast-check";
import { expect, test } from "vitest";
import { contentFacts, inlineTags } from "../../src/cards/index.ts";

const plainName = async (content: string) => (await contentFacts(content)).name;
const references = async (content: string) => (await contentFacts(content)).references;

test("finds inline tags, each once", async () => {
  expect(await inlineTags("#geo What? #europe/west\n---\n(#geo) #日本 #v2 #emoji🎉 #trailing-.")).toEqual([
    "geo",
    "europe/west",
    "日本",
    "v2",
    "emoji🎉",
    "trailing",
  ]);
  expect(
    await inlineTags("**#bold** {{#cloze}} ==#mark== - #item\n\n> #quote\n\n| #cell |\n|---|\n| x |"),
  ).toEqual(["bold", "cloze", "mark", "item", "quote", "cell"]);
});

test("takes no tag from headings, code, URLs, link texts, LaTeX, entities or numbers", async () => {
  const content = [
    "# heading",
    "## another ##",
    "`#code` ``a ` #code``",
    "https://example.com/#anchor www.example.com/#x <https://a.b/#c>",
    "[a #text](#target)",
    "$#a$ &#39; #1 a#b ##c \\#escaped",
    '<a href="#html">x</a>',
    "",
    "```\n#fenced\n```",
    "",
    "    #indented",
  ].join("\n");
  expect(await inlineTags(content)).toEqual([]);
});

test("finds the ids of references, embeds and older references", async () => {
  const content =
    "[[x7Rw2kQp]] [[The Title|abc-1]] ![[emb]] ![[sided/1]] @[old](https://app.example/cards/oldId) [[x7Rw2kQp]]";
  expect(await references(content)).toEqual(["x7Rw2kQp", "abc-1", "emb", "sided", "oldId"]);
  expect(await references("`[[no]]` [[A name]] \\[[no2]] [[a]](url) [[]]")).toEqual([]);
});

test("names a card by its first line without markdown", async () => {
  expect(await plainName("\n\n# The **capital** of [France](https://x.y)?\n---\nParis")).toBe(
    "The capital of France?",
  );
  expect(await plainName("- [ ] do `it` ==now==")).toBe("do it now");
  expect(await plainName("> {{1::Shiba}} \\*x\\* &amp; y")).toBe("Shiba *x* & y");
  expect(await plainName("---\n\n----\nA")).toBe("A");
  expect(await plainName("```js\nlet a = 1;\n```")).toBe("let a = 1;");
  expect(await plainName("![](@media/x.png)\nA caption")).toBe("A caption");
  expect(await plainName("![A map](@media/x.png)")).toBe("A map");
  expect(await plainName("<b>bold</b>")).toBe("bold");
  expect(await plainName("one<br>two")).toBe("one");
  expect(await plainName("| a | *b* |\n|---|---|\n| 1 | 2 |")).toBe("a | b");
  expect(await plainName("  Hello   there ")).toBe("Hello there");
  expect(await plainName(" \n\t\n")).toBeNull();
  expect(await plainName("")).toBeNull();
});

test("cuts a name at 120 characters, never within one", async () => {
  expect(await plainName("a".repeat(500))).toBe("a".repeat(120));
  expect(await plainName("😀".repeat(130))).toBe("😀".repeat(120));
});

test("gives all facts at once, the same as one by one", async () => {
  await fc.assert(
    fc.asyncProperty(cardText, async (content) => {
      const facts = await contentFacts(content);
      expect(facts.tags).toEqual(await inlineTags(content));
      expect(facts.references).toEqual(await references(content));
      expect(facts.name).toBe(await plainName(content));
      expect(new Set(facts.tags).size).toBe(facts.tags.length);
      for (const tag of facts.tags) expect(await inlineTags(`#${tag}`)).toEqual([tag]);
      for (const id of facts.references) expect(await references(`[[${id}]]`)).toEqual([id]);
      expect([...(facts.name ?? "")].length).toBeLessThanOrEqual(120);
    }),
    { numRuns: 300 },
  );
});

const cardText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "#tag",
        "#a/b",
        "[[",
        "]]",
        "![[x/1]]",
        "@[t](u)",
        "`",
        "{{",
        "}}",
        "==",
        "$",
        "\n",
        " ",
        "# ",
        "---",
      ),
      fc.constantFrom("```", "\\", "&", "<", ">", "*", "_", "|", "- ", "https://a.b/#c"),
      fc.string({ unit: "grapheme", maxLength: 6 }),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(""));
