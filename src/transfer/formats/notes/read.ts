import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isMarkdown } from "../../../folder/layout.ts";
import type { Skip, Source, SourceCard } from "../../model.ts";
import { at, broken, unlessBroken } from "../../place.ts";
import { FilesBeside } from "../beside.ts";
import { DeckTree } from "../deck-tree.ts";
import { filesBelow } from "../list-folder.ts";
import { readWholeText } from "../text.ts";
import { defaultMarks, marksOf, type ObsidianMarks } from "./obsidian-marks.ts";
import type { NotesFormat } from "./recognise.ts";
import { type Note, type NotesText, readNotes } from "./text.ts";

/** Notes as people keep them in Obsidian and hashcards: a file, or a folder of files, with any number of cards each. */
export async function openNotes(path: string, name: string, format: NotesFormat): Promise<Source> {
  const isFolder = (await stat(path)).isDirectory();
  const root = isFolder ? path : dirname(path);
  const all: string[] = isFolder ? [] : [basename(path)];
  if (isFolder) for await (const file of filesBelow(path)) all.push(file);
  const files = isFolder ? all.filter(isMarkdown) : all;
  if (files.length === 0) throw broken(root, "there are no markdown files in it");
  const place = (file: string) => (isFolder ? `${name}/${file}` : name);
  const { marks, from } = format === "obsidian" ? await marksOf(root) : { marks: defaultMarks };
  const read = async (file: string): Promise<NotesText> => {
    const text = await readWholeText(join(root, file), { name: place(file) });
    const folder = marks.form.folders ? dirname(file).replace(/^\.$/, "") : undefined;
    const found = readNotes(text, { format, marks, folderDeck: folder });
    // A file of hashcards is a deck.
    const deck = format === "hashcards" ? file.replace(/\.[^./]*$/, "") : undefined;
    return { ...found, notes: found.notes.map((note) => ({ ...note, deck: note.deck ?? deck })) };
  };
  const tryRead = (file: string, skip: Skip) =>
    isFolder ? unlessBroken(place(file), skip, () => read(file)) : read(file);
  const tree = new DeckTree();
  const untagged = new Set<string>();
  for (const file of files) {
    // What cannot be read is named with the cards.
    if (!(await tryRead(file, () => {}))?.tagged) untagged.add(file);
  }
  const hasTags = isFolder && untagged.size < files.length;
  const beside = new FilesBeside(root);
  return {
    format,
    decks: tree.decks,
    templates: [],
    partial: true,
    notes: from === undefined ? [] : [`Tags are those of ${from}`],
    async *cards(skip): AsyncGenerator<SourceCard> {
      for (const file of files) {
        const found = await tryRead(file, skip);
        if (found === undefined) continue;
        const { notes, left } = found;
        for (const { line, ...why } of left) skip({ ...why, place: at(place(file), line) });
        if (notes.length === 0)
          skip({
            place: place(file),
            what: "files",
            why: `there is no card in the form of ${format} in them`,
          });
        const cards =
          hasTags && untagged.has(file)
            ? notes.filter(({ mark, reviews }) => reviews.length > 0 || mark === "Q:" || mark === "C:")
            : notes;
        if (cards.length < notes.length)
          skip({ ...withoutTag(marks), place: place(file), count: notes.length - cards.length });
        for (const note of cards) {
          const from = at(place(file), note.line);
          const take = (text: string) => beside.take(text, dirname(file), from, skip);
          yield await cardOf(note, tree, take, from, skip);
        }
      }
      for (const file of all)
        if (isFolder && !isMarkdown(file) && !beside.used.has(await realpath(join(root, file))))
          skip({
            ...(format === "hashcards" && file === "hashcards.db" ? database : unread),
            place: place(file),
          });
    },
    close: async () => {},
  };
}

async function cardOf(
  note: Note,
  tree: DeckTree,
  take: (text: string) => ReturnType<FilesBeside["take"]>,
  place: string,
  skip: Skip,
): Promise<SourceCard> {
  const { text, attachments } = await take(note.content);
  if (note.moreSchedules > 0) skip({ ...furtherSchedules, place, count: note.moreSchedules });
  return {
    ...(note.deck ? { deck: tree.add(note.deck, place) } : {}),
    body: {
      content: text,
      ...(note.tags?.length ? { "manual-tags": note.tags } : {}),
      ...(note.reverse ? { "review-reverse?": true } : {}),
    },
    ...(note.reviews.length > 0 ? { reviews: note.reviews } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
    place,
  };
}

const furtherSchedules = {
  what: "schedules",
  why: "they are of further questions of a card, which has the earliest",
};

const withoutTag = ({ form }: ObsidianMarks) => ({
  what: "pairs in notes without a tag",
  why: `the plugin reads only notes with ${form.tags.map((tag) => `#${tag}`).join(", ")}`,
});

const database = { what: "review histories of hashcards", why: "its database is not read: cards are new" };

const unread = { what: "files", why: "they are no notes, and no card embeds them" };
