import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { unzipSync } from "fflate";
import { describe, expect, onTestFinished, test } from "vitest";
import { fillSides } from "../../src/cards/template.ts";
import { loadSqlite } from "../../src/sqlite.ts";
import { openSource } from "../../src/transfer/formats/open.ts";
import type { Skipped, SourceCard } from "../../src/transfer/model.ts";
import { temporaryFolder } from "../support/service.ts";
import { ankiPackage, type PackageNoteType } from "./anki-package.ts";
import { emptyAccount, exportFile, importFile, readAll } from "./support.ts";

async function converted(noteType: Omit<PackageNoteType, "name">, fields: readonly string[]) {
  const path = ankiPackage({ noteTypes: [{ name: "Words", ...noteType }], notes: [{ fields }] });
  const { source, cards, skipped } = await readAll(path);
  const template = source.templates[0]?.body;
  const values = Object.fromEntries(
    Object.entries(cards[0]?.body.fields ?? {}).map(([id, field]) => [
      template?.fields?.[id]?.name,
      field?.value,
    ]),
  );
  const dropped = skipped.map(({ what }) => what);
  return { content: template?.content, values, dropped };
}

describe("filters of card templates", () => {
  test("the answer to be typed is only on the answer's side", async () => {
    const { content, dropped } = await converted(
      {
        fields: ["Front", "Back"],
        templates: [["Card 1", "{{Front}}\n\n{{type:Back}}", "{{Front}}\n\n<hr id=answer>\n\n{{type:Back}}"]],
      },
      ["question", "answer"],
    );
    expect(content).toBe("<< Front >>\n---\n<< Back >>");
    expect(dropped).toEqual(["inputs for the answer in templates"]);
  });

  test("a question that only asks to type has the field's name and a line, and is no empty card in Anki", async () => {
    const noteType = {
      fields: ["Word", "Meaning"],
      templates: [["Card 1", "{{type:Meaning}}", "{{Word}}: {{Meaning}}"]] as const,
    };
    const { content, dropped } = await converted(noteType, ["perro", "dog"]);
    expect(content).toBe("Meaning: \\_\\_\\_\\_\n---\n<< Word >>: << Meaning >>");
    expect(dropped).toEqual(["inputs for the answer in templates"]);
    const client = await emptyAccount();
    await importFile(
      client,
      ankiPackage({ noteTypes: [{ name: "T", ...noteType }], notes: [{ fields: ["perro", "dog"] }] }),
    );
    const out = join(temporaryFolder(), "out.apkg");
    await exportFile(client, out, "apkg");
    const again = await readAll(out);
    expect(again.source.templates[0]?.body.content).toBe(content);
    const file = join(temporaryFolder(), "collection.anki2");
    writeFileSync(file, unzipSync(readFileSync(out))["collection.anki2"] ?? "");
    const database = new (loadSqlite())(file);
    onTestFinished(() => database.close());
    const [row] = database.prepare("select models from col").all() as { models: string }[];
    expect(row?.models).toContain("{{type:Meaning}}");
  });

  test("an input of a cloze deletion adds nothing to the deletion", async () => {
    const { content } = await converted(
      {
        cloze: true,
        fields: ["Text"],
        templates: [["Cloze", "{{cloze:Text}}{{type:cloze:Text}}", "{{cloze:Text}}<br>{{type:cloze:Text}}"]],
      },
      ["a {{c1::b}}"],
    );
    expect(content).toBe("<< Text >>");
  });

  test("furigana becomes the card language's, kanji and kana its halves", async () => {
    const { content, values } = await converted(
      {
        fields: ["Word", "Meaning"],
        templates: [["Card 1", "{{kanji:Word}}", "{{furigana:Word}}<br>{{kana:Word}}<br>{{Meaning}}"]],
      },
      ["<b>これ</b>は 漢字[かんじ]です", "kanji [note]"],
    );
    expect(content).toBe("<< Word (kanji) >>\n---\n<< Word >>  \n<< Word (kana) >>  \n<< Meaning >>");
    expect(values).toEqual({
      Word: "**これ**は{漢字}(かんじ)です",
      "Word (kanji)": "**これ**は漢字です",
      "Word (kana)": "**これ**はかんじです",
      Meaning: "kanji \\[note\\]",
    });
  });

  test("furigana inside a deletion leaves the deletion as it is", async () => {
    const { values } = await converted(
      { cloze: true, fields: ["Text"], templates: [["Cloze", "{{cloze:Text}}", "{{furigana:cloze:Text}}"]] },
      ["{{c1::子[し]}} {{c2::a}}"],
    );
    expect(values).toEqual({ Text: "{{1::{子}(し)}} {{2::a}}" });
  });

  test("text: loses its markup, and keeps the deletions", async () => {
    const { content, values } = await converted(
      {
        cloze: true,
        fields: ["Text"],
        templates: [["Cloze", "{{cloze:Text}}", "{{cloze:Text}}<br>{{text:Text}}"]],
      },
      ["a <b>{{c1::b}}</b> {{c2::c}}"],
    );
    expect(content).toContain("<< Text (text) >>");
    expect(values).toEqual({
      Text: "a {{1::**b**}} {{2::c}}",
      "Text (text)": "a {{1::b}} {{2::c}}",
    });
  });

  test("a hint is a closed part, shown only if it has a text", async () => {
    const { content } = await converted(
      { fields: ["Front", "Tip"], templates: [["Card 1", "{{Front}}<br>{{hint:Tip}}", "{{FrontSide}}"]] },
      ["a", "b"],
    );
    expect(content).toBe(
      "<< Front >>  \n<< #Tip >><details><summary>Tip</summary><< Tip >></details><< /Tip >>",
    );
  });

  test("fields that the note type does not have are left out and reported", async () => {
    const { content, dropped } = await converted(
      {
        fields: ["Front", "Back"],
        templates: [["Card 1", "{{#Nowhere}}{{Front}}{{/Nowhere}}", "{{FrontSide}}"]],
      },
      ["question", "answer"],
    );
    expect(content).toBe("<< Front >>");
    expect(dropped).toEqual(["placeholders without a field ({{Nowhere}}) in templates"]);
  });

  test("a condition that begins in a line with text leaves the sides apart where its field is empty", async () => {
    const noteType = {
      name: "Mining",
      fields: ["Sentence", "Hint", "Frequency"],
      templates: [
        [
          "Card 1",
          '<div lang="ja">{{Sentence}}\n{{#Hint}}\n<div>{{Hint}}</div>\n{{/Hint}}\n</div>',
          "{{FrontSide}}<hr id=answer><div>{{Frequency}}</div>",
        ],
      ],
    } as const;
    const path = ankiPackage({
      noteTypes: [noteType],
      notes: [{ fields: ["問い", "", "100"] }, { fields: ["問い", "手掛かり", "100"] }],
    });
    const { source, cards } = await readAll(path);
    const { content = "", fields = {} } = source.templates[0]?.body ?? {};
    const shown = cards.map(({ body }) => fillSides(content, fields, body.fields ?? {}).sides);
    expect(shown.map((sides) => sides.map((side) => side.replace(/\s+/g, " ").trim()))).toEqual([
      ["問い", "100"],
      ["問い 手掛かり", "100"],
    ]);
  });

  test("speech, filters of add-ons, what Anki fills in and scripts are reported", async () => {
    const { content, dropped } = await converted(
      {
        fields: ["Front"],
        templates: [
          ["Card 1", "{{Front}}{{tts en_US:Front}}", "{{addon:Front}} {{Tags}}<script>1</script>{{Gone}}"],
        ],
      },
      ["a"],
    );
    expect(content).toBe("<< Front >>");
    expect(dropped.sort()).toEqual([
      "filters of add-ons ({{addon:}}) in templates",
      "placeholders without a field ({{Gone}}) in templates",
      "placeholders without a field ({{Tags}}) in templates",
      "scripts in templates",
      "speech in templates",
    ]);
  });
});

