import type { Collection } from "../../export/collection.ts";
import type { Sink } from "../../model.ts";
import { deckPaths } from "../deck-paths.ts";
import { manualTagsOf } from "../markdown/card-file.ts";
import { NoteWriter } from "./note-write.ts";

/**
 * Notes as text that Anki imports (docs.ankiweb.net, Text Files): a row each, with the id of the card as guid, the note
 * type, the deck and the tags before its fields. Attachments stay behind: Anki takes them in packages only.
 */
export async function writeAnkiText(collection: Collection, sink: Sink): Promise<void> {
  await sink.write(
    "#separator:tab\n#html:true\n#guid column:1\n#notetype column:2\n#deck column:3\n#tags column:4\n",
  );
  const decks = new Map(
    [...deckPaths(collection.decks)].map(([id, path]) => [
      id,
      path
        .split(/(?<!\\)\//)
        .map((name) => name.replaceAll("\\/", "/"))
        .join("::"),
    ]),
  );
  const notes = new NoteWriter(collection.allTemplates);
  for await (const page of collection.cards()) {
    let text = "";
    for (const { card, files } of page) {
      const note = notes.note(card, card["review-reverse?"] ?? false, asNamed);
      // Anki's tags hold no blanks.
      const tags = (await manualTagsOf(card)).map((tag) => tag.replace(/\s+/g, "_")).join(" ");
      const deck = decks.get(card["deck-id"] ?? "") ?? "";
      text += `${[card.id, note.noteType.name, deck, tags, ...note.fields].map(cell).join("\t")}\n`;
      collection.leaveOut("attachments", files.length);
    }
    await sink.write(text);
  }
}

/** Anki looks for the files in its own folder of media. */
const asNamed = { card: (name: string) => name, template: (name: string) => name };

const cell = (text: string) => (/[\t\r\n"]|^#/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
