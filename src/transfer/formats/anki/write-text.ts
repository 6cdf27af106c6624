import { manualTagsOf } from "../../../cards/document.ts";
import type { Collection, ExportedCard } from "../../export/collection.ts";
import type { Adapted } from "../../export/losses.ts";
import { refers } from "../../import/references.ts";
import type { Sink } from "../../model.ts";
import { adaptedToAnki, adaptedToAnkiText } from "./adapted.ts";
import { NoteWriter } from "./note-write.ts";
import type { NoteTypeParts } from "./schema-11.ts";

/**
 * Notes as text that Anki imports (docs.ankiweb.net, Text Files): a row each, with the id of the card as guid, the note
 * type, the deck and the tags before its fields. Attachments stay behind: Anki takes them in packages only.
 */
export async function writeAnkiText(collection: Collection, sink: Sink): Promise<void> {
  await sink.write(
    "#separator:tab\n#html:true\n#guid column:1\n#notetype column:2\n#deck column:3\n#tags column:4\n",
  );
  const decks = new Map(
    [...(await collection.deckPaths())].map(([id, path]) => [
      id,
      path
        .split(/(?<!\\)\//)
        .map((name) => name.replaceAll("\\/", "/"))
        .join("::"),
    ]),
  );
  const notes = new NoteWriter(collection.allTemplates);
  for await (const page of collection.cards({ trash: false })) {
    let text = "";
    for (const exported of page) {
      const { card, files } = exported;
      const note = notes.note(card, card["review-reverse?"] ?? false, asNamed);
      const { cloze, templates, own } = note.noteType;
      // Those in the text, too, which are none in Anki. Its tags hold no blanks.
      const all = [...new Set([...(await manualTagsOf(card)), ...(card.tags ?? [])])];
      const tags = all.map((tag) => tag.replace(/\s+/g, "_")).join(" ");
      for (const each of adaptedOf(exported, all)) collection.losses.adapt(each);
      if (note.filled) collection.losses.adapt(adaptedToAnki.filled);
      if (!cloze && templates.length > 1) collection.losses.adapt(adaptedToAnkiText.reverse);
      if (own === undefined && note.fields.length > 2) collection.losses.adapt(adaptedToAnkiText.sides);
      if (isTurned(note.noteType)) collection.losses.adapt(adaptedToAnkiText.turned);
      const deck = decks.get(card["deck-id"] ?? "") ?? "";
      text += `${[card.id, note.noteType.name, deck, tags, ...note.fields].map(cell).join("\t")}\n`;
      collection.losses.leaveOut("attachments", files.length);
    }
    await sink.write(text);
  }
  collection.losses.leaveOut(
    "layouts of templates",
    collection.usedTemplates.filter(({ content }) => content).length,
  );
}

const adaptedOf = ({ card, archived }: ExportedCard, tags: readonly string[]): Adapted[] => [
  ...(archived ? [adaptedToAnkiText.archived] : []),
  ...(card.reviews?.length ? [adaptedToAnkiText.history] : []),
  ...(tags.some((tag) => /\s/.test(tag)) ? [adaptedToAnkiText.tags] : []),
  ...(refers(card) ? [adaptedToAnki.references] : []),
];

/** Whether the question of a note type is without its first field, as that of a card in the other direction. */
const isTurned = ({ fields: [first = ""], templates }: NoteTypeParts) =>
  !(templates[0]?.[1] ?? "").includes(`${first}}}`);

/** Anki looks for the files in its own folder of media. */
const asNamed = { card: (name: string) => name, template: (name: string) => name };

const cell = (text: string) => (/[\t\r\n"]|^#/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
