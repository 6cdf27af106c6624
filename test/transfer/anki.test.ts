import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync, zipSync } from "fflate";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { fillSides } from "../../src/cards/template.ts";
import { loadSqlite } from "../../src/sqlite.ts";
import { convertClozes } from "../../src/transfer/formats/anki/cloze.ts";
import { HtmlConverter } from "../../src/transfer/formats/anki/html.ts";
import { convertTemplate } from "../../src/transfer/formats/anki/template.ts";
import { temporaryFolder } from "../support/service.ts";
import { ankiPackage } from "./anki-package.ts";
import { emptyAccount, importFile, readAll, wholeAccount } from "./support.ts";

const fixture = (name: string) => `test/fixtures/apkg/${name}.apkg`;

describe("a package of Anki", () => {
  test("of the exporter anki-apkg-export becomes decks, a template, cards and attachments", async () => {
    const { source, cards, skipped } = await readAll(fixture("anki-apkg-export"));
    expect(source.decks.map(({ body }) => body.name)).toEqual(["Geography", "Capitals"]);
    expect(source.templates.map(({ body }) => body.content)).toEqual(["<< Front >>\n---\n<< Back >>"]);
    expect(cards.map(({ body }) => Object.values(body.fields ?? {}).map(({ value }) => value))).toEqual([
      ["Capital of **France**?", "Paris  \non the *Seine*"],
      ["Whose flag? ![](@media/flag%20%C3%A9.png)", "Nowhere\n\nat all"],
      ["x < y && a\\_b \\* c", "-   one\n-   two"],
    ]);
    expect(cards[0]?.body["manual-tags"]).toEqual(["europe", "capital_cities"]);
    expect(cards[1]?.attachments?.map(({ fileName }) => fileName)).toEqual(["flag é.png"]);
    expect(skipped).toEqual([]);
  });

  test("is not reported as damaged if the temporary folder cannot be written", async () => {
    const folder = join(temporaryFolder(), "missing");
    vi.stubEnv("TMPDIR", folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(readAll(fixture("mkanki"))).rejects.toMatchObject({
      code: "not-configured",
      message: `could not write to ${folder}: there is no such file or folder`,
    });
  });

  test("of the exporter mkanki keeps conditionals, both card templates, and cloze deletions in one card", async () => {
    const { source, cards, skipped } = await readAll(fixture("mkanki"));
    expect(source.templates.map(({ body }) => [body.name, body.content])).toEqual([
      [
        "Basic (and reversed card): Forward",
        "## << Front >>\n\n<< #Hint >><< #Hint >><details><summary>Hint</summary><< Hint >></details><< /Hint >><< /Hint >><< ^Hint >>no hint<< /Hint >>\n---\n<< Back >>",
      ],
      ["Basic (and reversed card): Backward", "<< Back >>\n---\n<< Front >>"],
      ["Cloze", "<< Text >>\n---\n<< Extra >>"],
    ]);
    expect(cards).toHaveLength(5);
    expect(cards[4]?.body.fields?.["name"]?.value).toBe("{{1::Paris}} (city) is in {{2::France}}");
    expect(skipped.map(({ what }) => what)).toEqual(["scripts in templates", "further cards of cloze notes"]);
  });

  test("of the current format, compressed by Zstandard, is imported with media and history", async () => {
    const client = await emptyAccount();
    const { summary, failures, skipped } = await importFile(client, fixture("modern"));
    expect(failures).toEqual([]);
    expect(summary).toMatchObject({ decks: 2, templates: 3, cards: 4, attachments: 4, reviews: 2 });
    const { decks, cards, files } = await wholeAccount(client);
    const chemistry = decks.find(({ name }) => name === "Chemistry");
    expect(decks.find(({ id }) => id === chemistry?.["parent-id"])?.name).toBe("Sciences");
    const [forward, backward, cloze] = cards.filter((card) => card["deck-id"] === chemistry?.id);
    expect(forward).toMatchObject({
      tags: ["chemistry", "elements"],
      fields: {
        name: { value: "Symbol of **sodium**? ![](@media/sodium.png)" },
        back: { value: "Na ![](@media/na.mp3)" },
      },
      reviews: [
        { date: "2023-11-03T08:26:40.000Z", "remembered?": true, duration: 4.2 },
        { "remembered?": false, duration: 9, due: new Date(2023, 10, 13, 12).toISOString() },
      ],
    });
    expect(backward).toMatchObject({ "archived?": true, reviews: [] });
    expect(cloze?.fields?.["name"]?.value).toBe("Water is {{1::H₂O}}, salt is {{2::$NaCl$}} (formula)");
    expect(files.find(({ name, card }) => name === "na.mp3" && card === forward?.id)).toMatchObject({
      type: "audio/mpeg",
      bytes: Buffer.from("sound ".repeat(1000)).toString("base64"),
    });
    expect(skipped.map(({ what, place }) => [what, place])).toContainEqual([
      "scripts",
      expect.stringMatching(/^modern\.apkg, note 1700000001006 \(".+"\)$/),
    ]);
  });
});

/** A package with its database changed, as a file of its own. */
async function changed(fixtureName: string, sql: string): Promise<string> {
  const entries = unzipSync(readFileSync(fixture(fixtureName)));
  const folder = temporaryFolder();
  const file = join(folder, "collection");
  writeFileSync(file, entries["collection.anki2"] ?? "");
  const database = new (loadSqlite())(file);
  database.exec(sql);
  database.close();
  const target = join(folder, "changed.apkg");
  writeFileSync(target, zipSync({ ...entries, "collection.anki2": readFileSync(file) }));
  return target;
}

describe("decks, notes and cards of Anki that have no counterpart", () => {
  const decks = ({ source }: Awaited<ReturnType<typeof readAll>>) =>
    source.decks.map(({ body }) => body.name).sort();

  test("empty decks are imported, except the default deck and filtered decks", async () => {
    const path = await changed(
      "mkanki",
      `update col set decks = json_set(decks, '$."1"', json('{"name":"Default"}'),
         '$."7"', json('{"name":"Empty::Below"}'), '$."8"', json('{"name":"Collected","dyn":1}'))`,
    );
    expect(decks(await readAll(path))).toEqual(["Below", "Empty", "Languages", "Spanish"]);
    const modern = ankiPackage({
      noteTypes: [],
      notes: [],
      sql: `insert into decks values (20, 'Empty' || char(31) || 'Below', 0, 0, x'', x'0a00'),
         (21, 'Collected', 0, 0, x'', x'1200'), (22, 'Odd', 0, 0, x'', 'no bytes')`,
    });
    const read = await readAll(modern);
    expect(decks(read)).toEqual(["Below", "Deck", "Empty", "Home", "Odd"]);
    expect(read.source.notes).toEqual(["cards.apkg has no notes: only its decks are created"]);
  });

  test("decks of one name with composed and decomposed accents are one", async () => {
    const modern = ankiPackage({
      noteTypes: [],
      notes: [],
      sql: `insert into decks values (20, 'Caf' || char(233), 0, 0, x'', x'0a00'),
         (21, 'Cafe' || char(769) || char(31) || 'A', 0, 0, x'', x'0a00')`,
    });
    expect(decks(await readAll(modern))).toEqual(["A", "Caf\u00e9", "Deck", "Home"]);
  });

  test("a missing file is reported once", async () => {
    const { skipped } = await readAll(
      ankiPackage({
        noteTypes: [{ name: "Basic", fields: ["Front"], templates: [["Card 1", "{{Front}}", ""]] }],
        notes: [1, 2].map((number) => ({ fields: [`${number} <img src=gone.png>`], cards: [{}] })),
      }),
    );
    expect(skipped.map(({ what, why }) => `${what}: ${why}`)).toEqual([
      "media files: they are not in the package",
    ]);
  });

  test("notes without cards are reported, and flags become tags", async () => {
    const { cards, skipped } = await readAll(
      await changed(
        "mkanki",
        `delete from cards where nid = (select max(id) from notes);
         update cards set flags = 3 where id = (select min(id) from cards)`,
      ),
    );
    expect(skipped.filter(({ what }) => what === "notes")).toMatchObject([
      { why: "they have no cards", place: 'changed.apkg, note 3 ("Paris is in France")' },
    ]);
    expect(cards.flatMap(({ body }) => body["manual-tags"] ?? [])).toEqual(["flag-green"]);
  });
});

describe("a package with values that Anki never writes", () => {
  test("is read as far as the values have a meaning", async () => {
    const path = await changed(
      "mkanki",
      `pragma writable_schema = on; pragma ignore_check_constraints = on;
       update notes set tags = x'6120620a', flds = flds || '&#xd800;';
       update cards set type = 2, queue = 2, due = 99999999;
       insert into revlog (id, cid, usn, ease, ivl, lastIvl, factor, time, type)
         select 1600000000000 + id % 1000, id, 0, 3, 1, 0, 2500, -5, 0 from cards`,
    );
    const { cards } = await readAll(path);
    expect(cards.length).toBeGreaterThan(3);
    for (const card of cards) {
      expect(card.body["manual-tags"]).toEqual(["a", "b"]);
      expect(card.reviews?.[0]).toMatchObject({ "remembered?": true });
      expect(card.reviews?.[0]).not.toHaveProperty("duration");
      for (const field of Object.values(card.body.fields ?? {}))
        expect(field?.value).not.toMatch(/\p{Surrogate}/u);
    }
  });

  test("that the engine cannot represent is reported with the name of the database", async () => {
    const path = await changed(
      "mkanki",
      `insert into revlog (id, cid, usn, ease, ivl, lastIvl, factor, time, type)
         select 9007199254740993 + id % 1000, id, 0, 3, 1, 0, 2500, 1, 0 from cards`,
    );
    await expect(readAll(path)).rejects.toThrow(/^changed\.apkg: collection\.anki2: it is damaged/);
  });
});

describe("HTML of Anki", () => {
  test.each([
    ["a &lt;b&gt; &amp;&nbsp;c", "a \\<b> & c"],
    ["&amp;lt; &amp;#65; AT&amp;T", "\\&lt; \\&\\#65; AT&T"],
    ["one<div>two</div><div>three</div>", "one\n\ntwo\n\nthree"],
    ["<b>bold </b>text<i> it</i>", "**bold** text *it*"],
    ["#tag $5 {{x}} ==a== [[id]]", "\\#tag \\$5 \\{{x\\}} \\=\\=a\\=\\= \\[\\[id\\]\\]"],
    ["---", "\\---"],
    ["# no heading", "\\# no heading"],
    ["1. no list", "1\\. no list"],
    ["\\(a_b\\) and \\[\\frac{1}{2}\\]", "$a_b$ and $$\\frac{1}{2}$$"],
    ["[latex]x &lt; y<br>z[/latex]", "$$x < y\nz$$"],
    ["H<sub>2</sub>O e<sup>iπ</sup>", "H₂O e<sup>iπ</sup>"],
    ["<u>a <b>b</b></u> <kbd>c</kbd>", "<u>a **b**</u> <kbd>c</kbd>"],
    [
      "<table><tr><td>1|2</td><td>x</td></tr><tr><td>3</td><td></td></tr></table>",
      "| 1\\|2 | x |\n| --- | --- |\n| 3 |  |",
    ],
    ["<a href='javascript:alert(1)'>x</a> <a href='https://a.b/c'>y</a>", "x [y](<https://a.b/c>)"],
    [
      "<img src='a b(1).png' alt='q]'>[sound:x y.mp3]",
      "![q\\]](@media/a%20b%281%29.png)![](@media/x%20y.mp3)",
    ],
    ["<img src='https://e.org/a.png'>", "![](<https://e.org/a.png>)"],
    ["<ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>", "{漢字}(かんじ)"],
    [
      "<ruby>１<rt>ひと</rt></ruby>つ <ruby>C*<rt>see</rt>人<rt>ひと</rt></ruby>",
      "<ruby>１<rt>ひと</rt></ruby>つ <ruby>C\\*<rt>see</rt></ruby>{人}(ひと)",
    ],
    ["<ruby>食<rt>た</rt></ruby>べ<ruby>物<rt>もの</rt></ruby>", "{食}(た)べ{物}(もの)"],
    ["a<script>alert(1)</script><style>b{}</style><svg onload=alert(1)></svg>", "a"],
    ["<img src=x onerror=alert(1)>", "![](@media/x)"],
    // What a letter follows closes nothing behind punctuation.
    ["<b>A:</b>B <i>好。</i>吗", "<b>A:</b>B <i>好。</i>吗"],
    ["<i><b>a</b></i><i><b>b</b></i>", "***ab***"],
    ["<b><ul><li><br></li><li>x</li></ul></b>", "-   \n-   x"],
    ["<code>a <img src=x.png></code> <sub><img src=y.png></sub>", "a ![](@media/x.png) ![](@media/y.png)"],
    ["<code>&nbsp;a`b</code>c <code>`</code>", "``a`b``c `` ` ``"],
    ["<a href='https://a.b/c'><h2>d</h2>e</a>", "## [d](<https://a.b/c>)\n\n[e](<https://a.b/c>)"],
    ["a<blockquote><br></blockquote><pre>&nbsp;</pre>b", "a\n\nb"],
    ["<ul><li>a</li><ul><li>b</li></ul></ul><li>c", "-   a\n    -   b\n-   c"],
    ["<pre><img src=x.jpg><pre>1\n   2</pre></pre>", "![](@media/x.jpg)\n\n```\n1\n   2\n```"],
    ["a</x-whole>b<x-whole>c</x-whole>d", "abcd"],
    ["<b>a</b><b>b</b> <I>c</I><i>d</i><s>e</s><s>f</s>", "**ab** *cd*~~ef~~"],
    ["<b>A: </b>B <b>C:</b> <b>D:</b><div>E</div>", "**A:** B **C:** **D:**\n\nE"],
    ["<b>...</b>A <b>1.</b>B", "<b>...</b>A <b>1\\.</b>B"],
    ["<b><i>A:</i></b>B", "<b><i>A:</i></b>B"],
    ["x <b><u><i>Triceps (long)</i></u></b>", "x <b><u><i>Triceps (long)</i></u></b>"],
    ["<b><u><i>Triceps</i></u></b>", "<b><u>*Triceps*</u></b>"],
    ["<i>x <u><b>(a) b</b></u></i>", "<i>x <u><b>(a) b</b></u></i>"],
    ["<b><i>(a)</i> b <i>(c)</i>.</b>", "<b><i>(a)</i> b <i>(c)</i>.</b>"],
    ["<b><span><i>(a)</i></span></b> <u><i>(b)</i></u>", "<b><i>(a)</i></b> <u><i>(b)</i></u>"],
    ["<b>x {{c1::}} \\(y\\)</b>z", "<b>x \\{{c1::\\}} $y$</b>z"],
    // Emphasis ends with its paragraph.
    ["<b>a<br><br>b<ul><li>c</li></ul></b>d", "**a**\n\n**b**\n\n-   c\n\nd"],
    // What is no paragraph stays as it is.
    ["<b>a<pre>b\n\n\nc</pre>d</b>", "**a**\n\n```\nb\n\n\nc\n```\n\n**d**"],
    ["<b><ul><li>a<p>b</p></li></ul></b>", "-   a\n    \n    b"],
    ["<b><ol><li><pre>a\n\n\nb</pre></li></ol></b>", "1.  ```\n    a\n    \n    \n    b\n    ```"],
    ["<b><h2>a</h2>b</b>", "## a\n\n**b**"],
    ["<b><div>+1</div><div>1.5</div><div><code>c</code></div></b>", "<b>+1</b>\n\n**1.5**\n\n<b>`c`</b>"],
    // Line breaks at the ends of what is emphasised stay outside.
    ["<b>1.5 m<br></b>x", "**1.5 m**  \nx"],
    ["<h2><b>a<br></b></h2>", "## **a**"],
    ["a<b><br>b:</b>c<i><br></i>d", "a  \n<b>b:</b>c  \nd"],
    // Four blanks at the beginning of a line would be code.
    ["<div>a</div><div>&nbsp; &nbsp; &nbsp;b*</div>", "a\n\n\u00a0\u00a0\u00a0\u00a0\u00a0b\\*"],
    ["<ul><li>&nbsp; &nbsp; b</li></ul>", "-   \u00a0\u00a0\u00a0\u00a0b"],
    ["<div>a</div><div>&nbsp; b&nbsp; &nbsp; &nbsp;c</div>", "a\n\n\u00a0\u00a0b     c"],
    ["a\n\n    b*", "a\n\nb\\*"],
    ["<pre><code>a<br>b</code></pre>", "```\na\nb\n```"],
    ["<pre>a:\n\n\n&nbsp; <span>b*</span></pre>", "```\na:\n\n\n  b*\n```"],
    ["<pre><div>```</div><div>---</div></pre>", "````\n```\n---\n````"],
    ["<pre>a <img src=x.png></pre>", "a ![](@media/x.png)"],
    [
      "<pre>a ||<br>b \n    c* <img src=x.png>\n\n\td</pre>",
      "a ||  \nb  \n\u00a0\u00a0\u00a0\u00a0c\\* ![](@media/x.png)\n\n\u00a0\u00a0\u00a0\u00a0d",
    ],
    ["<pre>a\nb<table><tr><td>1</td></tr></table></pre>", "a  \nb\n\n| 1 |\n| --- |"],
    ["<pre><ol><li>a<ul><li>b</li></ul></li></ol></pre>", "1.  a\n    -   b"],
    // Nor can code say what else is more than its text.
    ["<pre>mc<sup>2</sup></pre>", "mc²"],
    ["<pre><a href=https://a.b/c>a</a></pre>", "[a](<https://a.b/c>)"],
    ["<pre><a href=#c>a*</a></pre>", "```\na*\n```"],
    ["<pre>a<table><tr><td>1</td><td>2</td></tr></table></pre>", "a\n\n| 1 | 2 |\n| --- | --- |"],
    ["<pre>漢<rt>かん</pre>", "漢(かん)"],
    ["<pre><h2>a</h2><ul><li>b</li></ul></pre>", "## a\n\n-   b"],
    ["<pre>a<script>alert(1)</script><style>b{}</style></pre>", "```\na\n```"],
    ["<pre><code>a<script>b</script><dl><dt>c<dd>d</dl>e</code></pre>", "```\na\nc\nd\ne\n```"],
  ])("%s becomes %j", (html, markdown) => {
    expect(new HtmlConverter().convert(html).markdown).toBe(markdown);
  });

  test("nested far too deep keeps its text, in linear time", () => {
    for (const tag of ["div", "b", "ul><li", "table><tr><td", "span"]) {
      const started = Date.now();
      const { markdown, dropped } = new HtmlConverter().convert(`${`<${tag}>`.repeat(20_000)}deep`);
      expect(markdown).toBe("deep");
      expect([...dropped]).toEqual(["markup nested too deep"]);
      expect(Date.now() - started).toBeLessThan(5000);
    }
  });

  test("reports the media that it shows and the pictures that it cannot keep", () => {
    const { media, dropped } = new HtmlConverter().convert(
      '<img src="a.png"><img src="data:image/png;base64,AAAA"><audio src="b.mp3"></audio>',
    );
    expect(media).toEqual(["a.png", "b.mp3"]);
    expect([...dropped]).toEqual(["embedded pictures"]);
  });

  test("links to media by the names that attachments get", () => {
    const [picture, sound] = ["é.png", "ñ.mp3"].map((name) => name.normalize("NFD"));
    const { markdown, media } = new HtmlConverter().convert(`<img src="${picture}">[sound:${sound}]`);
    expect(markdown).toBe("![](@media/%C3%A9.png)![](@media/%C3%B1.mp3)");
    expect(media.toSorted()).toEqual(["é.png", "ñ.mp3"].map((name) => name.normalize("NFC")).toSorted());
  });
});

describe("a card template of Anki", () => {
  const converted = (question: string, answer: string) =>
    convertTemplate(
      {
        name: "n",
        fields: ["Word", "URL"],
        sortField: 0,
        templates: new Map(),
        css: "",
        cloze: false,
      },
      { name: "t", question, answer },
      new HtmlConverter(),
    );

  test.each([
    ["{{Word}}", "{{FrontSide}}<hr id=answer>{{URL}}", "<< Word >>\n---\n<< URL >>"],
    ["{{Word}}", "{{Word}}<hr id=answer>{{URL}}", "<< Word >>\n---\n<< URL >>"],
    ["{{Word}}", "{{URL}}<hr id=answer>x", "<< Word >>\n---\n<< URL >>\n\nx"],
    // A comment shows nothing.
    ["{{Word}}", "{{FrontSide}}<hr id=answer>{{type:URL}}<!-- {{URL}} -->", "<< Word >>\n---\n<< URL >>"],
    // What goes on behind the text of the question does not repeat it.
    ["{{Word}}", "{{Word}}: {{URL}}", "<< Word >>\n---\n<< Word >>: << URL >>"],
    [
      "<b>{{URL}}</b>",
      "<b>{{URL}}</b><hr id=answer>{{#URL}}x{{/URL}}",
      "<b><< URL >></b>\n---\n<< #URL >>x<< /URL >>",
    ],
    ["{{Word}}", '<a href="{{URL}}">more</a>', "<< Word >>\n---\n[more](<<< URL >>>)"],
  ])("with the question %s and the answer %s becomes %j", (question, answer, content) => {
    expect(converted(question, answer).body.content).toBe(content);
  });

  test.each([
    ["<b>{{URL}}</b> {{Word}}", "<b><< URL >></b> << Word >>", ["<b></b> w", "<b>u</b> w"]],
    ["<b><i>{{URL}}</i></b>", "<b><i><< URL >></i></b>", ["<b><i></i></b>", "<b><i>u</i></b>"]],
    ["{{#URL}}<i>{{URL}}</i>{{/URL}}", "<< #URL >><i><< URL >></i><< /URL >>", ["", "<i>u</i>"]],
    [
      "x<b><u><i>{{URL}}</b></u></i>",
      "x<b><u><i><< URL >></i></u></b>",
      ["x<b><u><i></i></u></b>", "x<b><u><i>u</i></u></b>"],
    ],
    ["<s>{{URL}}</s>", "<s><< URL >></s>", ["<s></s>", "<s>u</s>"]],
    ["<b>{{#URL}}</b>1{{/URL}}", "<< #URL >>1<< /URL >>", ["", "1"]],
    ["<b>{{#URL}}{{URL}}{{/URL}}</b>", "<< #URL >><b><< URL >></b><< /URL >>", ["", "<b>u</b>"]],
    ["<b>{{^URL}}none{{/URL}}</b>", "<< ^URL >>**none**<< /URL >>", ["**none**", ""]],
    ["<mark>{{URL}}</mark>", "<mark><< URL >></mark>", ["<mark></mark>", "<mark>u</mark>"]],
    ["<code>{{URL}}</code>", "<< URL >>", ["", "u"]],
    [
      "{{#URL}}x<b>{{/URL}}</b> <i>{{URL}}</i>",
      "<< #URL >>x<< /URL >> <i><< URL >></i>",
      ["<i></i>", "x <i>u</i>"],
    ],
    // A hint stands outside of emphasis.
    [
      "<b>{{hint:URL}}</b>",
      "<< #URL >><details><summary>URL</summary><< URL >></details><< /URL >>",
      ["", "<details><summary>URL</summary>u</details>"],
    ],
  ])("leaves no delimiters of emphasis around an empty field: %s", (question, content, shown) => {
    const { body } = converted(question, "");
    expect(body.content).toBe(content);
    const fields = { name: { id: "name", name: "Word" }, url: { id: "url", name: "URL" } };
    const filled = ["", "u"].map((url) => {
      const values = { name: { id: "name", value: "w" }, url: { id: "url", value: url } };
      return fillSides(body.content, fields, values).sides[0]?.trim();
    });
    expect(filled).toEqual(shown);
  });

  test("with links and media named by its fields keeps them, and reports media that it cannot resolve", () => {
    const { body, media, dropped } = converted(
      "{{Word}}",
      '[sound:{{Word}}.mp3]<img src="{{URL}}"><img src=_a.png>',
    );
    expect(body.content).toBe(
      "<< Word >>\n---\n![](@media/<< Word >>.mp3)![](@media/<< URL >>)![](@media/_a.png)",
    );
    expect(media).toEqual(["_a.png"]);
    expect([...dropped]).toEqual(["media that fields name"]);
    const { sides } = fillSides(
      converted("{{Word}}", '<a href="{{URL}}">more</a>').body.content,
      { url: { id: "url", name: "URL" } },
      { url: { id: "url", value: "https://a.b/c" } },
    );
    expect(sides[1]).toContain("[more](<https://a.b/c>)");
  });
});

test("a cloze deletion of several lines stays in one paragraph", () => {
  const converter = new HtmlConverter();
  const source = "<div>a {{c1::<div>b</div><div><b>c</b></div><br>d</div>}}";
  const html = convertClozes(source, (markdown) => converter.keep(markdown));
  expect(converter.convert(html).markdown).toBe("a {{1::b<br>**c**<br>d}}");
});

test.each([
  ["{{c1::<b>β2-adrenergic}} receptors</b>", "{{1::**β2-adrenergic**}} **receptors**"],
  ["<b>the {{c1::β2-adrenergic</b> receptors}}", "**the** {{1::**β2-adrenergic** receptors}}"],
  ["<b>{{c1::a</b>}}", "{{1::**a**}}"],
  ["{{c1::a<b>}} b</b>", "{{1::a}} **b**"],
  ["<b><i>{{c1::a</i>b</b>c}}", "{{1::***a*b**c}}"],
  ["<u>a {{c1::b {{c2::c</u> d}} e}}", "<u>a</u> {{1::<u>b</u> {{2::<u>c</u> d}} e}}"],
  ["{{c1::<b>a}} b {{c2::c</b>}}", "{{1::**a**}} **b** {{2::**c**}}"],
  ["{{c1::<b>a</b>}} <b>b {{c2::c}}</b>", "{{1::**a**}} **b** {{2::**c**}}"],
])("markup that crosses the end of a cloze deletion is divided: %s", (field, markdown) => {
  const converter = new HtmlConverter();
  const html = convertClozes(field, (kept) => converter.keep(kept));
  expect(converter.convert(html).markdown).toBe(markdown);
});

test("a cloze deletion in preformatted text stays one", () => {
  const converter = new HtmlConverter();
  const html = convertClozes("<pre>a {{c1::b}}\nc</pre>", (markdown) => converter.keep(markdown));
  expect(converter.convert(html).markdown).toBe("a {{1::b}}  \nc");
});

describe("cloze deletions of Anki", () => {
  test.each([
    ["{{c1::a}} b {{c12::c::hint}}", "{{1::a}} b {{12::c}} (hint)"],
    ["{{c1::a {{c2::b}} c}}", "{{1::a {{2::b}} c}}"],
    ["{{c1::std::vector::hint}}", "{{1::std::vector}} (hint)"],
    ["{{c1::a {{c2::b::2nd}} c::1st}}", "{{1::a {{2::b}} (2nd) c}} (1st)"],
    ["{{c1::a::...}} {{c1::b::}} {{c1::c::&nbsp;?}}", "{{1::a}} {{1::b}} {{1::c}}"],
    ["{{c1::a::<img src=b.png>}}", "{{1::a}} (<img src=b.png>)"],
    ["{{c1::<b>a::b</b>}}", "{{1::<b>a}} (b</b>)"],
    ["no {{other}} and {{c1::open", "no {{other}} and {{1::open"],
    ["a :: b }} c", "a :: b }} c"],
    ["{{c1,2::a::hint}} {{c3::b}}", "{{1::{{2::a}}}} (hint) {{3::b}}"],
    ["{{c2,1::a {{c1,3::b}}}} {{c1,::c}}", "{{2::{{1::a {{1::{{3::b}}}}}}}} {{c1,::c}}"],
  ])("%s become %s", (html, expected) => {
    expect(convertClozes(html, (markdown) => markdown)).toBe(expected);
  });
});