/** A picture of 200 by 100 pixels, as far as its header says. */
const png = Buffer.from(
  "89504e470d0a1a0a0000000d49484452000000c8000000640802000000c43f0e4c0000000049454e44ae426082",
  "hex",
);

describe("an image occlusion note", () => {
  const occlusion: PackageNoteType = {
    name: "Image Occlusion",
    cloze: true,
    fields: ["Occlusion", "Image", "Header", "Back Extra", "Comments"],
    templates: [
      ["Image Occlusion", "{{cloze:Occlusion}}{{Image}}<script>x</script>", "{{Image}}{{Back Extra}}"],
    ],
  };
  const masks = (inactive: string) =>
    [
      `{{c1::image-occlusion:rect:left=.1:top=.2:width=.3:height=.4${inactive}}}`,
      `{{c2::image-occlusion:ellipse:left=.5:top=.5:rx=.1:ry=.2${inactive}}}`,
      `{{c2::image-occlusion:polygon:points=.1,.1 .2,.2 .1,.3${inactive}}}`,
    ].join("<br>");
  const read = async (text: string, image = '<img src="map &amp; sea.png">') => {
    const pictures = new Map<string, string>();
    const source = await openSource(
      ankiPackage({
        noteTypes: [occlusion],
        notes: [{ fields: [text, image, "Where?", "more", ""], cards: [{ ord: 0 }, { ord: 1 }] }],
        media: { "map & sea.png": png },
      }),
    );
    const cards: SourceCard[] = [];
    const skipped: Skipped[] = [];
    for await (const card of source.cards((each) => skipped.push(each))) {
      cards.push(card);
      for (const { fileName, open } of card.attachments ?? [])
        pictures.set(fileName, (await buffer(await open())).toString());
    }
    await source.close();
    return { source, cards, skipped, pictures };
  };

  test("becomes a card for each mask: the picture under it, then the picture", async () => {
    const { source, cards, skipped, pictures } = await read(masks(":oi=1"));
    expect(source.templates).toEqual([]);
    expect(cards.map(({ body }) => body.content)).toEqual(
      [1, 2].map(
        (number) =>
          `Where?\n\n![](@media/occlusion${number}.svg)\n---\n![](@media/map%20%26%20sea.png)\n\nmore`,
      ),
    );
    expect(JSON.stringify(cards)).not.toContain("image-occlusion");
    const svg = pictures.get("occlusion2.svg");
    expect(svg).toContain('viewBox="0 0 200 100"');
    expect(svg).toContain(`href="data:image/png;base64,${png.toString("base64")}"`);
    expect(svg).toContain('<rect x="20" y="20" width="60" height="40" fill="#ffeba2"/>');
    expect(svg).toContain('<ellipse cx="120" cy="70" rx="20" ry="20" fill="#ff8e8e"/>');
    expect(svg).toContain('<polygon points="20,10 40,20 20,30" fill="#ff8e8e"/>');
    expect(skipped).toEqual([]);
  });

  test("shows what other cards ask where the note hides only one mask", async () => {
    const svg = (await read(masks(""))).pictures.get("occlusion1.svg");
    expect(svg).toContain("<rect ");
    expect(svg).not.toContain("<ellipse");
  });

  test("of the add-on, whose masks are files, hides the picture under them, too", async () => {
    const source = await openSource(
      ankiPackage({
        noteTypes: [
          {
            name: "Image Occlusion Enhanced",
            fields: ["ID", "Header", "Image", "Question Mask", "Remarks", "Original Mask"],
            templates: [["IO Card", "{{Header}}{{Question Mask}}{{Image}}", "{{Image}}{{Remarks}}"]],
          },
        ],
        notes: [{ fields: ["1", "", '<img src="a.png">', '<img src="q.svg">', "why", '<img src="o.svg">'] }],
        media: { "a.png": png, "q.svg": Buffer.from("<svg/>"), "o.svg": Buffer.from("<svg/>") },
      }),
    );
    for await (const card of source.cards(() => {})) {
      expect(card.body.content).toBe("![](@media/occlusion1.svg)\n---\n![](@media/a.png)\n\nwhy");
      const file = card.attachments?.find(({ fileName }) => fileName === "occlusion1.svg");
      const svg = file && (await buffer(await file.open())).toString();
      expect(svg).toContain(`href="data:image/png;base64,${png.toString("base64")}"/>`);
      expect(svg).toContain(
        `href="data:image/svg+xml;base64,${Buffer.from("<svg/>").toString("base64")}"/></svg>`,
      );
    }
    expect(source.templates).toEqual([]);
    await source.close();
  });

  test("whose picture is missing is left out and counted", async () => {
    const { cards, skipped } = await read(masks(""), '<img src="gone.png">');
    expect(cards).toEqual([]);
    expect(skipped).toContainEqual(
      expect.objectContaining({
        what: "image occlusion cards",
        why: "their picture is missing or cannot be read",
      }),
    );
  });
});
